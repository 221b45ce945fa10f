"""Releasing conversions that offers hold as suspicious, and what the choice would have changed."""

from decimal import Decimal
from typing import Any

from sqlalchemy import select

from tests.support.api import Api
from tests.support.models.history import add_conversion
from tests.support.pages import staff_visitor
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.statistics.quality.conversion_signals import QUICK, REPEATED_ADDRESS
from trackyard.domain.statistics.quality.origins import HOSTING
from trackyard.store.tables import conversion_task as task

DAY_MS = 86_400_000
HELD = {"status": Status.HOLD, "quality_held": True}


def ordered(api: Api) -> list[str]:
    """The conversions that edits are queued for, in their order."""
    with api.deps.database.read() as conn:
        tasks = conn.execute(select(task.c.item).order_by(task.c.id)).scalars()
        return [each["conversion_id"] for each in tasks]


def test_holds_are_released_by_affiliate_and_only_once(api: Api) -> None:
    offer, other = api.add_offer(quality="hold"), api.add_offer(quality="hold")
    (mine, _), (theirs, _) = api.add_affiliate(), api.add_affiliate()
    owners = ((offer, mine), (other, mine), (offer, theirs))
    for number, (of, pid) in enumerate(owners, 1):
        add_conversion(api.deps, number, offer_id=of, affiliate_id=pid, **HELD)
    add_conversion(api.deps, 4, offer_id=offer, affiliate_id=mine, status=Status.HOLD)
    path = "/3.1/admin/conversions/release-held"
    refused = api.admin.call("POST", path)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["offer"])
    assert [api.admin.post(path, pid=mine)["released"] for _ in range(2)] == [2, 0]
    assert ordered(api) == [f"{number:024x}" for number in (1, 2)]
    assert api.admin.post(path, offer=offer, pid=theirs)["released"] == 1


def test_page_of_an_offer_releases_its_held_conversions(api: Api) -> None:
    offer = api.add_offer(quality="hold")
    pid, _ = api.add_affiliate()
    add_conversion(api.deps, 1, offer_id=offer, affiliate_id=pid, **HELD)
    visitor = staff_visitor(api)
    page = visitor.read(f"/console/offers/{offer}")
    assert "Release suspicious conversions" in page.text
    assert f"/console/offers/{offer}/release" in page.links
    asked = visitor.read(f"/console/offers/{offer}/release").text
    assert "1 conversion is confirmed" in asked and "Release them" in asked
    assert ordered(api) == []
    answer = visitor.post(f"/console/offers/{offer}/release")
    assert answer.headers["location"] == f"/console/offers/{offer}"
    assert "1 conversion is released." in visitor.read(f"/console/offers/{offer}").text
    assert ordered(api) == [f"{1:024x}"]
    assert "No conversion is held as suspicious." in visitor.read(f"/console/offers/{offer}/release").text
    other = api.add_offer()
    assert "Release suspicious conversions" not in visitor.read(f"/console/offers/{other}").text


def test_page_of_an_affiliate_shows_what_a_release_confirms_and_the_audit_log_who_did_it(api: Api) -> None:
    offers = [api.add_offer(quality="hold") for _ in range(2)]
    (mine, _), (theirs, _) = api.add_affiliate(), api.add_affiliate()
    money = ((1, "EUR", "10", "7"), (2, "USD", "3", "2"), (3, "USD", "4.5", "2.5"))
    for number, currency, charge, payout in money:
        amounts = {"charge": Decimal(charge), "payout": Decimal(payout), "currency": currency}
        add_conversion(api.deps, number, offer_id=offers[number % 2], affiliate_id=mine, **HELD, **amounts)
    add_conversion(api.deps, 4, offer_id=offers[0], affiliate_id=theirs, **HELD)
    path = "/3.1/admin/conversions/release-held"
    seen = api.admin.post(path, pid=mine, preview=1)
    assert (seen["released"], seen["message"]) == (3, "")
    assert [(each["currency"], each["number"], each["charge"], each["payout"]) for each in seen["sums"]] == [
        ("EUR", 1, 10, 7),
        ("USD", 2, 7.5, 4.5),
    ]
    visitor, page = staff_visitor(api), f"/console/affiliates/{mine}"
    assert f"{page}/release" in visitor.read(page).links
    asked = visitor.read(f"{page}/release").text
    assert "3 conversions are confirmed" in asked and "7.50" in asked and "4.50" in asked
    assert ordered(api) == [] and api.admin.get("/3.1/admin/audit", what="conversion_task")["audit"] == []
    assert visitor.post(f"{page}/release").headers["location"] == page
    assert ordered(api) == [f"{number:024x}" for number in (1, 2, 3)]
    log = api.admin.get("/3.1/admin/audit", what="conversion_task")["audit"]
    assert len(log) == 3
    assert {each["method"] for each in log} == {"admin.conversions.release-held"}


def test_page_of_an_affiliate_leads_to_a_release_only_while_something_is_held(api: Api) -> None:
    offer = api.add_offer(quality="hold")
    (mine, _), (theirs, _) = api.add_affiliate(), api.add_affiliate()
    add_conversion(api.deps, 1, offer_id=offer, affiliate_id=mine, **HELD)
    add_conversion(api.deps, 2, offer_id=offer, affiliate_id=theirs, status=Status.HOLD)
    visitor, page = staff_visitor(api), f"/console/affiliates/{mine}"
    assert f"{page}/release" in visitor.read(page).links
    assert "Release suspicious conversions" not in visitor.read(f"/console/affiliates/{theirs}").text
    visitor.post(f"{page}/release")
    assert "Release suspicious conversions" not in visitor.read(page).text


def test_estimate_shows_what_the_choice_of_quality_would_have_changed(api: Api) -> None:
    advertiser = api.add_advertiser()
    payment = {"payments[0][goal]": "1", "payments[0][total]": "10", "payments[0][revenue]": "7"}
    offer = api.add_offer(advertiser=advertiser, status="active", privacy="public", **payment)
    pid, _ = api.add_affiliate()
    at = api.deps.clock.now_ms() - DAY_MS
    for number, origin in enumerate((HOSTING, 0, 0), 1):
        click = {"time": at, "origin": origin}
        of: dict[str, Any] = {"offer_id": offer, "affiliate_id": pid, "advertiser_id": advertiser}
        add_conversion(api.deps, number, created_at=at + 1000, click=click, **of)

    def after(quality: str) -> tuple[int, int, int]:
        answer = api.admin.post(f"/3.1/admin/offer/{offer}/estimate/conversions", quality=quality)
        found = answer["estimate"]["after"]
        return found["conversions"], found["declined"], found["on_hold"]

    assert [after(each) for each in ("mark", "hold", "reject")] == [(3, 0, 0), (3, 0, 1), (2, 1, 0)]


def test_signals_of_a_conversion_are_shown_to_staff_alone(api: Api) -> None:
    offer, (pid, affiliate) = api.add_offer(), api.add_affiliate()
    at = api.deps.clock.now_ms() - DAY_MS
    owner: dict[str, Any] = {"offer_id": offer, "affiliate_id": pid, "created_at": at + 1000}
    click = {"time": at, "origin": HOSTING}
    made = add_conversion(api.deps, 1, signals=QUICK | REPEATED_ADDRESS, click=click, **owner)
    period = {"date_from": "2000-01-01", "date_to": "2100-01-01"}
    path = "/3.0/stats/conversions"
    (row,) = api.admin.get(path, **period)["conversions"]
    one = api.admin.get("/3.0/stats/conversionsbyid", id=made.id)["conversion"]
    assert [(each["signals"], each["origin"]) for each in (row, one)] == [("quick, repeated_address", "hosting")] * 2
    (own,) = affiliate.get(path, **period)["conversions"]
    assert (own["signals"], own["origin"]) == (None, None)
    visitor = staff_visitor(api)
    for page in (f"/console/conversions/{made.id}", f"/console/conversions?q={made.id}"):
        assert "quick, repeated_address, hosting" in visitor.read(page).text, page
    lines = api.admin.call("GET", path, params={**period, "format": "csv"}).text.splitlines()
    assert len(lines) == 2 and "quick, repeated_address" in lines[1]
