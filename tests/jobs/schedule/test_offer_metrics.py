"""cr and epc of offers, refreshed from statistics."""

from decimal import Decimal
from typing import cast

import pytest
from sqlalchemy import insert, select

from tests.support.models.events import NOON, new_click, new_fact
from tests.support.stores import seeds
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.load import click_item, load
from trackyard.base.clock import ManualClock
from trackyard.domain.statistics.rows import encode_row
from trackyard.domain.tracking.ruleset import RulesetSmartLink, RulesetSmartLinkOffer
from trackyard.jobs.schedule.offer_metrics import MONTH_MS, WEEK_MS, OfferMetricsRefresher
from trackyard.journal.records import encode
from trackyard.store.engine.database import Database
from trackyard.store.tables import offer, offer_label, smartlink_category
from trackyard.store.tracking import rulesets

NOW = NOON + 3_600_000
NOTHING = (Decimal(0), Decimal(0))


def offer_metrics(database: Database) -> dict[int, tuple[Decimal, Decimal]]:
    with database.read() as conn:
        return {row.id: (row.cr, row.epc) for row in conn.execute(select(offer.c.id, offer.c.cr, offer.c.epc))}


def test_offer_cr_and_epc_follow_traffic_of_30_days(database: Database, analytics: Analytics) -> None:
    with database.write() as conn:
        advertiser = seeds.add_advertiser(conn)
        first, second = (seeds.add_offer(conn, advertiser) for _ in range(2))
    old = [new_click(9, offer=second, time=NOW - MONTH_MS - 1)]
    clicks = [new_click(number, offer=first) for number in range(3)] + [new_click(5, offer=first, reason="bot")]
    load(analytics, "click", [click_item("001-1", place, encode(each)) for place, each in enumerate(clicks + old)], "a")
    facts = [
        new_fact(1, offer=first, payout_base=Decimal(7), payout=Decimal(7)),
        new_fact(2, offer=first, status=3, payout_base=Decimal(9), payout=Decimal(9)),
    ]
    load(analytics, "fact", [encode_row(fact) for fact in facts], "b")
    clock = ManualClock(NOW)
    job = OfferMetricsRefresher(database, analytics, clock)
    assert job.refresh() == 1
    # Three clicks that passed, two conversions of any status, a payout of 7 confirmed.
    assert offer_metrics(database) == {first: (Decimal("66.6667"), Decimal("2.3333")), second: NOTHING}
    assert job.refresh() == 0
    clock.advance(MONTH_MS)
    assert job.refresh() == 1
    assert offer_metrics(database) == {first: NOTHING, second: NOTHING}


def test_smartlink_order_follows_epc_of_7_days(database: Database, analytics: Analytics) -> None:
    key, other = "9" * 24, "8" * 24
    with database.write() as conn:
        advertiser = seeds.add_advertiser(conn)
        first, second, third = (seeds.add_offer(conn, advertiser) for _ in range(3))
        now = {"created_at": 1, "updated_at": 1, "name": "S"}
        conn.execute(insert(smartlink_category), [{"id": key, **now}, {"id": other, **now}])
        kept = [(key, first), (key, second), (other, third)]
        conn.execute(
            insert(offer_label), [{"kind": "smartlink", "value": value, "offer_id": id_} for value, id_ in kept]
        )
    clicks = [new_click(number, offer=second) for number in range(4)]
    clicks += [new_click(7, offer=second, reason="bot"), new_click(8, offer=first, time=NOW - WEEK_MS - 1)]
    load(analytics, "click", [click_item("001-1", place, encode(each)) for place, each in enumerate(clicks)], "a")
    facts = [
        new_fact(number, offer=second, status=status, payout_base=Decimal(amount), payout=Decimal(amount))
        for number, (status, amount) in enumerate([(1, 1), (2, 2), (3, 99), (4, 99), (5, 4), (6, 8)])
    ]
    old = [new_fact(9, offer=first, time=NOW - WEEK_MS - 1, payout_base=Decimal(50))]
    load(analytics, "fact", [encode_row(fact) for fact in facts + old], "b")
    with database.read() as conn:
        before = rulesets.ruleset_version(conn)
    clock = ManualClock(NOW)
    job = OfferMetricsRefresher(database, analytics, clock)
    job.refresh()
    with database.read() as conn:
        assert [(each.kind, each.key) for each in rulesets.changes_since(conn, before, 9)] == [("smartlink", key)]
        row = rulesets.compile_row(conn, "smartlink", key)
        before = rulesets.ruleset_version(conn)
    # Fifteen paid for four clicks that passed; what is older or declined is not counted.
    assert row == RulesetSmartLink(key, (RulesetSmartLinkOffer(second, 3.75), RulesetSmartLinkOffer(first)))
    clock.advance(60_000)
    job.refresh()
    with database.read() as conn:
        assert rulesets.ruleset_version(conn) == before, "nothing changed"


def test_offer_metrics_are_refreshed_when_due(database: Database, analytics: Analytics) -> None:
    with database.write() as conn:
        offer_id = seeds.add_offer(conn, seeds.add_advertiser(conn))
    clock = ManualClock(NOW)
    job = OfferMetricsRefresher(database, analytics, clock)
    assert not job.refresh_when_due()
    load(analytics, "click", [click_item("001-1", 1, encode(new_click(1, offer=offer_id)))], "a")
    load(analytics, "fact", [encode_row(new_fact(1, offer=offer_id))], "b")
    assert not job.refresh_when_due()
    assert offer_metrics(database)[offer_id] == NOTHING
    clock.advance(3_600_000)
    assert not job.refresh_when_due()
    assert offer_metrics(database)[offer_id] == (Decimal(100), Decimal(2))


def test_offer_metrics_rest_while_nothing_is_loaded(sqlite_database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, refreshed, loads = ManualClock(NOW), list[int](), [0]
    job = OfferMetricsRefresher(sqlite_database, cast(Analytics, None), clock, lambda: loads[0])
    monkeypatch.setattr(job, "refresh", lambda: refreshed.append(clock.now_ms()))
    for minute in range(12):
        loads[0] += minute == 3
        job.refresh_when_due()
        clock.advance(60_000)
    minutes = [(each - NOW) // 60_000 for each in refreshed]
    assert minutes == [0, 3], "the first look, and a minute with rows"
    clock.advance(60_000)
    job.refresh_when_due()
    assert len(refreshed) == 3, "periods move on without rows, too"
