"""The page of a rule: its conditions, its look back, its actions (docs/spec/console.md#rules)."""

from typing import Final

from trackyard.api.statistics.automation import rules
from trackyard.base.errors import RequestCancelled, RequestError
from trackyard.base.texts.marks import gettext
from trackyard.console.deferred.refused import refused_part
from trackyard.console.frame.answers import Html, PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists.page import make_table
from trackyard.console.staff.faults import fault_of
from trackyard.console.statistics.rules.firings import FIRINGS_OF_RULE, PAST_FIRINGS
from trackyard.console.statistics.rules.words import PATH, rule_values

pages = Pages()

_SHOWN_FIRINGS: Final = "20"


@pages.get(f"{PATH}/{{id}}", needs=(rules.get,))
def rule(request: PageRequest) -> PageAnswer:
    """Show a rule and its last firings."""
    return _page(request)


@pages.post(f"{PATH}/{{id}}", needs=(rules.get, rules.edit))
def switch(request: PageRequest) -> PageAnswer:
    """Switch a rule on or off."""
    is_on = request.field("do") == "on"
    try:
        request.calls.ask(rules.edit, [("is_on", "1" if is_on else "0")], _place(request))
    except RequestError as refusal:
        return _page(request, fault_of(refusal), refusal.status)
    message = gettext("The rule is on.") if is_on else gettext("The rule is off. What it did stays done.")
    return Redirect(PATH if request.field("back") == "list" else f"{PATH}/{request.key}", message)


@pages.get(f"{PATH}/{{id}}/look-back", needs=(rules.get, rules.look_back))
def look_back(request: PageRequest) -> PageAnswer:
    """Show what a rule would have done in the last 30 days, behind the page: it reads every hour of them."""
    values = {
        **rule_values(request, _find(request)),
        "may_write": request.calls.may(rules.edit),
        "api_request_path": request.calls.address(rules.look_back, path=_place(request)),
    }
    return Html("statistics/rules/look_back.html", values, late=lambda: _past_firings(request))


def _past_firings(request: PageRequest) -> Html:
    try:
        found = request.calls.ask(rules.look_back, path=_place(request))
    except RequestCancelled:
        raise
    except RequestError as refusal:
        return refused_part(refusal, request.address)
    shown = make_table(PAST_FIRINGS, request, found.firings)
    return Html("statistics/rules/past_firings.html", {"total": found.total, "shown": shown})


@pages.get(f"{PATH}/{{id}}/remove", needs=(rules.get, rules.remove))
def ask_removal(request: PageRequest) -> PageAnswer:
    """Ask whether a rule is to be removed."""
    return request.page("statistics/rules/remove.html", rule=_find(request))


@pages.post(f"{PATH}/{{id}}/remove", needs=(rules.get, rules.remove))
def remove(request: PageRequest) -> PageAnswer:
    """Remove a rule, and undo what it did."""
    removed = request.calls.ask(rules.remove, path=_place(request)).rule
    return Redirect(PATH, gettext("%(rule)s is removed, and what it did is undone.", rule=removed.title))


def _page(request: PageRequest, fault: str = "", status: int = 200) -> Html:
    found = _find(request)
    sent = [("rule", found.id), ("limit", _SHOWN_FIRINGS)]
    firings = request.calls.ask(rules.list_firings, sent)
    return request.page(
        "statistics/rules/one.html",
        status,
        **rule_values(request, found),
        shown=make_table(FIRINGS_OF_RULE, request, firings.firings),
        total=firings.pagination.total_count,
        may_write=request.calls.may(rules.edit),
        fault=fault,
        api_request_path=request.calls.address(rules.get, path=_place(request)),
    )


def _place(request: PageRequest) -> dict[str, str]:
    return {"id": request.key}


def _find(request: PageRequest) -> rules.RuleView:
    return request.calls.ask(rules.get, path=_place(request)).rule
