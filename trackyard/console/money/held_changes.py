"""Changes that wait for a second person (docs/spec/money.md#second-person)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from trackyard.api.money import held_changes as held_changes_api
from trackyard.api.money.held_changes import HeldChangesAnswer, HeldChangeView
from trackyard.api.people.affiliate_view import AffiliateSystemView
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame import shown
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import ListCell, PageLink, Part
from trackyard.console.lists.declared import ListColumn, ListPage, On
from trackyard.console.lists.filters import FilterBy
from trackyard.console.lists.objects import AFFILIATES
from trackyard.console.lists.page import answer_list, declare_list
from trackyard.console.money.columns import AFFILIATE_TITLE
from trackyard.console.money.words import HELD_MARKS, HELD_STATES
from trackyard.console.staff.faults import fault_of
from trackyard.console.staff.people_names import full_name

pages = Pages()

PATH: Final = "/console/payments/held"


def _usual(request: PageRequest) -> tuple[Sequence[Pair], Mapping[str, str]]:
    """Return the state of an address without filters: only changes that wait."""
    is_filtered = any(request.address.get(name) for name in ("state", "affiliate"))
    return () if is_filtered else (("state[]", "waiting"),), {}


def _change(each: HeldChangeView, _on: On) -> ListCell:
    """Return the payment and where it goes to, or the payment systems before and after."""
    asked = systems_text(each.payment_systems)
    if each.payment_id and each.amount is not None:
        payment = PageLink(gettext("Payment %(id)s", id=each.payment_id), f"/console/payments/{each.payment_id}")
        amount = shown.money(each.amount, each.currency or "")
        return cells.cell(payment.text, amount, gettext("to: %(systems)s", systems=asked), link=payment.to)
    before = systems_text(each.payment_systems_before or ())
    return cells.cell(
        gettext("Other payment systems"),
        gettext("now: %(systems)s", systems=before),
        gettext("asked for: %(systems)s", systems=asked),
    )


def _decision(each: HeldChangeView, on: On) -> ListCell:
    """Return the form that decides a change that waits, or who decided it and when."""
    if each.state != "waiting":
        return cells.moment(each.decided_at, full_name(each.decided_by) if each.decided_by else "")
    name = on.object(AFFILIATES, each.pid).text
    is_own = each.author.id == on.request.person.caller.account.id
    return ListCell(part=Part("money/held_decision.html", {"row": each, "path": PATH, "name": name, "is_own": is_own}))


HELD_CHANGES: Final = ListPage[HeldChangeView, HeldChangesAnswer](
    path=PATH,
    method=held_changes_api.list_,
    view=HeldChangesAnswer,
    rows=lambda _, answer: answer.held_changes,
    title=lazy_gettext("Held changes"),
    counted=lambda total: ngettext("%(num)d change", "%(num)d changes", total) + ".",
    about=lazy_gettext("Payments and payment systems that another administrator confirms, with the own password."),
    links=lambda _: [PageLink(gettext("Payments"), "/console/payments")],
    variables=_usual,
    filters=(
        FilterBy(name="state", words=HELD_STATES),
        FilterBy(name="affiliate", parameter="pid", objects=AFFILIATES),
    ),
    columns=(
        AFFILIATE_TITLE,
        ListColumn(title=lazy_gettext("Change"), below=lazy_gettext("Payment systems"), cell=_change),
        ListColumn(
            title=lazy_gettext("Asked"),
            below=lazy_gettext("Author"),
            cell=lambda each, _: cells.moment(each.created_at, full_name(each.author) or each.author.id),
        ),
        ListColumn(
            title=lazy_gettext("State"),
            cell=lambda each, _: cells.status(str(HELD_STATES[each.state]), HELD_MARKS[each.state]),
        ),
        ListColumn(title=lazy_gettext("Decision"), role="act", cell=_decision),
    ),
    empty=lazy_gettext("No change waits for a second person."),
)
declare_list(pages, HELD_CHANGES)


@pages.post(f"{PATH}/{{id}}", needs=(held_changes_api.list_, held_changes_api.confirm))
def decide(request: PageRequest) -> PageAnswer:
    """Confirm a held change with the password of the account, or refuse it."""
    number, is_confirmed = request.key, request.field("do") == "confirm"
    method = held_changes_api.confirm if is_confirmed else held_changes_api.refuse
    sent = [("password", request.field("password"))] if is_confirmed else []
    try:
        found = request.calls.ask(method, sent, {"id": number}).held_change
    except RequestError as refusal:
        fault = fault_of(refusal)
        shown_at = replace(request, address=PageAddress(PATH))
        return answer_list(HELD_CHANGES, shown_at, fault, refusal.status, refused={number: fault})
    pid = found.pid
    if is_confirmed:
        return Redirect(PATH, gettext("The change for affiliate %(pid)s is confirmed, and made.", pid=pid))
    return Redirect(PATH, gettext("The change for affiliate %(pid)s is refused: nothing is changed.", pid=pid))


def systems_text(systems: Iterable[AffiliateSystemView]) -> str:
    """Return payment systems with their fields in words."""
    lines = (" · ".join([each.system, each.currency, *each.fields.values()]) for each in systems)
    return "; ".join(lines) or gettext("none")
