"""The list of alerts, each with its evidence (docs/spec/console.md#alerts)."""

from typing import Final

from trackyard.api.platform.alerts import alerts as alerts_api
from trackyard.api.platform.alerts.alerts import AlertsAnswer, AlertView
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame.pages import Pages
from trackyard.console.lists import cells
from trackyard.console.lists.cells import ListCell, PageLink
from trackyard.console.lists.declared import ListColumn, ListPage, On
from trackyard.console.lists.filters import FilterBy
from trackyard.console.lists.page import declare_list
from trackyard.domain.platform.alerts.kinds import AlertKind

pages = Pages()

PATH: Final = "/console/alerts"
_OVER: Final = lazy_gettext("over")
_STATES: Final = {"open": lazy_gettext("open"), "closed": _OVER, "all": lazy_gettext("open or over")}
_SEVERITIES: Final = {
    "error": (lazy_gettext("error"), "declined"),
    "warning": (lazy_gettext("needs a look"), "pending"),
}
"""Severity to its word and the class of its mark."""


def _what(each: AlertView, on: On) -> ListCell:
    advice = f" \N{MIDDLE DOT} {each.advice}" if each.advice and each.state == "open" else ""
    return cells.cell(each.sentence, f"{each.title}{advice}", link=each.link.removeprefix(on.request.deps.api_url))


def _state(each: AlertView, _on: On) -> ListCell:
    word, mark = _SEVERITIES[each.severity] if each.state == "open" else (_OVER, "confirmed")
    return cells.status(str(word), mark)


def _since(each: AlertView, on: On) -> ListCell:
    until = on.request.time_of(each.closed_at)
    return cells.cell(on.request.time_of(each.opened_at), gettext("until %(time)s", time=until) if until else "")


ALERTS: Final = ListPage[AlertView, AlertsAnswer](
    path=PATH,
    method=alerts_api.list_,
    view=AlertsAnswer,
    rows=lambda _, answer: answer.alerts,
    title=lazy_gettext("Alerts"),
    counted=lambda total: ngettext("%(num)d alert.", "%(num)d alerts.", total),
    about=lazy_gettext("Each cause has one alert, from the first time it was seen until it is gone."),
    filters=(
        FilterBy(name="state", label=lazy_gettext("State"), words=_STATES),
        FilterBy(name="kind", label=lazy_gettext("Kind"), words={kind.value: kind.label for kind in AlertKind}),
    ),
    columns=(
        ListColumn(title=lazy_gettext("What"), below=lazy_gettext("Advice"), role="title", longest=300, cell=_what),
        ListColumn(title=lazy_gettext("State"), cell=_state),
        ListColumn(title=lazy_gettext("Since"), below=lazy_gettext("Until"), cell=_since),
    ),
    links=lambda _: [PageLink(gettext("Mails and quiet hours"), f"{PATH}/choices")],
    empty=lazy_gettext("Nothing needs you now."),
    empty_links=lambda _: [PageLink(gettext("Show what is over, too"), f"{PATH}?state=all")],
)
declare_list(pages, ALERTS)
