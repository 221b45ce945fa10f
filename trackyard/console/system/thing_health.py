"""The health of an offer, an advertiser or an affiliate (docs/spec/console.md#health-of-one-thing)."""

from typing import Final

from markupsafe import Markup

from trackyard.actions.deps import Deps
from trackyard.api.statistics import health
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.charts.histograms import HistogramChart, TimeBucket, histogram_chart
from trackyard.console.charts.svg import chart_box
from trackyard.console.charts.tables import table_behind
from trackyard.console.frame.answers import Html, PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.traffic.postbacks.words import fault_words
from trackyard.console.staff.traffic.reasons import rejection_label
from trackyard.console.staff.traffic.words import lasting
from trackyard.wire.endpoint import Endpoint

pages = Pages()

_TONES: Final = {"fine": "confirmed", "quiet": "pending", "look": "pending", "broken": "declined"}
"""Verdict to the tone of its mark."""
VERDICT_WORDS: Final = {
    "fine": lazy_gettext("fine"),
    "quiet": lazy_gettext("quiet"),
    "look": lazy_gettext("needs a look"),
    "broken": lazy_gettext("broken"),
}


@pages.get("/console/offers/{id}/health", needs=(health.of_offer,))
def of_offer(request: PageRequest) -> PageAnswer:
    """Show the health of an offer."""
    return _page(request, health.of_offer, "/console/offers", gettext("offer"))


@pages.get("/console/advertisers/{id}/health", needs=(health.of_advertiser,))
def of_advertiser(request: PageRequest) -> PageAnswer:
    """Show the health of an advertiser."""
    return _page(request, health.of_advertiser, "/console/advertisers", gettext("advertiser"))


@pages.get("/console/affiliates/{id}/health", needs=(health.of_affiliate,))
def of_affiliate(request: PageRequest) -> PageAnswer:
    """Show the health of an affiliate."""
    return _page(request, health.of_affiliate, "/console/affiliates", gettext("affiliate"))


def _page(request: PageRequest, method: Endpoint[Deps, health.HealthAnswer], place: str, noun: str) -> PageAnswer:
    key = request.key
    values = {
        "title": gettext("Health of %(noun)s %(id)s", noun=noun, id=key),
        "back": f"{place}/{key}" if request.may_open(place) else "",
        "api_request_path": request.calls.address(method, path={"id": key}),
    }
    return Html("system/thing_health.html", values, late=lambda: _seen(request, method, place))


def _seen(request: PageRequest, method: Endpoint[Deps, health.HealthAnswer], place: str) -> Html:
    """Return the part of the page that waits for statistics."""
    key = request.key
    found = request.calls.ask(method, path={"id": key}).health
    may_explain = request.may_open("/console/find")
    values = {
        "seen": found,
        "tone": _TONES[found.verdict],
        "findings": [
            (each.sentence, _TONES[each.verdict], VERDICT_WORDS[each.verdict], _evidence(each, may_explain))
            for each in found.findings
        ],
        "postbacks": [(each.response, fault_words(each.response)[0], each.number) for each in found.postbacks],
        "clickless": None if place == "/console/affiliates" else _clickless(found, may_explain),
        "rejected": [(rejection_label(each.reason), each.clicks) for each in found.rejected],
        "subs": _subs(request, found.subs, place, key),
        "times": _times(found.conversion_times),
        "spread": _spread(found.conversion_times),
        "url_checked": request.time_of(found.offer_url.checked_at) if found.offer_url else "",
        "last_click": request.time_of(found.last_click_at) if found.last_click_at else "",
        "last_postback": request.time_of(found.last_postback_at) if found.last_postback_at else "",
        "last_failed": _last_failed(request, found.last_failed_postback),
    }
    return Html("system/health_seen.html", values)


def _last_failed(request: PageRequest, found: health.HealthPostbacks | None) -> tuple[str, str, str] | None:
    """Return when the last postback changed nothing, its answer, and what explains it; or None."""
    if found is None:
        return None
    link = f"/console/find?q={found.last_id}" if request.may_open("/console/find") else ""
    return request.time_of(found.last_at), found.response, link


def _clickless(found: health.HealthView, may_explain: bool) -> list[tuple[str, str, int]]:
    """Return each answer to postbacks without a click, what explains the last one, and their number."""
    return [
        (each.response, f"/console/find?q={each.last_id}" if may_explain else "", each.number)
        for each in found.postbacks_without_click
    ]


def _subs(
    request: PageRequest, found: list[health.HealthSub], place: str, key: str
) -> list[tuple[health.HealthSub, str, str]]:
    """Return the subs in use, each with the report of its values and what its values are, in words."""
    filtered = {"/console/offers": f"&f.offer={key}", "/console/advertisers": f"&f.advertiser={key}"}.get(place, "")
    report = request.may_open("/console/reports")
    return [
        (
            each,
            f"/console/reports?by={each.sub}&f.affiliate={each.affiliate}{filtered}" if report else "",
            gettext("ids of clicks: nearly each click has its own") if each.is_id else "",
        )
        for each in found
    ]


def _times(found: health.HealthTimes | None) -> tuple[str, str] | None:
    """Return the time from click to conversion of the last days and the usual one, or None."""
    if found is None:
        return None
    return (
        lasting(found.median) if found.conversions else "",
        lasting(found.usual_median) if found.usual_conversions else "",
    )


def _spread(found: health.HealthTimes | None) -> Markup:
    """Return the histogram of the times from click to conversion and its table; empty without any."""
    if found is None:
        return Markup("")
    buckets = tuple(TimeBucket(each.seconds, each.below, each.conversions) for each in found.spread)
    chart = HistogramChart(gettext("From click to conversion"), buckets)
    return chart_box(histogram_chart, chart, "times") + table_behind(chart)


def _evidence(finding: health.HealthFindingView, may_explain: bool) -> str:
    """Return the address of the page that explains an example; "" without one."""
    _, found, key = finding.evidence.partition("id=")
    return f"/console/find?q={key}" if found and may_explain else ""
