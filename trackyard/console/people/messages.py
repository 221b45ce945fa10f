"""Messages to affiliates: list, draft, preview and time (docs/spec/messages.md)."""

from collections.abc import Mapping
from typing import Final

from trackyard.api.platform import messages as api
from trackyard.api.platform.messages import WrittenMessagesAnswer, WrittenMessageView
from trackyard.base.errors import Conflict, TooManyRequests
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.forms import FieldChoices, FormField, FormGroup, FormPlan, open_form
from trackyard.console.frame.address import back_to
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import ListCell, PageLink
from trackyard.console.lists.declared import ListColumn, ListPage, On
from trackyard.console.lists.filters import FilterBy
from trackyard.console.lists.objects import AFFILIATES, MANAGERS, OFFERS
from trackyard.console.lists.page import declare_list
from trackyard.console.offers_shown.words import joined
from trackyard.console.staff.affiliates.words import STATUSES
from trackyard.console.staff.faults import fault_of
from trackyard.domain.platform.messages import MessageState

pages = Pages()

PATH: Final = "/console/messages"
NEW: Final = f"{PATH}/new"
_ONE: Final = f"{PATH}/{{id}}"
STATES: Final[Mapping[str, tuple[str, str]]] = {
    MessageState.DRAFT: (lazy_gettext("Draft"), "pending"),
    MessageState.PLANNED: (lazy_gettext("Waits for its time"), "pending"),
    MessageState.SENDING: (lazy_gettext("Being sent"), "active"),
    MessageState.SENT: (lazy_gettext("Sent"), "confirmed"),
    MessageState.CANCELLED: (lazy_gettext("Cancelled"), "declined"),
}
"""State of a message to its word and the class of its mark."""
_LIST_HELP: Final = lazy_gettext("Several with commas. Empty means any.")
_GROUPS: Final = (
    FormGroup(
        lazy_gettext("Message"),
        (
            FormField("title", wide=True, label=lazy_gettext("Subject"), help=""),
            FormField(
                "text",
                widget="long",
                wide=True,
                label=lazy_gettext("Text"),
                help=lazy_gettext("The mail greets each person before it. {name} becomes the name of the person."),
            ),
        ),
    ),
    FormGroup(
        lazy_gettext("Who gets it"),
        (
            FormField("offer_ids", widget="words", label=lazy_gettext("Connected to offers"), help=_LIST_HELP),
            FormField("tags", widget="words", label=lazy_gettext("Tags"), help=_LIST_HELP),
            FormField("countries", widget="words", label=lazy_gettext("Countries"), help=_LIST_HELP),
            FormField("managers", widget="checks", label=lazy_gettext("Managers"), help=""),
            FormField("statuses", widget="checks", label=lazy_gettext("Status"), help="", words=STATUSES),
            FormField("affiliate_ids", widget="words", label=lazy_gettext("Numbers of affiliates"), help=_LIST_HELP),
        ),
        help=lazy_gettext("Affiliates that meet every condition. Without a status only active ones get it."),
    ),
)
_TIME: Final = FormPlan(
    api.send,
    (
        FormGroup(
            lazy_gettext("When"),
            (
                FormField(
                    "send_at",
                    widget="moment",
                    zoned=True,
                    label=lazy_gettext("Send at"),
                    help=lazy_gettext("Empty sends it now. Who gets it is decided when it is sent."),
                ),
            ),
        ),
    ),
)


def _when(each: WrittenMessageView, on: On) -> ListCell:
    return cells.moment(each.sent_at or each.send_at)


def _people(each: WrittenMessageView, _on: On) -> ListCell:
    if not each.people:
        return ListCell()
    return cells.count(each.people, ngettext("%(num)d mail", "%(num)d mails", each.mails))


def _state(each: WrittenMessageView, _on: On) -> ListCell:
    word, mark = STATES[each.state]
    return cells.status(str(word), mark)


MESSAGES: Final = ListPage[WrittenMessageView, WrittenMessagesAnswer](
    path=PATH,
    method=api.list_,
    view=WrittenMessagesAnswer,
    rows=lambda _, answer: answer.messages,
    title=lazy_gettext("Messages to affiliates"),
    counted=lambda total: ngettext("%(num)d message.", "%(num)d messages.", total),
    about=lazy_gettext("Each person gets a message once, by mail and by the bell."),
    main=lambda _: PageLink(gettext("Write to affiliates"), NEW),
    filters=(
        FilterBy(name="state", label=lazy_gettext("State"), words={state: word for state, (word, _) in STATES.items()}),
    ),
    columns=(
        ListColumn(
            title=lazy_gettext("Subject"),
            below=lazy_gettext("Written by"),
            role="title",
            longest=200,
            cell=lambda each, _: cells.cell(each.title, each.author_name, link=f"{PATH}/{each.id}"),
        ),
        ListColumn(title=lazy_gettext("State"), cell=_state),
        ListColumn(title=lazy_gettext("Sent"), cell=_when),
        ListColumn(title=lazy_gettext("People"), below=lazy_gettext("Mails"), role="figure", cell=_people),
    ),
    empty=lazy_gettext("No message is written yet."),
    empty_links=lambda _: [PageLink(gettext("Write to affiliates"), NEW)],
)
declare_list(pages, MESSAGES)


def _choices(request: PageRequest) -> FieldChoices:
    return {"managers": MANAGERS.choices(request.calls)} if request.calls.may(MANAGERS.method) else {}


@pages.get(NEW, needs=(api.list_, api.add))
@pages.post(NEW, needs=(api.list_, api.add))
def new_message(request: PageRequest) -> PageAnswer:
    """Write a draft; the address may name affiliates and an offer."""
    named = {"affiliate_ids": request.address.all("affiliate"), "offer_ids": request.address.all("offer")}
    form = open_form(request, FormPlan(api.add, _GROUPS), named, choices=_choices(request), is_new=True)
    answer = form.save()
    if answer is not None:
        return Redirect(f"{PATH}/{answer.message.id}")
    return form.page(
        request,
        gettext("Write to affiliates"),
        back=back_to(PATH, request.address.get("back")),
        line=gettext("The next page shows the mail and how many people get it. Nothing is sent before."),
        save=gettext("Go on"),
    )


@pages.get(f"{_ONE}/edit", needs=(api.show, api.edit))
@pages.post(f"{_ONE}/edit", needs=(api.show, api.edit))
def edit_message(request: PageRequest) -> PageAnswer:
    """Change a draft."""
    found = request.calls.ask(api.show, path=request.path).message
    place = f"{PATH}/{found.id}"
    if found.state != MessageState.DRAFT:
        return Redirect(place)
    plan = FormPlan(api.edit, _GROUPS)
    form = open_form(request, plan, found, choices=_choices(request), path=request.path)
    if form.save() is not None:
        return Redirect(place, gettext("The draft is saved."))
    return form.page(request, gettext("Edit the message"), back=place, line=gettext("Nothing is saved yet."))


@pages.get(_ONE, needs=(api.show, api.preview))
@pages.post(_ONE, needs=(api.show, api.preview, api.send))
def show_message(request: PageRequest) -> PageAnswer:
    """Show a message with its people; a draft with the button that sends it."""
    found = request.calls.ask(api.show, path=request.path).message
    place = f"{PATH}/{found.id}"
    if found.state != MessageState.DRAFT:
        values = _values(request, found)
        return request.page("people/message.html", 200, written=found, back=PATH, place=place, **values)
    form = open_form(request, _TIME, {}, path=request.path, is_new=True)
    try:
        answer = form.save()
    except (Conflict, TooManyRequests) as refusal:
        form.refuse(refusal)
        answer = None
    if answer is not None:
        return Redirect(place, _done(request, answer.message))
    return form.page(
        request,
        found.title,
        back=PATH,
        line=gettext("A draft: nothing is sent yet."),
        save=gettext("Send"),
        template="people/message_draft.html",
        written=found,
        place=place,
        **_values(request, found),
    )


@pages.post(f"{_ONE}/cancel", needs=(api.show, api.cancel))
def cancel_message(request: PageRequest) -> PageAnswer:
    """Make a message that waits for its time a draft again."""
    place = f"{PATH}/{request.key}"
    try:
        request.calls.ask(api.cancel, path=request.path)
    except Conflict as refusal:
        return Redirect(place, fault_of(refusal))
    return Redirect(place, gettext("The message is a draft again, and is not sent."))


@pages.post(f"{_ONE}/remove", needs=(api.show, api.remove))
def remove_message(request: PageRequest) -> PageAnswer:
    """Remove a draft."""
    try:
        request.calls.ask(api.remove, path=request.path)
    except Conflict as refusal:
        return Redirect(f"{PATH}/{request.key}", fault_of(refusal))
    return Redirect(PATH, gettext("The draft is removed."))


def _done(request: PageRequest, sent: WrittenMessageView) -> str:
    if not request.field("send_at"):
        return gettext("The message is on its way.")
    return gettext("The message is sent %(time)s.", time=request.time_of(sent.send_at))


def _values(request: PageRequest, found: WrittenMessageView) -> dict[str, object]:
    """Return the values of both pages of a message: the mail, its people, and the conditions."""
    preview = request.calls.ask(api.preview, path=request.path)
    people = ngettext("%(num)d person gets it now", "%(num)d people get it now", preview.people)
    word, mark = STATES[found.state]
    return {
        "preview": preview,
        "people": people,
        "mails": ngettext("%(num)d by mail.", "%(num)d by mail.", preview.mails),
        "names": joined(preview.names, "and"),
        "more": preview.affiliates - len(preview.names),
        "conditions": _conditions(request, found),
        "state": word,
        "mark": mark,
        "sent_people": ngettext("%(num)d person has it", "%(num)d people have it", found.people),
        "send_at": request.time_of(found.send_at),
        "sent_at": request.time_of(found.sent_at),
    }


def _conditions(request: PageRequest, found: WrittenMessageView) -> list[tuple[str, str]]:
    """Return the conditions of an audience in words, each with its label."""
    calls = request.calls
    first = found.affiliate_ids[:_MOST_NAMES]
    offers, affiliates = OFFERS.names(calls, found.offer_ids), AFFILIATES.names(calls, first)
    managers = MANAGERS.names(calls, found.managers)
    others = len(found.affiliate_ids) - _MOST_NAMES
    named = [affiliates.get(str(each), str(each)) for each in first]
    if others > 0:
        named.append(ngettext("%(num)d more", "%(num)d more", others))
    shown = (
        (gettext("Connected to offers"), [offers.get(str(each), str(each)) for each in found.offer_ids]),
        (gettext("Tags"), found.tags),
        (gettext("Countries"), found.countries),
        (gettext("Managers"), [managers.get(each, each) for each in found.managers]),
        (gettext("Status"), [str(STATUSES[each]) for each in found.statuses or ["active"]]),
        (gettext("Affiliates"), named),
    )
    return [(label, ", ".join(values)) for label, values in shown if values]


_MOST_NAMES: Final = 20
