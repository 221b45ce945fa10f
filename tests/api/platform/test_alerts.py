"""Alerts and what people choose about them (docs/spec/alerts.md)."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from sqlalchemy import delete, insert, select, update

from tests.support.api import NOW, Api
from tests.support.models.events import new_click, new_fact
from tests.support.models.history import load_clicks
from trackyard.actions.platform.alerts.keeping import keep_alerts
from trackyard.actions.platform.alerts.looks import look_at_books, look_at_checks, look_at_lags, look_at_statistics
from trackyard.analytics.load import load
from trackyard.base.ids import new_id
from trackyard.domain.people.roles import Role
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.alerts.causes import SeenCause
from trackyard.domain.platform.findings import CheckFindings, Finding, FindingKind
from trackyard.domain.platform.status import MachineStatus
from trackyard.domain.statistics.rows import encode_row
from trackyard.domain.tracking.outbound_calls import DeliveryKind, NewDelivery
from trackyard.store.offers.offers import list_by_id
from trackyard.store.tables import alert_notice, counter, delivery
from trackyard.store.tracking import deliveries

PATH = "/3.1/admin/alerts"
CHOICES = f"{PATH}/choices"
LATE = SeenCause(Finding(FindingKind.QUEUE_STUCK, "inbox", {"seconds": 900}))
LITTLE: dict[str, str | int] = {"clicks": 0, "hours": 3, "usual": "40"}
MINUTE = 60_000
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def silent(advertiser: str) -> SeenCause:
    finding = Finding(FindingKind.ADVERTISER_SILENT, advertiser, {"hours": 3, "usual": "40"})
    return SeenCause(finding, advertiser_id=advertiser)


def slow(affiliate: int) -> SeenCause:
    finding = Finding(FindingKind.DELIVERIES_FAIL, "hook.example", {"waiting": 3, "minutes": 20})
    return SeenCause(finding, affiliate_id=affiliate)


def seen_by(client: Any, **params: Any) -> list[tuple[str, str]]:
    return [(each["finding"], each["subject"]) for each in client.get(PATH, **params)["alerts"]]


def _delivery(affiliate: int, created: int) -> NewDelivery:
    number = f"{affiliate:024x}"
    return NewDelivery(
        id=number, kind=DeliveryKind.POSTBACK, subject_id=number, sequence=1, postback_id=1, affiliate_id=affiliate,
        offer_id=1, advertiser_id="", goal="1", status="confirmed", url="https://hook.example/", host="hook.example",
        next_at=created, created_at=created, job_id=number,
    )  # fmt: skip


def mailed_to(api: Api) -> dict[str, int]:
    """Return the people who are to get a mail, with when."""
    with api.deps.database.read() as conn:
        return {row.owner: row.due_at for row in conn.execute(select(alert_notice))}


def test_alert_is_listed_with_its_words_and_the_page_of_its_evidence(api: Api) -> None:
    advertiser = api.add_advertiser()
    keep_alerts(api.deps, "statistics", [silent(advertiser)])
    [found] = api.admin.get(PATH)["alerts"]
    assert found["link"] == f"{api.deps.api_url}/console/advertisers/{advertiser}/health"
    assert found["sentence"].startswith(f"No postback of advertiser {advertiser} came for 3 hours")
    assert (found["kind"], found["severity"], found["state"]) == ("silence", "warning", "open")
    assert found["advertiser_id"] == advertiser


def test_cause_that_is_gone_closes_its_alert_and_opens_another_when_it_comes_again(api: Api) -> None:
    keep_alerts(api.deps, "books", [LATE])
    api.clock.advance(4 * MINUTE)
    assert keep_alerts(api.deps, "books", []) == ([], [])
    api.clock.advance(4 * MINUTE)
    keep_alerts(api.deps, "books", [])
    assert seen_by(api.admin) == []
    keep_alerts(api.deps, "books", [LATE])
    assert len(seen_by(api.admin)) == 1
    assert [each["state"] for each in api.admin.get(PATH, state="all")["alerts"]] == ["open", "closed"]
    assert seen_by(api.admin, **{"kind[]": "disk"}) == []


def test_manager_sees_alerts_of_what_it_manages_and_none_of_the_platform(api: Api) -> None:
    sales_id, sales = api.add_staff(Role.MANAGER_SALES)
    affiliate_id, manager = api.add_staff(Role.MANAGER_AFFILIATE)
    own, foreign = api.add_advertiser(manager=sales_id), api.add_advertiser()
    pid, _ = api.add_affiliate(manager_id=affiliate_id)
    other, _ = api.add_affiliate()
    hosts = [slow(pid), SeenCause(Finding(FindingKind.AFFILIATE_CLICKS_FALL, str(other), LITTLE), affiliate_id=other)]
    keep_alerts(api.deps, "books", [LATE, silent(own), silent(foreign), *hosts])
    assert seen_by(sales) == [("advertiser_silent", own)]
    assert seen_by(manager) == [("deliveries_fail", "hook.example")]
    assert len(seen_by(api.admin)) == 5
    assert mailed_to(api).keys() >= {f"staff:{sales_id}", f"staff:{affiliate_id}"}


def test_people_without_statistics_see_no_alerts(api: Api) -> None:
    _, tickets = api.add_staff(Role.SECTION_TICKET)
    assert tickets.call("GET", PATH).status_code == 403


def test_alert_is_mailed_as_chosen_and_after_quiet_hours(api: Api) -> None:
    user, admin = api.add_staff(Role.ADMIN)
    now = api.clock.now_ms()
    shown = admin.post(CHOICES, quiet_from="00:00", quiet_until="23:59", errors_pass="1")["choices"]
    assert (shown["quiet_from"], shown["quiet_until"]) == ("00:00", "23:59")
    nearly = Finding(FindingKind.DISK_LOW, "here: /data", {"free_percent": 12})
    keep_alerts(api.deps, "checks", [SeenCause(nearly)])
    assert mailed_to(api)[f"staff:{user}"] > now + 10 * MINUTE
    keep_alerts(api.deps, "books", [LATE])
    assert min(mailed_to(api).values()) < now + 10 * MINUTE
    ways = admin.post(CHOICES, **{"ways[lag]": "console"})["choices"]["ways"]
    assert (ways["lag"], ways["disk"], ways["rise"]) == ("console", "mail", "console")


@pytest.mark.parametrize(
    ("name", "value", "field"),
    [
        ("quiet_from", "25:00", "quiet_from"),
        ("quiet_from", "22:00", "quiet_until"),
        ("ways[weather]", "mail", "ways[weather]"),
        ("ways[disk]", "pigeon", "ways[disk]"),
        ("digest", "hour", "digest"),
        ("digest_hour", "24", "digest_hour"),
    ],
)
def test_wrong_choice_names_its_field(api: Api, name: str, value: str, field: str) -> None:
    refused = api.admin.call("POST", CHOICES, data={name: value})
    assert refused.status_code == 400
    assert field in refused.json()["fields"]


def test_quiet_hours_can_be_ended(api: Api) -> None:
    _, admin = api.add_staff(Role.ADMIN)
    admin.post(CHOICES, quiet_from="22:00", quiet_until="07:00")
    ended = admin.post(CHOICES, quiet_from="", quiet_until="")["choices"]
    assert (ended["quiet_from"], ended["quiet_until"]) == ("", "")


def test_cap_of_which_four_fifths_are_used_is_a_cause_of_its_advertiser(api: Api) -> None:
    advertiser = api.add_advertiser()
    cap = {"caps[0][period]": "day", "caps[0][type]": "conversions", "caps[0][value]": 10}
    offer = api.add_offer(advertiser=advertiser, **cap)
    with api.deps.database.read() as conn:
        [stored] = list_by_id(conn, Scope.everything(), [offer])
    start = NOW - NOW % DAY
    row = {"name": "c", "offer_id": offer, "limit_id": stored.caps[0].id, "start": start}

    def look_with(number: int) -> list[tuple[str, str | None]]:
        with api.deps.database.write() as conn:
            conn.execute(delete(counter))
            values = {**row, "until": start + DAY, "conversions": number}
            conn.execute(insert(counter).values(**values, budget=Decimal(0), notified=False))
        return [(each.key, each.advertiser_id) for each in look_at_books(api.deps)]

    assert look_with(7) == []
    assert look_with(8) == [(f"cap_nearly_full:{offer}", advertiser)]
    assert look_with(10) == [(f"cap_full:{offer}", advertiser)]


def test_host_that_takes_no_postbacks_for_a_quarter_of_an_hour_is_a_cause_of_its_affiliate(api: Api) -> None:
    def look_after(minutes: int, *affiliates: int) -> list[tuple[str, int | None]]:
        created = api.clock.now_ms() - minutes * MINUTE
        with api.deps.database.write() as conn:
            conn.execute(delete(delivery))
            deliveries.add(conn, [_delivery(affiliate, created) for affiliate in affiliates])
            conn.execute(update(delivery).values(attempts=1, next_at=created + DAY))
        return [(each.finding.kind.value, each.affiliate_id) for each in look_at_books(api.deps)]

    assert look_after(14, 7) == []
    assert look_after(15, 7) == [("deliveries_fail", 7)]
    assert look_after(15, 7, 8) == [("deliveries_fail", None)]


def test_fall_of_clicks_and_silence_of_postbacks_are_causes_when_no_chance_explains_them(api: Api) -> None:
    advertiser, (pid, _) = api.add_advertiser(), api.add_affiliate()
    offer = api.add_offer(advertiser=advertiser)
    hour = NOW - NOW % HOUR
    usual = [
        new_click(
            week * 100 + place, offer=offer, affiliate=pid, advertiser=advertiser, time=hour - week * 7 * DAY - MINUTE
        )
        for week in (1, 2, 3, 4)
        for place in range(25)
    ]
    load_clicks(api.deps, usual)
    facts = [
        new_fact(number, time=each.time, click_time=each.time, offer=offer, affiliate=pid, advertiser=advertiser)
        for number, each in enumerate(usual)
    ]
    load(api.deps.analytics, "fact", [encode_row(each) for each in facts], "facts")
    found = {each.key for each in look_at_statistics(api.deps, NOW)}
    assert found >= {f"offer_clicks_fall:{offer}", f"affiliate_clicks_fall:{pid}", f"advertiser_silent:{advertiser}"}
    load_clicks(api.deps, [msgspec.structs.replace(each, id=new_id(hour), time=hour - MINUTE) for each in usual])
    assert {each.key for each in look_at_statistics(api.deps, NOW)} & {f"offer_clicks_fall:{offer}"} == set()


def test_disk_and_certificates_of_a_machine_are_causes_named_by_its_host(api: Api) -> None:
    disk = Finding(FindingKind.DISK_FULL, "/data", {"free_percent": 4})
    backup = Finding(FindingKind.BACKUP_MISSING, "/data")
    deps = replace(api.deps, checks=lambda: [CheckFindings("disk", "disk", (disk, backup))])
    assert [each.key for each in look_at_checks(deps, "one")] == ["disk_full:one: /data"]
    late = replace(api.deps, machine=lambda: MachineStatus(lags={"journal": 299.0, "projector": 301.0}))
    assert [each.key for each in look_at_lags(late, "one")] == ["queue_late:one: projector"]


def test_rise_of_clicks_is_a_cause_of_the_offer_and_the_affiliate(api: Api) -> None:
    advertiser, (pid, _) = api.add_advertiser(), api.add_affiliate()
    offer = api.add_offer(advertiser=advertiser)
    own = {"offer": offer, "affiliate": pid, "advertiser": advertiser}
    hour = NOW - NOW % HOUR
    usual = [
        new_click(week * 100 + place, time=hour - week * 7 * DAY - MINUTE, **own)
        for week in (1, 2, 3, 4)
        for place in range(25)
    ]
    load_clicks(api.deps, usual)

    def rises(first: int, count: int) -> set[str]:
        load_clicks(api.deps, [new_click(place, time=hour - MINUTE, **own) for place in range(first, first + count)])
        return {each.key for each in look_at_statistics(api.deps, NOW) if "rise" in each.key}

    assert rises(1000, 49) == set(), "twice the usual is not reached"
    assert rises(2000, 100) == {f"offer_clicks_rise:{offer}", f"affiliate_clicks_rise:{pid}"}


def test_certificate_and_rates_that_checks_found_are_causes(api: Api) -> None:
    ends = Finding(FindingKind.CERTIFICATE_ENDS, "https://track.example", {"days": 3, "day": "2023-11-17"})
    own = Finding(FindingKind.TRACKING_CERTIFICATE_ENDS, "/tls.pem", {"days": 3, "day": "2023-11-17"})
    old = Finding(FindingKind.RATES_OLD, "ecb", {"days": 6, "day": "2023-11-08"})
    unsent = Finding(FindingKind.MAIL_REFUSED, "mail.example:587", {"reason": "Connection refused", "place": "Mail"})
    deps = replace(api.deps, checks=lambda: [CheckFindings("all", "all", (ends, own, old, unsent))])
    assert {each.key for each in look_at_checks(deps, "one")} == {
        f"{ends.kind.value}:https://track.example", f"{own.kind.value}:one: /tls.pem", "rates_old:ecb",
        "mail_refused:mail.example:587",
    }  # fmt: skip
