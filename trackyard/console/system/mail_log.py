"""The list of mails that were sent (docs/spec/mails.md#log)."""

from typing import Final

from trackyard.api.platform import mail_log as api
from trackyard.api.platform.mail_log import LoggedMailView, MailsAnswer
from trackyard.base.texts.marks import lazy_gettext, ngettext
from trackyard.console.frame.pages import Pages
from trackyard.console.lists import cells
from trackyard.console.lists.cells import ListCell
from trackyard.console.lists.declared import Days, ListColumn, ListPage, On, Search
from trackyard.console.lists.filters import FilterBy
from trackyard.console.lists.page import declare_list
from trackyard.domain.platform.mails.log import KINDS, MailState

pages = Pages()

PATH: Final = "/console/mails"
_STATES: Final = {
    MailState.QUEUED: (lazy_gettext("queued"), "pending"),
    MailState.SENT: (lazy_gettext("sent"), "confirmed"),
    MailState.REFUSED: (lazy_gettext("refused"), "declined"),
    MailState.GIVEN_UP: (lazy_gettext("given up"), "declined"),
}
"""State to its word and the class of its mark."""


def _state(each: LoggedMailView, _on: On) -> ListCell:
    word, mark = _STATES[MailState(each.state)]
    return cells.status(str(word), mark)


declare_list(
    pages,
    ListPage[LoggedMailView, MailsAnswer](
        path=PATH,
        method=api.list_,
        view=MailsAnswer,
        rows=lambda _, answer: answer.mails,
        title=lazy_gettext("Sent mails"),
        counted=lambda total: ngettext("%(num)d mail", "%(num)d mails", total),
        period=Days(),
        search=Search(placeholder=lazy_gettext("E-mail address"), parameter="email"),
        filters=(
            FilterBy(
                name="state", label=lazy_gettext("State"), words={key: word for key, (word, _) in _STATES.items()}
            ),
            FilterBy(name="kind", label=lazy_gettext("Kind"), words=KINDS),
        ),
        columns=(
            ListColumn(
                title=lazy_gettext("To"),
                below=lazy_gettext("Kind"),
                role="title",
                longest=300,
                cell=lambda each, _: cells.cell(each.email, each.title),
            ),
            ListColumn(title=lazy_gettext("Subject"), longest=300, cell=lambda each, _: each.subject),
            ListColumn(title=lazy_gettext("State"), cell=_state),
            ListColumn(title=lazy_gettext("Attempts"), role="figure", cell=lambda each, _: str(each.attempts)),
            ListColumn(title=lazy_gettext("Last refusal"), longest=400, cell=lambda each, _: each.answer),
            ListColumn(title=lazy_gettext("Time"), cell=lambda each, _: cells.moment(each.created_at)),
        ),
        empty=lazy_gettext("No mail was sent in this time."),
    ),
)
