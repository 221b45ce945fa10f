"""Statements hold every kind of entry at its day, and each line leads to what it adds up.

See docs/spec/money.md#statements.
"""

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import count
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import insert

from tests.api.money.test_affiliate_payments import earn
from tests.support.api import Api, installed
from tests.support.client import ApiClient
from tests.support.models.history import add_conversion
from trackyard.analytics.engine.connection import Analytics
from trackyard.base.zones import local_day
from trackyard.domain.conversions.conversions import Conversion, ConversionChange
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.money.ledger import LedgerEntry, ledger_entries_of
from trackyard.domain.money.statements import SUMMED_LINES
from trackyard.store.engine.database import Database
from trackyard.store.money import ledger as stored
from trackyard.store.tables import correction

DAY = 24 * 3_600_000
OWN_KINDS = ("conversion", "change", "relabel", "refund")
SHARE_KINDS = ("referral", "referral_relabel")
ZONES = ("UTC", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia")
_numbers = count(700)


@pytest.fixture
def network(database: Database, analytics: Analytics) -> Api:
    """An installation on either engine."""
    return installed(database, analytics)


def statement(own: ApiClient, first: object, last: object, **sent: Any) -> dict[str, Any]:
    """The statement of some days."""
    found: dict[str, Any] = own.get("/3.1/balance/statement", date_from=str(first), date_to=str(last), **sent)
    return dict(found["statement"])


def lines_of(found: dict[str, Any]) -> list[tuple[str, str, float]]:
    """The lines: day, kind, amount."""
    return [(each["date"], each["kind"], each["amount"]) for each in found["lines"]]


def book(api: Api, *entries: LedgerEntry) -> None:
    """Append entries to the ledger."""
    with api.deps.database.write() as conn:
        stored.add_entries(conn, entries)


def change(api: Api, before: Conversion, at: int, **fields: Any) -> Conversion:
    """A later state of a conversion, with its entries."""
    after = replace(before, version=before.version + 1, updated_at=at, **fields)
    book(api, *ledger_entries_of(ConversionChange(before, after, "test")))
    return after


def live(api: Api, pid: int, random: Random, since: int, days: int) -> list[LedgerEntry]:
    """Entries of every kind, at any moment of some days."""
    conversions = [
        add_conversion(api.deps, next(_numbers), offer_id=1 + each % 2, affiliate_id=pid, created_at=since)
        for each in range(12)
    ]
    made = list[LedgerEntry]()
    for version in range(1, 181):
        at = since + random.randrange(days * DAY)
        amount = Decimal(random.randrange(-90_000, 90_000)).scaleb(-4)
        kind = random.choice((*OWN_KINDS[:2], "refund", *SHARE_KINDS, "correction", "payment", "opening", "advance"))
        chosen = random.choice(conversions)
        held = amount if kind in OWN_KINDS[:2] and random.random() < 0.3 else Decimal(0)
        source = chosen.id if kind in (*OWN_KINDS, *SHARE_KINDS) else str(version)
        new = LedgerEntry(pid, kind, source, version, "USD", held, amount - held, at)
        if kind == "correction":
            with api.deps.database.write() as conn:
                values = {"id": version, "affiliate_id": pid, "currency": "USD", "amount": amount, "comment": "C"}
                conn.execute(insert(correction).values(**values, created_by="5" * 24, created_at=at))
        again = [replace(new, version=version + 1000, available=-amount)] if kind == "advance" else []
        moved = []
        if kind == "change" and random.random() < 0.2:
            moved = [replace(new, kind="relabel", currency="USD")]
            new = replace(new, currency="EUR")
        book(api, new, *again, *moved)
        made += [new, *again, *moved]
    return made


def model_of(made: list[LedgerEntry], zone: ZoneInfo, first: date, last: date) -> dict[tuple[str, str], Decimal]:
    """The sums of days by kind, of entries in USD."""
    found = dict[tuple[str, str], Decimal]()
    for entry in made:
        day, amount = local_day(entry.at, zone), entry.hold + entry.available
        if entry.currency != "USD" or not first <= day <= last or entry.kind not in (*OWN_KINDS, *SHARE_KINDS):
            continue
        if amount:
            kinds = ("conversions", "reversals") if entry.kind in OWN_KINDS else ("referral", "referral_reversals")
            key = (kinds[amount < 0], str(day))
            found[key] = found.get(key, Decimal(0)) + amount
    return found


PERIODS = (
    (date(2023, 3, 1), date(2023, 4, 30)),
    (date(2023, 3, 12), date(2023, 3, 12)),
    (date(2023, 3, 12), date(2023, 4, 2)),
)


@pytest.mark.parametrize("zone_name", ZONES)
def test_opening_and_every_kind_of_entry_make_the_closing_balance(network: Api, zone_name: str) -> None:
    zone, random = ZoneInfo(zone_name), Random(zone_name)
    spring = datetime(2023, 3, 6, tzinfo=UTC)  # New York loses an hour on the 12th, Lord Howe gets half of one in April
    pid, own = network.add_affiliate()
    made = live(network, pid, random, int(spring.timestamp() * 1000), 40)
    changes = [(local_day(each.at, zone), each.hold + each.available) for each in made if each.currency == "USD"]
    for first, last in PERIODS:
        before = sum((amount for day, amount in changes if day < first), Decimal(0))
        after = sum((amount for day, amount in changes if day <= last), Decimal(0))
        for by in ("day", "offer"):
            found = statement(own, first, last, by=by, timezone=zone_name)
            amounts = [Decimal(str(each["amount"])) for each in found["lines"]]
            assert [Decimal(str(found[name])) for name in ("opening", "closing")] == [before, after]
            assert before + sum(amounts) == after
            assert before + sum(Decimal(str(each)) for each in found["totals"].values()) == after
            dates = [each["date"] for each in found["lines"]]
            assert dates == sorted(dates), "one order by time"
        summed = {
            (each["kind"], each["date"]): Decimal(str(each["amount"]))
            for each in statement(own, first, last, timezone=zone_name)["lines"]
            if each["kind"] in SUMMED_LINES
        }
        assert summed == model_of(made, zone, first, last)


def test_late_decline_changes_no_line_of_an_earlier_day(network: Api) -> None:
    pid, own = network.add_affiliate()
    noon = int(datetime(2023, 11, 2, 12, tzinfo=UTC).timestamp() * 1000)
    kept = earn(network, pid, "10", created_at=noon)
    lost = earn(network, pid, "7", created_at=noon)
    printed = lines_of(statement(own, "2023-11-01", "2023-11-30"))
    assert printed == [("2023-11-02", "conversions", 17)]
    change(network, lost, noon + 9 * DAY, status=Status.DECLINED)
    change(network, kept, noon + 9 * DAY, payout=Decimal(12))
    later = lines_of(statement(own, "2023-11-01", "2023-11-30"))
    assert later == [*printed, ("2023-11-11", "conversions", 2), ("2023-11-11", "reversals", -7)]
    by_offer = statement(own, "2023-11-01", "2023-11-30", by="offer")
    assert [(each["kind"], each["offer_id"], each["amount"]) for each in by_offer["lines"]] == [
        ("conversions", 1, 19), ("reversals", 1, -7),
    ]  # fmt: skip
    assert by_offer["totals"]["reversals"] == -7


def test_referral_share_has_its_day_and_so_has_what_is_taken_back(network: Api) -> None:
    referrer, own = network.add_affiliate()
    pid, _ = network.add_affiliate()
    noon = int(datetime(2023, 11, 3, 12, tzinfo=UTC).timestamp() * 1000)
    earn(network, referrer, "5", created_at=noon - DAY)
    made = earn(
        network, pid, "10", created_at=noon, referrer_id=referrer, referral_percent=Decimal("3.5"),
    )  # fmt: skip
    change(network, made, noon + 5 * DAY, status=Status.DECLINED)
    assert lines_of(statement(own, "2023-11-01", "2023-11-30")) == [
        ("2023-11-02", "conversions", 5),
        ("2023-11-03", "referral", 0.35),
        ("2023-11-08", "referral_reversals", -0.35),
    ]
    by_offer = lines_of(statement(own, "2023-11-01", "2023-11-30", by="offer"))
    assert by_offer == [("", "conversions", 5), ("", "referral", 0.35), ("", "referral_reversals", -0.35)]
    for line, day in (("referral", "2023-11-03"), ("referral_reversals", "2023-11-08")):
        sent = {"booked[]": line, "date_from": day, "date_to": day}
        shared = network.admin.get("/3.1/stats/conversions", **sent, **{"referrer[]": referrer})["conversions"]
        assert [each["id"] for each in shared] == [made.id]
        assert not network.admin.get("/3.1/stats/conversions", **sent, **{"referrer[]": pid})["conversions"]
        assert not own.get("/3.1/stats/conversions", **sent)["conversions"], "it is another affiliate's conversion"


def test_earlier_earnings_are_a_line_of_their_day(network: Api) -> None:
    pid, own = network.add_affiliate()
    noon = int(datetime(2023, 11, 3, 12, tzinfo=UTC).timestamp() * 1000)
    book(network, LedgerEntry(pid, "opening", str(pid), 1, "USD", Decimal(0), Decimal("40.5"), noon))
    found = statement(own, "2023-11-01", "2023-11-30")
    assert (lines_of(found), found["closing"]) == ([("2023-11-03", "earlier", 40.5)], 40.5)
    file = own.call(
        "GET", "/3.1/balance/statement", params={"date_from": "2023-11-01", "date_to": "2023-11-30", "format": "csv"}
    ).text
    assert "earlier,2023-11-03" in file


def test_list_of_conversions_has_what_a_line_adds_up(network: Api) -> None:
    random, pid_and_own = Random(5), network.add_affiliate()
    pid, own = pid_and_own
    network.add_affiliate()
    since = int(datetime(2023, 3, 6, tzinfo=UTC).timestamp() * 1000)
    made = live(network, pid, random, since, 8)
    for zone_name in ZONES[:3]:
        zone = ZoneInfo(zone_name)
        for (line, day), _ in model_of(made, zone, date(2023, 3, 1), date(2023, 3, 30)).items():
            if line not in ("conversions", "reversals"):
                continue
            counted = {
                each.source_id
                for each in made
                if each.kind in OWN_KINDS
                and each.currency == "USD"
                and str(local_day(each.at, zone)) == day
                and (each.hold + each.available > 0) is (line == "conversions")
            }
            sent = {"booked[]": line, "date_from": day, "date_to": day, "currency[]": 840, "timezone": zone_name}
            for reader, named in ((own, {}), (network.admin, {"partner[]": pid})):
                shown = reader.get("/3.1/stats/conversions", limit=500, **sent, **named)["conversions"]
                assert {each["id"] for each in shown} == counted, (line, day)
    file = own.call("GET", "/3.1/stats/conversions", params={**sent, "format": "csv"})
    assert len(file.text.splitlines()) == 1 + len(counted)
