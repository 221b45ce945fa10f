"""The messages that an affiliate has from the network (docs/spec/messages.md#reading)."""

from typing import Final

from trackyard.api.platform import messages as api
from trackyard.api.platform.messages import ReceivedMessagesAnswer, ReceivedMessageView
from trackyard.base.errors import Unavailable
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.navigation import RailNumber
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import ListCell
from trackyard.console.lists.declared import ListColumn, ListPage, On
from trackyard.console.lists.page import declare_list

pages = Pages()

PATH: Final = "/portal/messages"


def _title(each: ReceivedMessageView, _on: On) -> ListCell:
    return cells.cell(each.title, "" if each.is_read else gettext("new"), link=f"{PATH}/{each.id}")


RECEIVED: Final = ListPage[ReceivedMessageView, ReceivedMessagesAnswer](
    path=PATH,
    audience="affiliate",
    method=api.list_received,
    view=ReceivedMessagesAnswer,
    rows=lambda _, answer: answer.messages,
    title=lazy_gettext("Messages from the network"),
    counted=lambda total: ngettext("%(num)d message.", "%(num)d messages.", total),
    columns=(
        ListColumn(title=lazy_gettext("Subject"), below=lazy_gettext("State"), role="title", longest=200, cell=_title),
        ListColumn(title=lazy_gettext("Text"), longest=200, cell=lambda each, _: cells.cell(each.text)),
        ListColumn(title=lazy_gettext("Time"), cell=lambda each, _: cells.moment(each.sent_at)),
    ),
    empty=lazy_gettext("You have no messages yet."),
)
declare_list(pages, RECEIVED)


@pages.get(f"{PATH}/{{id}}", audience="affiliate", needs=(api.show_received,))
def show_message(request: PageRequest) -> PageAnswer:
    """Show a message, and mark it as read, unless staff look at the portal."""
    found = request.calls.ask(api.show_received, path=request.path).message
    if not found.is_read and request.calls.may(api.read):
        request.calls.ask(api.read, path=request.path)
    return request.page("portal/message.html", written=found, at=request.time_of(found.sent_at), back=PATH)


def count_unread_messages(request: PageRequest) -> dict[str, RailNumber]:
    """Return how many messages the person has not read, by the path of their page; empty without any.

    Without the database it is empty, so that the page can show that it is unavailable.
    """
    if request.person.audience != "affiliate" or not request.calls.may(api.list_received):
        return {}
    try:
        number = request.calls.ask(api.list_received, [("limit", "1")]).unread
    except Unavailable:
        return {}
    return {PATH: RailNumber(number, ngettext("%(num)d unread", "%(num)d unread", number))} if number else {}
