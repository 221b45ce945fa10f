"""Retention, time to action and values of subs over the API: who sees what, in which form."""

from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.client import ApiClient
from tests.support.models.events import NOON, new_click
from tests.support.models.history import add_conversion, load_clicks
from trackyard.base.ids import IMPORT_EDGE

DAYS = {"date_from": "2023-11-15", "date_to": "2023-11-16"}
DAY_MS = 86_400_000


@dataclass(frozen=True)
class CohortTraffic:
    """An offer with three installs of two affiliates.

    The first affiliate has two on two days, one of them with a sale.
    """

    api: Api
    offer: int
    first: int
    second: int
    affiliate: ApiClient

    def asked(self, **more: Any) -> dict[str, Any]:
        """Parameters of the retention report."""
        return DAYS | {"offer": self.offer, "base_event": "install", "events": "sale,level"} | more

    def timed(self, **more: Any) -> dict[str, Any]:
        """Parameters of the time to action."""
        return DAYS | {"offer_id": self.offer, "timezone": "UTC"} | more


@pytest.fixture
def traffic(api: Api) -> CohortTraffic:
    offer, (first, affiliate), (second, _) = api.add_offer(), api.add_affiliate(), api.add_affiliate()
    late = NOON + DAY_MS
    clicks = [
        new_click(1, offer=offer, affiliate=first, sub1="red", sub2="x"),
        new_click(2, offer=offer, affiliate=first, time=late, sub1="rose"),
        new_click(3, offer=offer, affiliate=second, sub1="ruby", sub8="eight"),
    ]
    load_clicks(api.deps, clicks)
    own = {"offer_id": offer, "affiliate_id": first}
    add_conversion(api.deps, 1, **own, goal="install", created_at=NOON + 30_000)
    add_conversion(api.deps, 2, **own, goal="install", click={"time": late}, created_at=late + 31_000)
    add_conversion(api.deps, 3, **own, goal="sale", click={"id": clicks[0].id}, created_at=late + DAY_MS)
    add_conversion(api.deps, 4, offer_id=offer, affiliate_id=second, goal="install", created_at=NOON + 700_000)
    return CohortTraffic(api, offer, first, second, affiliate)


def test_retention_rate_report_lists_rates_per_affiliate_and_day(traffic: CohortTraffic) -> None:
    first = {"affiliate_id": traffic.first, "date": "2023-11-15", "rr_sale": 100, "rr_level": 0, "install_count": 1}
    rows = [
        first,
        {"affiliate_id": traffic.second, "date": "2023-11-15", "rr_sale": 0, "rr_level": 0, "install_count": 1},
        {"affiliate_id": traffic.first, "date": "2023-11-16", "rr_sale": 0, "rr_level": 0, "install_count": 1},
    ]
    get = traffic.api.admin.get
    assert get("/3.0/stats/retentionrate", **traffic.asked()) == rows
    assert get("/3.1/stats/retentionrate", **traffic.asked(events=["sale", "level"])) == rows
    assert get("/3.1/stats/retentionrate", **traffic.asked(affiliate_id=traffic.second)) == rows[1:2]
    both = [traffic.first, traffic.second]
    assert get("/3.1/stats/retentionrate", **traffic.asked(**{"affiliate_id[]": both})) == rows
    assert get("/3.1/stats/retentionrate", **traffic.asked(date_to="2023-11-15", offer=99)) == []
    kiritimati = get("/3.1/stats/retentionrate", **traffic.asked(timezone="Pacific/Kiritimati"))
    assert [row["date"] for row in kiritimati] == ["2023-11-16", "2023-11-16"], "14 hours ahead, the third is a day on"


def test_retention_rate_of_base_event_is_100_percent(traffic: CohortTraffic) -> None:
    found = traffic.api.admin.get("/3.1/stats/retentionrate", **traffic.asked(events="install,sale"))
    assert [(row["rr_install"], row["rr_sale"]) for row in found] == [(100, 100), (100, 0), (100, 0)]


def test_cohort_reports_over_too_many_days_with_data_are_rejected(traffic: CohortTraffic) -> None:
    load_clicks(traffic.api.deps, [new_click(9, offer=traffic.offer, time=NOON - 4000 * DAY_MS)])
    long = {"date_from": "2010-01-01", "date_to": "2030-01-01"}
    for report, asked in (("retentionrate", traffic.asked(**long)), ("time-to-action", traffic.timed(**long))):
        assert traffic.api.admin.refusal("GET", f"/3.1/stats/{report}", params=asked) == (400, ["date_to"])


def test_time_to_action_report_counts_per_interval(traffic: CohortTraffic) -> None:
    body = traffic.api.admin.get("/3.0/stats/time-to-action", **traffic.timed())
    counts = {"clicks": 2, "total_conversions": 2, "tta_30": 1, "tta_600": 1, "tta_inf": 0}
    other = {"clicks": 1, "total_conversions": 1, "tta_30": 0, "tta_600": 0, "tta_inf": 1}
    rows = [{"affiliate_id": traffic.first} | counts, {"affiliate_id": traffic.second} | other]
    pages = {"per_page": 100, "total_count": 2, "page": 1}
    assert body == {"status": 200, "data": rows, "pagination": pages}
    imported = {"id": f"{NOON // 1000:08x}{IMPORT_EDGE:02x}{9:014x}"}
    own = {"offer_id": traffic.offer, "affiliate_id": traffic.first}
    add_conversion(traffic.api.deps, 9, **own, goal="install", click=imported, created_at=NOON)
    assert traffic.api.admin.get("/3.0/stats/time-to-action", **traffic.timed())["data"] == rows
    both = f"{traffic.first},{traffic.second}"
    for more, wanted in (
        ({"affiliate_ids": both}, rows),
        ({"affiliate_ids": traffic.second}, rows[1:]),
        ({"limit": 1, "page": 2}, rows[1:]),
        ({"affiliate_ids": "99"}, []),
    ):
        assert traffic.api.admin.get("/3.1/stats/time-to-action", **traffic.timed(**more))["data"] == wanted
    [of_goal, _] = traffic.api.admin.get("/3.1/stats/time-to-action", **traffic.timed(goal="sale"))["data"]
    assert (of_goal["clicks"], of_goal["total_conversions"]) == (2, 0)
    goals = {"goal[]": ["sale", "install"]}
    [of_goals, _] = traffic.api.admin.get("/3.1/stats/time-to-action", **traffic.timed(**goals))["data"]
    assert (of_goals["clicks"], of_goals["total_conversions"]) == (2, 2)


@pytest.mark.parametrize(
    ("sent", "found"),
    [
        ({}, [{"sub1": "red"}, {"sub1": "rose"}, {"sub1": "ruby"}]),
        ({"sub1": "r"}, [{"sub1": "red"}, {"sub1": "rose"}, {"sub1": "ruby"}]),
        ({"sub1": "ru", "sub2": "x"}, []),
        ({"sub1": "re", "sub2": "x"}, [{"sub1": "red", "sub2": "x"}]),
        ({"sub1[]": ["ru", "ro"]}, [{"sub1": "rose"}, {"sub1": "ruby"}]),
        ({"sub1": ["ru", "none"]}, [{"sub1": "ruby"}]),
        ({"sub8": "e", "sub1": "r"}, [{"sub1": "ruby", "sub8": "eight"}]),
        *(({f"sub{number}": "none"}, []) for number in range(1, 9)),
        ({"sub1": "", "sub2": "x"}, [{"sub2": "x"}]),
        ({"sub2": ""}, [{"sub2": "x"}]),
        ({"sub3": "x"}, []),
        ({"limit": 1, "page": 3}, [{"sub1": "ruby"}]),
    ],
)
def test_find_subs_returns_matching_subs(
    traffic: CohortTraffic, sent: dict[str, Any], found: list[dict[str, str]]
) -> None:
    traffic.api.clock.advance(2 * DAY_MS)
    assert traffic.api.admin.get("/3.0/stats/find-subs", **sent)["subs"] == found


def test_find_subs_warns_of_ignored_empty_subs(traffic: CohortTraffic) -> None:
    answer = traffic.api.admin.get("/3.0/stats/find-subs", sub1="", sub2="x", sub8="")
    assert answer["warnings"] == ["sub1 is empty. It was ignored.", "sub8 is empty. It was ignored."]
    assert "warnings" not in traffic.api.admin.get("/3.0/stats/find-subs", sub8="")


def test_find_subs_needs_permission_for_each_sub(traffic: CohortTraffic) -> None:
    denied = {"permissions[stats][slice-sub2][level]": "deny"}
    traffic.api.admin.post(f"/3.1/user/{traffic.first}/permissions", **denied)
    assert traffic.affiliate.call("GET", "/3.1/stats/find-subs", params={"sub1": "r"}).status_code == 200
    refused = traffic.affiliate.call("GET", "/3.1/stats/find-subs", params={"sub1": "r", "sub2": "x"})
    assert (refused.status_code, refused.json()["code"]) == (403, "stats.slice-sub2")


def test_find_subs_omits_subs_older_than_90_days(traffic: CohortTraffic) -> None:
    traffic.api.clock.advance(NOON + 90 * DAY_MS - traffic.api.clock.now_ms())
    assert traffic.api.admin.get("/3.0/stats/find-subs", sub1="red")["subs"] == [{"sub1": "red"}]
    traffic.api.clock.advance(1)
    assert traffic.api.admin.get("/3.0/stats/find-subs", sub1="red")["subs"] == []


def test_cohort_reports_show_an_affiliate_its_own_rows_only(traffic: CohortTraffic) -> None:
    rows = traffic.affiliate.get("/3.1/stats/retentionrate", **traffic.asked())
    assert {row["affiliate_id"] for row in rows} == {traffic.first}
    assert traffic.affiliate.get("/3.1/stats/retentionrate", **traffic.asked(affiliate_id=traffic.second)) == []
    [row] = traffic.affiliate.get("/3.1/stats/time-to-action", **traffic.timed())["data"]
    assert row["affiliate_id"] == traffic.first
    assert (
        traffic.affiliate.get("/3.1/stats/time-to-action", **traffic.timed(affiliate_ids=traffic.second))["data"] == []
    )
    subs = traffic.affiliate.get("/3.1/stats/find-subs", sub1="r")
    assert (subs["subs"], subs["pagination"]["total_count"]) == ([{"sub1": "red"}, {"sub1": "rose"}], 2)


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("retentionrate", {"base_event": "in stall"}, "base_event"),
    ("retentionrate", {"events": "sale,2"}, "events[1]"),
    ("retentionrate", {"events": ""}, "events"),
    ("retentionrate", {"date_to": "2023-11-14"}, "date_to"),
    ("time-to-action", {"timezone": ""}, "timezone"),
    ("time-to-action", {"affiliate_ids": "1,x"}, "affiliate_ids[1]"),
]


@pytest.mark.parametrize(("report", "wrong", "name"), REFUSED)
def test_cohort_report_with_invalid_parameter_is_rejected(
    shared_api: Api, report: str, wrong: dict[str, Any], name: str
) -> None:
    good = {"retentionrate": {"offer": 1, "base_event": "install", "events": "sale"}}
    good["time-to-action"] = {"offer_id": 1, "timezone": "UTC"}
    assert shared_api.admin.refusal("GET", f"/3.1/stats/{report}", params=DAYS | good[report] | wrong) == (400, [name])
