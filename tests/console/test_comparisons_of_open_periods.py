"""Changes count whole hours, figures the running hour too: every page that compares."""

import re

import pytest

from tests.support.api import NOW, Api
from tests.support.models.events import NOON, new_click
from tests.support.models.history import load_clicks
from tests.support.pages import Visitor, affiliate_visitor, console_app, staff_visitor
from trackyard.console.charts.changes import change_text
from trackyard.domain.statistics.metrics import MetricDirection

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
TABLE = (
    # shown, now, before, the text
    (4, 0, 0, "new"),
    (4, 4, 0, "new"),
    (0, 0, 0, "no change"),
    (5, 5, 5, "no change"),
    (9, 5, 5, ""),
    (12, 10, 5, "↑ 100 %"),
    (6, 3, 6, "↓ 50 %"),
    (6, 0, 6, "↓ 100 %"),
    (None, 5, 5, "no change"),
)
PAGES = (
    "/console/?period=today",
    "/console/?period=7d",
    "/console/?period=30d",
    "/console/reports?by=offer&period=today",
    "/console/reports?by=day&period=7d",
    "/console/offers/{offer}?period=today",
    "/console/affiliates/{pid}?period=7d",
    "/console/advertisers/{advertiser}?period=today",
    "/console/offers?period=today",
    "/console/affiliates?period=today",
    "/console/advertisers?period=today",
    "/portal/",
    "/portal/reports?by=offer&period=today",
)
"""Pages with a comparison of clicks."""


@pytest.mark.parametrize(("beside", "now", "before", "text"), TABLE)
def test_change_of_a_figure_that_moved_is_never_no_change(beside: int | None, now: int, before: int, text: str) -> None:
    assert change_text(now, before, MetricDirection.UP, shown=beside)[0] == text


def read(api: Api, hours: float, *clicks: tuple[int, float]) -> tuple[dict[str, str], int]:
    """The text of each page at a time of the day. clicks: their number, and hours before that time."""
    api.clock.advance(NOON - 12 * HOUR_MS - NOW + DAY_MS + int(hours * HOUR_MS))
    advertiser = api.add_advertiser()
    offer = api.add_offer(advertiser=advertiser, privacy="public")
    pid, affiliate = affiliate_visitor(api)
    staff: Visitor = staff_visitor(api, app=console_app(api))
    own = {"offer": offer, "affiliate": pid, "advertiser": advertiser}
    place, made = 1, []
    for count, ago in clicks:
        for _ in range(count):
            made.append(new_click(place, time=api.clock.now_ms() - int(ago * HOUR_MS), **own))
            place += 1
    load_clicks(api.deps, made)
    found = {}
    for page in PAGES:
        path = page.format(offer=offer, pid=pid, advertiser=advertiser)
        visitor = affiliate if path.startswith("/portal") else staff
        found[page] = visitor.read(path).text.replace("\N{NO-BREAK SPACE}", " ")
    return found, offer


def test_clicks_of_the_running_hour_are_new_on_each_page(api: Api) -> None:
    found, _ = read(api, 14.5, (4, 0.2))
    assert len(found) == 13
    reports = {page for page in found if "reports" in page}  # their changes are in a column of their own
    found |= {page: found[page].partition("Total of")[2] for page in reports}
    assert len(reports) == 3
    assert [page for page, text in found.items() if ("new" if page in reports else "4 new") not in text] == []
    assert [page for page, text in found.items() if ("no change" if page in reports else "4 no change") in text] == []


def test_change_says_up_to_which_hour_it_counts_on_each_page(api: Api) -> None:
    found, _ = read(api, 14.5, (4, 0.2), (6, 2), (3, 26), (5, 24.3))
    today = {page: text for page, text in found.items() if "period=today" in page or page == "/portal/"}
    assert len(today) == 9
    assert [page for page, text in today.items() if "up to 14:00" not in text] == []
    assert [page for page, text in today.items() if "↑ 100 %" not in text] == []


def test_first_hour_of_a_day_is_not_compared_on_any_page(api: Api) -> None:
    found, _ = read(api, 0.5, (4, 0.2), (6, 3))
    today = {page: text for page, text in found.items() if "period=today" in page or page == "/portal/"}
    assert [page for page, text in today.items() if "4 new" in text or "4 no change" in text] == []


def test_equal_hours_of_a_figure_that_moved_have_no_text(api: Api) -> None:
    found, _ = read(api, 14.5, (4, 0.2), (3, 2), (3, 26))
    assert [page for page, text in found.items() if "7 no change" in text] == []


@pytest.mark.parametrize(
    ("late", "now", "text"),
    [
        (30, 1, "no change"),  # what was rejected after 14:00 of yesterday is not compared
        (0, 1, "no change"),
        (30, 3, "\u2191 15 points up to 14:00"),  # 3 of 12 after 1 of 10
    ],
)
def test_share_of_rejected_clicks_is_compared_up_to_the_last_full_hour(
    api: Api, late: int, now: int, text: str
) -> None:
    api.clock.advance(NOON - 12 * HOUR_MS - NOW + DAY_MS + int(14.5 * HOUR_MS))
    made = []
    for hours, count, reason in ((2, 9, ""), (2, now, "geo"), (26, 9, ""), (26, 1, "geo"), (20, late, "geo")):
        for _ in range(count):
            at = api.clock.now_ms() - hours * HOUR_MS
            made.append(new_click(len(made) + 1, time=at, reason=reason))
    load_clicks(api.deps, made)
    page = staff_visitor(api).read("/console/?period=today").text.replace("\N{NO-BREAK SPACE}", " ")
    shown = re.search(r"Rejected \S+ % (.{0,40})", page)
    assert shown and shown[1].startswith(text), page
