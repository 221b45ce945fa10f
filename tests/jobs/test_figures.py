"""cr and epc of offers, refreshed from statistics."""

from decimal import Decimal

from sqlalchemy import select

from tests.support import seeds
from tests.support.events import NOON, new_click, new_fact
from trackyard.base.clock import ManualClock
from trackyard.domain.facts import encode_row
from trackyard.jobs.figures import PERIOD_MS, OfferFigures
from trackyard.journal.records import encode
from trackyard.stats.engine import Analytics
from trackyard.stats.load import click_item, load
from trackyard.store.engine import Database
from trackyard.store.tables import offer

NOW = NOON + 3_600_000
NOTHING = (Decimal(0), Decimal(0))


def figures_of(database: Database) -> dict[int, tuple[Decimal, Decimal]]:
    with database.read() as conn:
        return {row.id: (row.cr, row.epc) for row in conn.execute(select(offer.c.id, offer.c.cr, offer.c.epc))}


def test_figures_follow_the_traffic_of_30_days(database: Database, analytics: Analytics) -> None:
    with database.write() as conn:
        advertiser = seeds.add_advertiser(conn)
        first, second = (seeds.add_offer(conn, advertiser) for _ in range(2))
    old = [new_click(9, offer=second, time=NOW - PERIOD_MS - 1)]
    clicks = [new_click(number, offer=first) for number in range(3)] + [new_click(5, offer=first, reason="bot")]
    load(analytics, "click", [click_item("001-1", place, encode(each)) for place, each in enumerate(clicks + old)], "a")
    facts = [
        new_fact(1, offer=first, payout_base=Decimal(7), payout=Decimal(7)),
        new_fact(2, offer=first, status=3, payout_base=Decimal(9), payout=Decimal(9)),
    ]
    load(analytics, "fact", [encode_row(fact) for fact in facts], "b")
    clock = ManualClock(NOW)
    job = OfferFigures(database, analytics, clock)
    assert job.refresh() == 1
    # Three clicks that passed, two conversions of any status, a payout of 7 confirmed.
    assert figures_of(database) == {first: (Decimal("66.6667"), Decimal("2.3333")), second: NOTHING}
    assert job.refresh() == 0
    clock.advance(PERIOD_MS)
    assert job.refresh() == 1
    assert figures_of(database) == {first: NOTHING, second: NOTHING}


def test_figures_are_asked_for_once_a_minute(database: Database, analytics: Analytics) -> None:
    with database.write() as conn:
        offer_id = seeds.add_offer(conn, seeds.add_advertiser(conn))
    clock = ManualClock(NOW)
    job = OfferFigures(database, analytics, clock)
    assert not job.refresh_when_due()
    load(analytics, "click", [click_item("001-1", 1, encode(new_click(1, offer=offer_id)))], "a")
    load(analytics, "fact", [encode_row(new_fact(1, offer=offer_id))], "b")
    assert not job.refresh_when_due()
    assert figures_of(database)[offer_id] == NOTHING
    clock.advance(3_600_000)
    assert not job.refresh_when_due()
    assert figures_of(database)[offer_id] == (Decimal(100), Decimal(2))
