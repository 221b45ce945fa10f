"""What needs a person, from checks, readiness and statistics (docs/spec/platform.md#findings)."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

from sqlalchemy import delete, insert

from tests.support.api import NOW, UNBOUNDED, Api
from tests.support.models.events import new_click
from tests.support.models.history import add_conversion, load_clicks
from tests.support.models.logs import server_row
from tests.support.pages import staff_visitor
from trackyard.analytics.load import load
from trackyard.api.app import build
from trackyard.domain.people.roles import Role
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.findings import CheckFindings, Finding, FindingKind
from trackyard.domain.platform.status import MachineStatus
from trackyard.domain.statistics.quality.robots import RobotJump, RobotShare, find_jumps
from trackyard.domain.statistics.rows import encode_row
from trackyard.store.offers.offers import list_by_id
from trackyard.store.tables import counter

DAY = 86_400_000
DISK = CheckFindings("disk", "disk", (Finding(FindingKind.DISK_FULL, "/data", {"free_percent": 7}),), "8 TB")


def found_of(api: Api, **changed: Any) -> dict[str, Any]:
    client = api.admin.of(build(replace(api.deps, **changed), limits=UNBOUNDED))
    return {each["check"]: each for each in client.get("/3.1/admin/findings")["checks"]}


def findings_of(api: Api, check: str, **changed: Any) -> list[tuple[str, str]]:
    return [(each["kind"], each["subject"]) for each in found_of(api, **changed)[check]["findings"]]


def test_findings_have_those_of_the_checks_of_the_machine(api: Api) -> None:
    disk = found_of(api, checks=lambda: [DISK])["disk"]
    assert (disk["severity"], disk["seen"]) == ("error", "8 TB")
    assert disk["findings"] == [{
        "kind": "disk_full", "severity": "error", "subject": "/data", "evidence": {"free_percent": 7},
        "sentence": "7 % of the disk of /data is free: clicks and postbacks are refused once it is full.",
        "advice": "Give the disk more room now, or keep less: docs/retention.md.",
    }]  # fmt: skip
    assert set(found_of(api)) == {
        "readiness",
        "edges",
        "offers",
        "urls",
        "caps",
        "rules",
        "quality",
        "postbacks",
        "robots",
    }
    assert api.admin.get("/3.1/admin/findings")["severity"] == "ok"


def test_findings_say_what_readiness_says(api: Api) -> None:
    machine = MachineStatus(reasons=("the disk is full",), warnings=("look",), lags={"journal": 700.0})
    assert findings_of(api, "readiness", machine=lambda: machine) == [
        ("not_ready", "machine"), ("ready_with_warning", "machine"), ("queue_stuck", "journal"),
    ]  # fmt: skip
    assert findings_of(api, "readiness", machine=MachineStatus) == []


def test_findings_name_edges_with_old_rules(api: Api) -> None:
    late = MachineStatus(lags={"rules": 400.0})
    assert findings_of(api, "edges", machine=lambda: late) == [("edge_unsynced", "edges")]
    assert findings_of(api, "edges", machine=lambda: MachineStatus(lags={"rules": 1.0})) == []


def clicks_of(offer: int, affiliate: int, number: int, *, first: int, age: int = 3_600_000, **fields: Any) -> list[Any]:
    return [
        new_click(first + place, offer=offer, affiliate=affiliate, time=NOW - age - place, **fields)
        for place in range(number)
    ]


def test_findings_name_offers_that_reject_nearly_every_click(api: Api) -> None:
    offer, (affiliate, _) = api.add_offer(), api.add_affiliate()
    load_clicks(api.deps, clicks_of(offer, affiliate, 110, first=1, reason="overcap", uniq=0))
    assert findings_of(api, "offers") == [("offer_rejects", str(offer))]
    load_clicks(api.deps, clicks_of(offer, affiliate, 10, first=500))
    assert findings_of(api, "offers") == []


def test_findings_name_offers_that_stopped_to_convert(api: Api) -> None:
    offer, (affiliate, _) = api.add_offer(), api.add_affiliate()
    for number in range(1, 13):
        add_conversion(api.deps, number, offer_id=offer, affiliate_id=affiliate, click={"time": NOW - 3 * DAY - number})
    assert findings_of(api, "offers") == [], "no traffic of the day"
    today = clicks_of(offer, affiliate, 120, first=1000)
    load_clicks(api.deps, today)
    assert findings_of(api, "offers") == [("offer_converts_no_more", str(offer))]
    load_clicks(api.deps, clicks_of(offer, affiliate, 500, first=5000, age=3 * DAY))
    assert findings_of(api, "offers") == [], "with so few of so many clicks a day without one is not a surprise"
    add_conversion(api.deps, 900, offer_id=offer, affiliate_id=affiliate, click={"time": NOW - 60_000})
    assert findings_of(api, "offers") == []


def test_findings_name_caps_that_are_nearly_or_completely_used(api: Api) -> None:
    cap = {"caps[0][period]": "day", "caps[0][type]": "conversions", "caps[0][value]": 10}
    offer = api.add_offer(**cap)
    with api.deps.database.read() as conn:
        [stored] = list_by_id(conn, Scope.everything(), [offer])
    [limit] = stored.caps

    def count(number: int) -> None:
        start = NOW - NOW % DAY
        row = {"name": "c", "offer_id": offer, "limit_id": limit.id, "start": start, "until": start + DAY}
        with api.deps.database.write() as conn:
            conn.execute(delete(counter))
            conn.execute(insert(counter).values(**row, conversions=number, budget=Decimal(0), notified=False))

    count(8)
    assert findings_of(api, "caps") == []
    count(9)
    [found] = found_of(api)["caps"]["findings"]
    assert (found["kind"], found["subject"]) == ("cap_nearly_full", str(offer))
    assert found["sentence"] == f"Offer {offer} has used 90 % of a cap: 9 of 10."
    count(10)
    assert findings_of(api, "caps") == [("cap_full", str(offer))]
    api.admin.post(f"/3.1/admin/offer/{offer}", status="stopped")
    assert findings_of(api, "caps") == []


def test_findings_are_for_administrators(api: Api) -> None:
    _, manager = api.add_staff(Role.MANAGER_SALES)
    assert manager.refusal("GET", "/3.1/admin/findings")[0] == 403


def test_health_shows_findings_in_the_language_of_the_person(api: Api) -> None:
    visitor = staff_visitor(replace(api, deps=replace(api.deps, checks=lambda: [DISK])))
    text = visitor.read("/console/health").text
    assert "7 % of the disk of /data is free: clicks" in text and "Give the disk more room now" in text
    assert "Disk8 TB" in text.replace(" 8 TB", "8 TB") and "Offers fine" in text
    visitor.post("/console/profile/preferences", language="ru")
    russian = visitor.read("/console/health").text
    assert "Свободно 7 % диска с /data" in russian and "Увеличьте диск сейчас" in russian


def test_findings_count_postbacks_that_have_neither_click_nor_sender(api: Api) -> None:
    advertiser = api.add_advertiser()

    def add(first: int, count: int, **fields: Any) -> None:
        rows = [server_row(n, **({"time": NOW - DAY + n} | fields)) for n in range(first, first + count)]
        load(api.deps.analytics, "server_log", [encode_row(row) for row in rows], f"server {first}")

    add(1, 3, response="Broken clickid")
    add(10, 25, advertiser=advertiser, affiliate=7, offer=3)
    add(50, 2, response="Broken clickid", advertiser=advertiser)
    add(60, 1, response="Broken clickid", time=NOW - 8 * DAY)
    add(70, 1, response="waiting")
    check = found_of(api)["postbacks"]
    assert check["seen"] == "3 of 30 without a sender in 7 days"
    [finding] = check["findings"]
    assert (finding["kind"], finding["subject"]) == ("postbacks_without_click", f"{3:024x}")
    assert "3 of 30 postbacks in 7 days" in finding["sentence"]
    page = staff_visitor(api).read("/console/health")
    assert "3 of 30 without a sender in 7 days" in page.text and f"/console/find?q={3:024x}" in page.links
    add(80, 1, advertiser=advertiser, affiliate=7, offer=3)
    assert findings_of(api, "postbacks") == []


PEOPLE = "Mozilla/5.0 (Linux; Android 15; CPH2000 Build/AP3A.240617.008; wv) AppleWebKit/537.36 Chrome/130.0.0.0 Mobile"
ROBOTS = [
    ((60, 200, 2, 1000), True, "30 % after 0.2 %"),
    ((60, 200, 300, 1000), False, "30 % as before"),
    ((15, 200, 2, 1000), False, "7.5 % is a small share"),
    ((60, 99, 2, 1000), False, "too few clicks"),
    ((60, 200, 0, 0), True, "a new version, when its system had few"),
    ((0, 200, 300, 1000), False, "a share that falls"),
]


def robots_of(case: tuple[int, int, int, int]) -> list[RobotJump]:
    """Return the jumps where an older version has 2 robots of 1000."""
    return find_jumps([RobotShare("Android", "15", *case), RobotShare("Android", "14", 1, 500, 2, 1000)])


def test_share_of_robots_that_jumps_is_found_and_a_steady_one_is_not() -> None:
    for case, jumps, reason in ROBOTS:
        assert [each.version for each in robots_of(case)] == (["15"] if jumps else []), reason
    assert len(ROBOTS) == 6


def test_jump_of_robots_is_a_finding_with_the_clicks_that_would_count(api: Api) -> None:
    of = {"os": "Android", "os_version": "15"}
    late = of | {"time": NOW - 60_000}
    clicks = [new_click(n, time=NOW - DAY * 3, ua=PEOPLE, **of) for n in range(1, 151)]
    clicks += [new_click(n, ua=PEOPLE, **late) for n in range(201, 281)]
    clicks += [new_click(n, ua=PEOPLE, reason="bot", **late) for n in range(301, 331)]
    clicks += [new_click(n, ua="Googlebot/2.1", reason="bot", **late) for n in range(401, 411)]
    load_clicks(api.deps, clicks)
    [found] = found_of(api)["robots"]["findings"]
    assert (found["kind"], found["subject"]) == ("robots_jump", "Android 15")
    assert found["evidence"] == {"percent": 33, "before": "0.0", "robots": 40, "clicks": 120, "people": 30}
