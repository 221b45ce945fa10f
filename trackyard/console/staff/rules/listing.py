"""The list of rules, and what they found last (docs/spec/console.md#rules)."""

from typing import Final

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


@pages.get(PATH, needs=("admin.rules.list",))
def rules(request: PageRequest) -> PageAnswer:
    """Show every rule."""
    if (file := list_file(request, "admin.rules.list", "rules", ())) is not None:
        return file
    found = request.calls.call("admin.rules.list", [("limit", _MOST_RULES)])["rules"]
    return request.page(
        "staff/rules/list.html",
        rows=[rule_line(request, each) for each in found],
        may_write=request.calls.may("admin.rule.add"),
        api_request_path=request.calls.address("admin.rules.list"),
    )


@pages.get(FIRINGS, needs=("admin.rule-firings.list",))
def firings(request: PageRequest) -> PageAnswer:
    """Show what rules found and did, the newest first."""
    return _firings(request)


@pages.post(f"{FIRINGS}/{{id}}", needs=("admin.rule-firings.list", "admin.rule-firing.undo"))
def undo(request: PageRequest) -> PageAnswer:
    """Undo a firing."""
    try:
        request.calls.call("admin.rule-firing.undo", path={"id": request.path["id"]})
    except RequestError as refusal:
        return _firings(request, fault_of(refusal), refusal.status)
    return Redirect(FIRINGS, gettext("It is undone. The rule does not fire again for this cause."))


def _firings(request: PageRequest, fault: str = "", status: int = 200) -> PageAnswer:
    state = read_list(request.address, ())
    if (file := list_file(request, "admin.rule-firings.list", "firings", state.sent())) is not None:
        return file
    found = request.calls.call("admin.rule-firings.list", state.sent())
    return request.page(
        "staff/rules/firings.html",
        status,
        rows=[firing_line(request, each) for each in found["firings"]],
        may_undo=request.calls.may("admin.rule-firing.undo"),
        fault=fault,
        api_request_path=request.calls.address("admin.rule-firings.list", state.sent()),
        **state.shown(found["pagination"]["total_count"]),
    )
