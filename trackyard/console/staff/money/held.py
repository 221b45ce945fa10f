"""Changes that wait for a second person (docs/spec/money.md#second-person)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from trackyard.api.money import held_changes as held_changes_api
from trackyard.api.money.held_changes import HeldChangeView
from trackyard.api.people.affiliate_view import AffiliateSystemView
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext
from trackyard.console.frame import shown
from trackyard.console.frame.answers import Html, PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.faults import fault_of
from trackyard.console.staff.lists import ListFilter, read_list
from trackyard.console.staff.money.words import HELD_MARKS, HELD_STATES, read_or_fault
from trackyard.console.staff.people_names import affiliate_names, manager_name

pages = Pages()

PATH: Final = "/console/payments/held"


@dataclass(frozen=True, slots=True)
class HeldLine:
    """A held change. systems, before: payment systems in words. fault: why its confirmation was refused."""

    id: str
    affiliate: int
    name: str
    payment: int | None
    amount: str
    systems: str
    before: str
    author: str
    asked: str
    state: str
    mark: str
    decided: str
    waits: bool
    is_own: bool
    fault: str


@pages.get(PATH, needs=(held_changes_api.list_,))
def held_changes(request: PageRequest) -> PageAnswer:
    """Show held changes, those that wait unless the address says otherwise."""
    return _page(request)


@pages.post("/console/payments/held/{id}", needs=(held_changes_api.list_, held_changes_api.confirm))
def decide(request: PageRequest) -> PageAnswer:
    """Confirm a held change with the password of the account, or refuse it."""
    number, is_confirmed = request.path["id"], request.field("do") == "confirm"
    method = held_changes_api.confirm if is_confirmed else held_changes_api.refuse
    sent = [("password", request.field("password"))] if is_confirmed else []
    try:
        found = request.calls.ask(method, sent, {"id": number}).held_change
    except RequestError as refusal:
        return _page(request, number, fault_of(refusal), refusal.status)
    pid = found.pid
    if is_confirmed:
        return Redirect(PATH, gettext("The change for affiliate %(pid)s is confirmed, and made.", pid=pid))
    return Redirect(PATH, gettext("The change for affiliate %(pid)s is refused: nothing is changed.", pid=pid))


def _page(request: PageRequest, refused: str = "", fault: str = "", status: int = 200) -> Html:
    """Return the list. refused: the change that was not confirmed."""
    calls = request.calls
    filters = (
        ListFilter("state", gettext("State"), "state[]", tuple(HELD_STATES.items())),
        ListFilter("affiliate", gettext("Affiliate number"), "pid[]", None, "number"),
    )
    state = read_list(request.address, filters)
    sent = state.sent()
    if not state.is_filtered:
        sent.append(("state[]", "waiting"))
    found, total, wrong = read_or_fault(request, held_changes_api.list_, lambda answer: answer.held_changes, sent)
    names = affiliate_names(calls, (each.pid for each in found))
    return request.page(
        "staff/held_changes.html",
        status,
        rows=[_line(request, each, names, fault if each.id == refused else "") for each in found],
        fault=wrong or fault,
        api_request_path=calls.address(held_changes_api.list_, sent),
        **state.shown(total),
    )


def _line(request: PageRequest, change: HeldChangeView, names: Mapping[int, str], fault: str) -> HeldLine:
    decided = ""
    if change.decided_by:
        decided = f"{manager_name(change.decided_by)}, {request.time_of(change.decided_at)}"
    has_amount = change.amount is not None
    return HeldLine(
        id=change.id,
        affiliate=change.pid,
        name=names.get(change.pid, f"#{change.pid}"),
        payment=change.payment_id,
        amount=shown.money(change.amount, change.currency or "") if has_amount else "",
        systems=_systems(change.payment_systems),
        before=_systems(change.payment_systems_before or ()),
        author=manager_name(change.author) or change.author.id,
        asked=request.time_of(change.created_at),
        state=HELD_STATES[change.state],
        mark=HELD_MARKS[change.state],
        decided=decided,
        waits=change.state == "waiting",
        is_own=change.author.id == request.person.caller.account.id,
        fault=fault,
    )


def _systems(systems: Iterable[AffiliateSystemView]) -> str:
    """Return payment systems with their fields, one a line."""
    lines = (" · ".join([each.system, each.currency, *each.fields.values()]) for each in systems)
    return "\n".join(lines) or gettext("none")
