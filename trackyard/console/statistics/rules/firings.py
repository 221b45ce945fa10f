"""What rules found and did, and how it is undone (docs/spec/console.md#rules)."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from trackyard.actions.statistics.automation.words import ACTION_NAMES, SLICE_NAMES
from trackyard.api.statistics.automation import rules as rules_api
from trackyard.api.statistics.automation.rules import FiringsAnswer, FiringView
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import Act, ListCell, PageLink
from trackyard.console.lists.declared import ListColumn, ListPage, On
from trackyard.console.lists.page import answer_list, declare_list
from trackyard.console.staff.faults import fault_of
from trackyard.console.statistics.rules.words import PATH
from trackyard.domain.statistics.automation.rules import RuleAction

pages = Pages()

_PATH: Final = f"{PATH}/firings"
_PLACES: Final = {
    "offer": "/console/offers",
    "affiliate": "/console/affiliates",
    "advertiser": "/console/advertisers",
}


def _found(each: FiringView, _on: On) -> ListCell:
    return cells.cell(each.summary, *_links(each))


def _links(each: FiringView) -> Iterator[PageLink]:
    """Yield the pages of what a firing is about."""
    for name, place in _PLACES.items():
        if name in each.element:
            yield PageLink(f"{SLICE_NAMES[name]} {each.element[name]}", f"{place}/{each.element[name]}")


def _window(each: FiringView, on: On) -> str:
    return f"{on.request.time_of(each.since)} \N{EN DASH} {on.request.time_of(each.until)}"


def _action(each: FiringView, _on: On) -> str:
    return str(ACTION_NAMES[RuleAction(each.action)])


def _done(each: FiringView, on: On) -> ListCell:
    if not each.changed:
        effect = gettext("nothing was changed")
    elif "conversions" in each.changed:
        effect = ngettext("%(num)d conversion changed", "%(num)d conversions changed", each.changed_conversions)
    else:
        effect = _action(each, on)
    if each.undone_at is not None:
        return cells.cell(effect, gettext("undone %(at)s", at=on.request.time_of(each.undone_at)))
    undo = Act(gettext("Undo"), f"{_PATH}/{each.id}", about=gettext("Undo: %(what)s", what=each.summary))
    return ListCell(effect, acts=(undo,) if on.request.calls.may(rules_api.undo) else ())


_FOUND: Final = ListColumn[FiringView](
    title=lazy_gettext("Found"), below=lazy_gettext("Object"), role="title", longest=300, cell=_found
)
_RULE: Final = ListColumn[FiringView](
    title=lazy_gettext("Rule"), cell=lambda each, _: cells.cell(each.rule_title, link=f"{PATH}/{each.rule_id}")
)
_WINDOW: Final = ListColumn[FiringView](
    title=lazy_gettext("Window"),
    below=lazy_gettext("Time"),
    cell=lambda each, on: cells.cell(_window(each, on), on.request.time_of(each.fired_at)),
)
_DONE: Final = ListColumn[FiringView](title=lazy_gettext("Done"), below=lazy_gettext("Undone"), cell=_done)
FIRINGS_OF_RULE: Final = (_FOUND, _WINDOW, _DONE)
"""The columns on the page of one rule."""
PAST_FIRINGS: Final = (
    _FOUND,
    replace(_WINDOW, cell=_window),
    replace(_DONE, title=lazy_gettext("Would be done"), cell=_action),
)
"""The columns of a look back, which changed nothing."""
FIRINGS: Final = ListPage[FiringView, FiringsAnswer](
    path=_PATH,
    method=rules_api.list_firings,
    view=FiringsAnswer,
    rows=lambda _, answer: answer.firings,
    title=lazy_gettext("What rules found"),
    counted=lambda total: ngettext("%(num)d cause.", "%(num)d causes.", total),
    about=lazy_gettext("Each cause is found once, the newest first."),
    columns=(_FOUND, _RULE, _WINDOW, _DONE),
    links=lambda _: [PageLink(gettext("Rules"), PATH)],
    empty=lazy_gettext("No rule has found anything yet."),
)
declare_list(pages, FIRINGS)


@pages.post(f"{_PATH}/{{id}}", needs=(rules_api.list_firings, rules_api.undo))
def undo_firing(request: PageRequest) -> PageAnswer:
    """Undo a firing."""
    try:
        request.calls.ask(rules_api.undo, path={"id": request.key})
    except RequestError as refusal:
        return answer_list(FIRINGS, request, fault_of(refusal), refusal.status)
    return Redirect(_PATH, gettext("It is undone. The rule does not fire again for this cause."))
