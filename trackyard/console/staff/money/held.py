"""Changes that wait for a second person (docs/spec/money.md#second-person)."""

from collections.abc import Iterable
from typing import Final

from trackyard.api.money import held_changes as held_changes_api
from trackyard.api.people.affiliate_view import AffiliateSystemView
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.answers import Html, PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.faults import fault_of
from trackyard.console.staff.lists import ListFilter, read_list
from trackyard.console.staff.money.words import HELD_MARKS, HELD_STATES, read_or_fault
from trackyard.console.staff.people_names import affiliate_names, full_name

pages = Pages()

PATH: Final = "/console/payments/held"


@pages.get(PATH, needs=(held_changes_api.list_,))
def held_changes(request: PageRequest) -> PageAnswer:
    """Show held changes; only waiting changes unless the address selects others."""
    return _page(request)


@pages.post("/console/payments/held/{id}", needs=(held_changes_api.list_, held_changes_api.confirm))
def decide(request: PageRequest) -> PageAnswer:
    """Confirm a held change with the password of the account, or refuse it."""
    number, is_confirmed = request.key, request.field("do") == "confirm"
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
    return request.page(
        "staff/held_changes.html",
        status,
        rows=found,
        names=affiliate_names(calls, (each.pid for each in found)),
        states=HELD_STATES,
        marks=HELD_MARKS,
        in_words=_systems,
        own=request.person.caller.account.id,
        faults={refused: fault},
        full_name=full_name,
        fault=wrong or fault,
        api_request_path=calls.address(held_changes_api.list_, sent),
        **state.shown(total),
    )


def _systems(systems: Iterable[AffiliateSystemView]) -> str:
    """Return payment systems with their fields, one a line."""
    lines = (" · ".join([each.system, each.currency, *each.fields.values()]) for each in systems)
    return "\n".join(lines) or gettext("none")
