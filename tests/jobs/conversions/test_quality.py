"""What an offer does with conversions of suspicious clicks, and how held ones are released."""

from decimal import Decimal

from sqlalchemy import func, select, update

from tests.support.clicks.inbound_postbacks import AT
from tests.support.limited_offer import LimitedOffer
from trackyard.domain.conversions.edits import ConversionEdit
from trackyard.domain.conversions.sessions import DAY_MS
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.quality.conversion_signals import UsualTimes, signals_text
from trackyard.domain.statistics.quality.origins import HOSTING, RELAY
from trackyard.journal.records import Click
from trackyard.store.conversions.conversions import take_held_by_quality
from trackyard.store.statistics.usual_times import write_usual_times
from trackyard.store.tables import conversion, ledger

REASON = "Suspicious traffic"
HELD = ("hold", REASON)


def suspicious(limited: LimitedOffer) -> Click:
    return limited.click(origin=HOSTING)


def money(limited: LimitedOffer) -> tuple[Decimal, Decimal]:
    """Return what is on hold, and what is available."""
    with limited.database.read() as conn:
        row = conn.execute(select(func.sum(ledger.c.hold), func.sum(ledger.c.available))).one()
        return row[0] or Decimal(0), row[1] or Decimal(0)


def release(limited: LimitedOffer) -> int:
    """Release as the use case does."""
    with limited.database.write() as conn:
        held = take_held_by_quality(conn, Scope.everything(), limited.offer, None)
    limited.order(*(ConversionEdit(conversion_id=each.id, status=Status.CONFIRMED, releases=True) for each in held))
    return len(held)


def test_offer_counts_marks_or_rejects_suspicious_conversions(limited: LimitedOffer) -> None:
    assert limited.call(suspicious(limited)) == ("confirmed", "")
    limited.limit(quality="mark")
    assert limited.call(suspicious(limited)) == ("confirmed", REASON)
    assert limited.call(suspicious(limited), comment="paid") == ("confirmed", "paid")
    limited.limit(quality="reject")
    assert limited.call(suspicious(limited)) == ("declined", REASON)
    assert limited.call(limited.click(origin=RELAY)) == ("confirmed", "")


def test_offer_holds_suspicious_conversions_until_they_are_released_once(limited: LimitedOffer) -> None:
    limited.limit(quality="hold", hold_period=1)
    held = [suspicious(limited) for _ in range(2)]
    assert [limited.call(each) for each in held] == [HELD, HELD]
    assert limited.call(limited.click()) == ("hold", "")
    with limited.database.read() as conn:
        ends = conn.execute(select(conversion.c.hold_until).where(conversion.c.quality_held)).scalars().all()
    assert ends == [None, None]
    assert money(limited) == (Decimal(15), Decimal(0))
    assert (release(limited), release(limited)) == (2, 0)
    assert [limited.state(each) for each in held] == [("confirmed", REASON)] * 2
    assert money(limited) == (Decimal(5), Decimal(10))


def test_pending_suspicious_conversion_is_held_when_it_is_confirmed(limited: LimitedOffer) -> None:
    limited.limit(quality="hold")
    click = suspicious(limited)
    assert limited.call(click, status="2") == ("pending", "")
    assert limited.call(click, status="1") == HELD
    assert limited.call(click, status="3") == ("declined", REASON)
    assert release(limited) == 0
    assert limited.call(suspicious(limited), status="5") == ("hold", ""), "it waits for people anyway"


def test_conversion_that_staff_decided_is_not_released(limited: LimitedOffer) -> None:
    limited.limit(quality="hold")
    click = suspicious(limited)
    limited.call(click)
    limited.edit(click, status=Status.DECLINED)
    limited.edit(click, status=Status.HOLD)
    assert release(limited) == 0 and limited.state(click)[0] == "hold"
    other = suspicious(limited)
    limited.call(other)
    with limited.database.write() as conn:
        conn.execute(update(conversion).where(conversion.c.click_id == other.id).values(comment="looked at"))
    assert release(limited) == 1


def test_conversion_that_staff_declined_before_its_release_stays_declined(limited: LimitedOffer) -> None:
    limited.limit(quality="hold")
    click = suspicious(limited)
    limited.call(click)
    with limited.database.write() as conn:
        (held,) = take_held_by_quality(conn, Scope.everything(), limited.offer, None)
    limited.edit(click, status=Status.DECLINED)
    limited.order(ConversionEdit(conversion_id=held.id, status=Status.CONFIRMED, releases=True))
    assert limited.state(click)[0] == "declined"
    assert money(limited) == (Decimal(0), Decimal(0))


def signals(limited: LimitedOffer, click: Click) -> str:
    with limited.database.read() as conn:
        found = conn.execute(select(conversion.c.signals).where(conversion.c.click_id == click.id)).scalar_one()
        return signals_text(found)


def test_time_out_of_the_usual_ones_is_a_reason_of_the_conversion(limited: LimitedOffer) -> None:
    usual = UsualTimes(100, 120_000, 480_000)
    with limited.database.write() as conn:
        write_usual_times(conn, {(limited.offer, "1"): usual}, ())
    limited.limit(quality="hold")
    quick = limited.click(time=AT - 2_000, ip="198.51.100.1")
    late = limited.click(time=AT - 2 * DAY_MS, ip="198.51.100.2")
    plain = limited.click(ip="198.51.100.3")
    assert [limited.call(each) for each in (quick, late, plain)] == [HELD, HELD, ("confirmed", "")]
    assert [signals(limited, each) for each in (quick, late, plain)] == ["quick", "late", ""]
    limited.limit(quality="reject")
    other = limited.click(time=AT - 3_000, ip="198.51.100.4")
    assert limited.call(other) == ("declined", REASON)
    with limited.database.write() as conn:
        write_usual_times(conn, {}, [(limited.offer, "1")])
    assert limited.call(limited.click(time=AT - 2_000, ip="198.51.100.5")) == ("confirmed", "")


def test_address_that_converted_before_is_named_and_counts(limited: LimitedOffer) -> None:
    limited.limit(quality="reject")
    clicks = [limited.click(), limited.click(), limited.click(ip="198.51.100.8")]
    assert [limited.call(each) for each in clicks] == [("confirmed", "")] * 3
    assert [signals(limited, each) for each in clicks] == ["", "repeated_address", ""]
    together = [limited.send(limited.click(ip="198.51.100.9")) for _ in range(2)]
    limited.settle()
    assert [signals(limited, each) for each in together] == ["", "repeated_address"]
