"""The list of alerts, each with its evidence (docs/spec/console.md#alerts)."""

from dataclasses import dataclass
from typing import Final

from trackyard.api.platform.alerts import alerts as alerts_api
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import list_file
from trackyard.console.staff.lists import ListFilter, read_list
from trackyard.domain.platform.alerts.kinds import AlertKind

pages = Pages()

PATH: Final = "/console/alerts"
_STATES: Final = (
    ("open", lazy_gettext("open")),
    ("closed", lazy_gettext("over")),
    ("all", lazy_gettext("open or over")),
)
_TONES: Final = {"error": "declined", "warning": "pending"}
_WORDS: Final = {"error": lazy_gettext("error"), "warning": lazy_gettext("needs a look")}


@dataclass(frozen=True, slots=True)
class AlertRow:
    """An alert of the list.

    until: "" while it is open. link: "" where the person may not open the evidence.
    """

    title: str
    sentence: str
    advice: str
    word: str
    tone: str
    since: str
    until: str
    link: str


@pages.get(PATH, needs=(alerts_api.list_,))
def alerts(request: PageRequest) -> PageAnswer:
    """Show alerts; only open alerts unless the address selects others."""
    kinds = tuple((kind.value, str(kind.label)) for kind in AlertKind)
    filters = (
        ListFilter("state", gettext("State"), "state", _STATES),
        ListFilter("kind", gettext("Kind"), "kind[]", kinds),
    )
    state = read_list(request.address, filters)
    if (file := list_file(request, alerts_api.list_, lambda answer: answer.alerts, state.sent())) is not None:
        return file
    found = request.calls.ask(alerts_api.list_, state.sent())
    return request.page(
        "staff/alerts/list.html",
        rows=[_row(request, each) for each in found.alerts],
        api_request_path=request.calls.address(alerts_api.list_, state.sent()),
        **state.shown(found.pagination.total_count),
    )


def _row(request: PageRequest, alert: alerts_api.AlertView) -> AlertRow:
    is_open = alert.state == "open"
    page = alert.link.removeprefix(request.deps.api_url)
    return AlertRow(
        title=alert.title,
        sentence=alert.sentence,
        advice=alert.advice if is_open else "",
        word=str(_WORDS[alert.severity]) if is_open else gettext("over"),
        tone=_TONES[alert.severity] if is_open else "confirmed",
        since=request.time_of(alert.opened_at),
        until=request.time_of(alert.closed_at) if alert.closed_at else "",
        link=page if request.may_open(page.partition("?")[0]) else "",
    )
