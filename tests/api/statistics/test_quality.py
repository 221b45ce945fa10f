"""Signals of clicks in lists, reports and health, and what differs from the traffic of others."""

from typing import Any

import pytest

from tests.support.api import NOW, Api
from tests.support.models.events import new_click, new_fact
from tests.support.models.history import add_conversion, load_clicks
from tests.support.pages import staff_visitor
from trackyard.actions.platform import traffic_quality
from trackyard.actions.statistics.automation.measuring import measure
from trackyard.analytics.load import load
from trackyard.base.errors import ReportTooHeavy
from trackyard.base.ids import IMPORT_EDGE
from trackyard.domain.statistics.automation.measures import METRICS
from trackyard.domain.statistics.automation.rules import Rule, RuleCondition
from trackyard.domain.statistics.automation.windows import Window
from trackyard.domain.statistics.quality.comparing import QualityKind
from trackyard.domain.statistics.quality.origins import HOSTING, RELAY, TOR
from trackyard.domain.statistics.rows import encode_row

HOUR_MS = 3_600_000
PERIOD = {"date_from": "2023-11-01", "date_to": "2023-11-30"}


@pytest.fixture
def places(api: Api) -> dict[str, Any]:
    """An affiliate with 300 clicks, 200 of them from hosts, next to an ordinary one."""
    offer, (pid, client), (other, _) = api.add_offer(), api.add_affiliate(), api.add_affiliate()
    at = NOW - HOUR_MS
    origins = [HOSTING] * 200 + [RELAY] * 50 + [0] * 50
    clicks = [new_click(n, time=at, offer=offer, affiliate=pid, origin=origin) for n, origin in enumerate(origins)]
    clicks += [new_click(n, time=at, offer=offer, affiliate=other, origin=TOR * (n % 50 == 0)) for n in range(400, 800)]
    load_clicks(api.deps, clicks)
    of = {"offer_id": offer, "affiliate_id": pid, "created_at": at}
    add_conversion(api.deps, 1, click={"origin": HOSTING}, **of)
    add_conversion(api.deps, 2, **of)
    return {"offer": offer, "pid": pid, "other": other, "client": client}


def test_quality_signals_are_shown_to_staff_in_lists(api: Api, places: dict[str, Any]) -> None:
    listed = api.admin.get("/3.1/stats/clicks", **PERIOD, origin=["tor", "relay"], limit=500)["clicks"]
    assert {each["origin"] for each in listed} == {"tor", "relay"} and len(listed) == 58
    marked = api.admin.get("/3.1/stats/clicks", **PERIOD, origin="marked")
    assert marked["pagination"]["total_count"] == 208
    assert "origin" not in places["client"].get("/3.1/stats/clicks", **PERIOD)["clicks"][0]
    found = api.admin.get("/3.1/stats/conversions", **PERIOD)["conversions"]
    assert sorted(each["origin"] for each in found) == ["", "hosting"]
    assert places["client"].get("/3.1/stats/conversions", **PERIOD)["conversions"][0]["origin"] is None


def test_quality_signals_divide_reports(api: Api, places: dict[str, Any]) -> None:
    def rows(**more: Any) -> dict[str, tuple[str, int]]:
        period = {f"filter[{name}]": value for name, value in PERIOD.items()}
        found = api.admin.get("/3.1/stats/custom", **{"slice[]": "origin", **period, **more})["stats"]
        return {each["slice"]["origin"]: (each["traffic"]["raw"], each["actions"]["total"]["count"]) for each in found}

    assert rows() == {"hosting": ("200", 1), "relay": ("50", 0), "tor": ("8", 0), "": ("442", 1)}
    assert rows(**{"filter[not_origin]": "marked"}) == {"relay": ("50", 0), "": ("442", 1)}
    assert rows(**{"filter[origin][]": ["hosting", "tor"]}) == {"hosting": ("200", 1), "tor": ("8", 0)}
    wrong = api.admin.call("GET", "/3.1/stats/clicks", params={**PERIOD, "origin": "moon"})
    assert wrong.status_code == 400 and "hosting" in wrong.text


def test_quality_finding_is_in_the_health_of_offer_and_affiliate(api: Api, places: dict[str, Any]) -> None:
    for path in (f"offer/{places['offer']}", f"partner/{places['pid']}"):
        findings = api.admin.get(f"/3.1/admin/{path}/health")["health"]["findings"]
        [found] = [each for each in findings if each["kind"] == "marked_clicks"]
        assert (found["verdict"], "200 of 300 clicks" in found["sentence"]) == ("look", True)
    others = api.admin.get(f"/3.1/admin/partner/{places['other']}/health")["health"]["findings"]
    assert "marked_clicks" not in [each["kind"] for each in others]


def test_quality_findings_of_all_affiliates_are_in_the_list_of_findings(api: Api, places: dict[str, Any]) -> None:
    [check] = [each for each in api.admin.get("/3.1/admin/findings")["checks"] if each["check"] == "quality"]
    [found] = check["findings"]
    assert (found["kind"], found["subject"]) == ("marked_clicks", f"affiliate {places['pid']}")
    assert f"offer {places['offer']}: 200 of 300 clicks" in found["sentence"]
    assert found["evidence"]["path"] == f"/admin/partner/{places['pid']}/health"
    page = staff_visitor(api).read("/console/health")
    assert f"/console/affiliates/{places['pid']}/health" in page.links


@pytest.mark.parametrize(("edge", "kinds"), [(1, ["quick_conversions", "other_devices"]), (IMPORT_EDGE, [])])
def test_quality_leaves_out_conversions_without_a_click(api: Api, edge: int, kinds: list[str]) -> None:
    """Imports and promo codes convert at the time of their own click."""
    offer, (pid, _), (other, _) = api.add_offer(), api.add_affiliate(), api.add_affiliate()
    at = NOW - HOUR_MS
    clicks = [new_click(n, time=at, offer=offer, affiliate=pid, device="mobile") for n in range(400)]
    clicks += [new_click(n, time=at, offer=offer, affiliate=other, device="mobile") for n in range(400, 800)]
    load_clicks(api.deps, clicks)
    events = [
        new_fact(n, offer=offer, affiliate=other, device="mobile", click_id=clicks[400 + n].id,
                 click_time=at - 600_000, time=at)
        for n in range(150)
    ]  # fmt: skip
    without = [f"{at // 1000:08x}{edge:02x}{n:014x}" for n in range(200, 240)]
    own = {"offer": offer, "affiliate": pid, "click_time": at, "time": at}
    events += [new_fact(200 + n, click_id=click_id, **own) for n, click_id in enumerate(without)]
    load(api.deps.analytics, "fact", [encode_row(each) for each in events], "events")
    findings = api.admin.get(f"/3.1/admin/partner/{pid}/health")["health"]["findings"]
    assert [each["kind"] for each in findings if each["kind"] in list(QualityKind)] == kinds


def test_quality_by_network_is_in_the_health(api: Api) -> None:
    offer, (pid, _) = api.add_offer(), api.add_affiliate()
    of = {"time": NOW - HOUR_MS, "offer": offer, "affiliate": pid}
    places = [("203.0.113.7", HOSTING)] * 3 + [("203.0.113.8", 0)] + [("2001:db8:1:2::3", TOR)] * 2 + [("", 0)]
    load_clicks(api.deps, [new_click(n, **of, ip=ip, origin=origin) for n, (ip, origin) in enumerate(places)])
    networks = api.admin.get(f"/3.1/admin/offer/{offer}/health")["health"]["networks"]
    assert networks == [
        {"network": "203.0.113.0/24", "clicks": 4, "addresses": 2, "marked": 3},
        {"network": "2001:db8:1::/48", "clicks": 2, "addresses": 1, "marked": 2},
    ]
    assert "203.0.113.0/24" in staff_visitor(api).read(f"/console/offers/{offer}/health").text


def test_subs_that_an_affiliate_uses_are_counted(api: Api) -> None:
    offer, (pid, _), (other, _) = api.add_offer(), api.add_affiliate(), api.add_affiliate()
    of = {"time": NOW - HOUR_MS, "offer": offer, "affiliate": pid}
    clicks = [new_click(n, **of, sub1=f"id {n}", sub2="push" if n % 4 else "pop") for n in range(200)]
    clicks += [new_click(n, **{**of, "affiliate": other}, sub1="push") for n in range(300, 310)]
    clicks += [new_click(n, **of, sub2="late", reason="ip") for n in range(400, 700)]
    load_clicks(api.deps, clicks)
    for number, sub2 in enumerate(("pop", "pop", "push", "")):
        click = {"sub1": f"id {number}", "sub2": sub2}
        add_conversion(api.deps, number + 1, click=click, offer_id=offer, affiliate_id=pid, created_at=NOW - HOUR_MS)
    ids = {"affiliate": pid, "sub": "sub1", "clicks": 200, "conversions": 4, "values": 200, "is_id": True}
    places = {"affiliate": pid, "sub": "sub2", "clicks": 200, "conversions": 3, "values": 2, "is_id": False}
    first, second = api.admin.get(f"/3.1/admin/partner/{pid}/health")["health"]["subs"]
    assert first.items() >= ids.items() and first["largest_clicks"] == 1
    assert second == {**places, "largest": "push", "largest_clicks": 150, "largest_conversions": 1}
    of_offer = api.admin.get(f"/3.1/admin/offer/{offer}/health")["health"]["subs"]
    assert [(each["affiliate"], each["sub"], each["clicks"]) for each in of_offer] == [
        (pid, "sub1", 200),
        (pid, "sub2", 200),
        (other, "sub1", 10),
    ]
    page = staff_visitor(api).read(f"/console/offers/{offer}/health")
    assert f"/console/reports?by=sub2&f.affiliate={pid}&f.offer={offer}" in page.links
    assert "nearly each click has its own" in page.text
    assert "75 % of the clicks, 33 % of the conversions" in page.text


def test_quality_of_a_sub_is_compared_with_all_other_clicks(api: Api) -> None:
    offer, (pid, _) = api.add_offer(), api.add_affiliate()
    of = {"time": NOW - HOUR_MS, "offer": offer, "affiliate": pid}
    clicks = [new_click(n, **of, sub1="bad", origin=HOSTING if n % 2 else 0) for n in range(400)]
    clicks += [new_click(n, **of, sub1=f"id {n}", origin=TOR if n % 50 == 0 else 0) for n in range(400, 2400)]
    load_clicks(api.deps, clicks)
    findings = api.admin.get(f"/3.1/admin/partner/{pid}/health")["health"]["findings"]
    [found] = [each for each in findings if each["kind"].startswith("marked")]
    assert (found["kind"], "Sub bad of affiliate" in found["sentence"]) == ("marked_sub", True)
    assert "200 of 400 clicks" in found["sentence"]


def test_quality_that_is_too_heavy_to_compare_is_said_and_not_tried_at_once(
    api: Api, places: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[int] = []

    def refuse(*_: Any) -> None:
        tries.append(1)
        raise ReportTooHeavy

    monkeypatch.setattr(traffic_quality, "list_busiest", refuse)
    for _ in range(2):
        checks = {each["check"]: each for each in api.admin.get("/3.1/admin/findings")["checks"]}
        assert checks["quality"]["findings"] == [] and "took too long" in checks["quality"]["seen"]
    assert len(tries) == 1


def test_quality_metric_of_rules_counts_marked_clicks(api: Api, places: dict[str, Any]) -> None:
    rule = Rule(id="r", title="r", each=("affiliate",), conditions=(RuleCondition("marked_share", False, 20),))
    until = NOW - NOW % HOUR_MS + HOUR_MS
    window = Window(until - 3 * HOUR_MS, until)
    found = measure(api.deps.analytics, rule, window, window)
    share = {key[0]: METRICS["marked_share"].value(each) for key, each in found.items()}
    assert [round(share[places[name]] or 0) for name in ("pid", "other")] == [67, 2]
    assert found[places["pid"],].clicks == 300
