"""The list of rules, and what they found last (docs/spec/console.md#rules)."""

from typing import Final

from trackyard.api.statistics.automation import rules as rules_api
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import list_file
from trackyard.console.staff.faults import fault_of
from trackyard.console.staff.lists import read_list
from trackyard.console.staff.rules.words import PATH, firing_line, rule_line

pages = Pages()

_MOST_RULES: Final = "400"
FIRINGS: Final = f"{PATH}/firings"


@pages.get(PATH, needs=(rules_api.list_,))
def rules(request: PageRequest) -> PageAnswer:
    """Show every rule."""
    if (file := list_file(request, rules_api.list_, lambda answer: answer.rules, ())) is not None:
        return file
    found = request.calls.ask(rules_api.list_, [("limit", _MOST_RULES)]).rules
    return request.page(
        "staff/rules/list.html",
        rows=[rule_line(request, each) for each in found],
        may_write=request.calls.may(rules_api.add),
        api_request_path=request.calls.address(rules_api.list_),
    )


@pages.get(FIRINGS, needs=(rules_api.list_firings,))
def firings(request: PageRequest) -> PageAnswer:
    """Show what rules found and did, the newest first."""
    return _firings(request)


@pages.post(f"{FIRINGS}/{{id}}", needs=(rules_api.list_firings, rules_api.undo))
def undo(request: PageRequest) -> PageAnswer:
    """Undo a firing."""
    try:
        request.calls.ask(rules_api.undo, path={"id": request.key})
    except RequestError as refusal:
        return _firings(request, fault_of(refusal), refusal.status)
    return Redirect(FIRINGS, gettext("It is undone. The rule does not fire again for this cause."))


def _firings(request: PageRequest, fault: str = "", status: int = 200) -> PageAnswer:
    state = read_list(request.address, ())
    if (file := list_file(request, rules_api.list_firings, lambda answer: answer.firings, state.sent())) is not None:
        return file
    found = request.calls.ask(rules_api.list_firings, state.sent())
    return request.page(
        "staff/rules/firings.html",
        status,
        rows=[firing_line(request, each) for each in found.firings],
        may_undo=request.calls.may(rules_api.undo),
        fault=fault,
        api_request_path=request.calls.address(rules_api.list_firings, state.sent()),
        **state.shown(found.pagination.total_count),
    )
