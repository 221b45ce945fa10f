"""What decisions on calls rest on: the same for who decides and for who only looks."""

import msgspec
import pytest

from tests.support.calls import AT, make_click
from tests.support.limited import UTC, Limited
from trackyard.actions.conversions.decisions import Desk, Inquiry
from trackyard.domain.conversions.conversions import CallFacts, Change, Fault
from trackyard.journal.records import Click

CAP = {"value": "1", "affiliate_type": "each"}
TIER = {"value": "1", "timeframe": "all"}


def inquiry(click: Click, **params: str) -> Inquiry:
    facts = CallFacts("c" * 24, AT, "192.0.2.9", {"clickid": click.id} | params, "001-1", 10**6)
    return Inquiry(facts, msgspec.structs.asdict(click))


def looked(limited: Limited, *asked: Inquiry) -> list[Change | Fault]:
    """What each would do if it came alone."""
    with limited.database.read() as conn:
        desk = Desk(conn, asked, "USD", UTC, looking=True)
        return [desk.decide(each, "d" * 24) for each in asked]


def test_who_looks_sees_what_who_decides_sees(limited: Limited) -> None:
    limited.limit(CAP, tiers=(TIER,), reject_not_uniq_ip=True)
    fresh, known = limited.click(ip="198.51.100.1"), limited.send(status="2")
    first, repeat = looked(limited, inquiry(fresh), inquiry(known))
    assert isinstance(first, Change)
    assert (first.after.status, first.after.modifiers) == ("confirmed", ())
    assert isinstance(repeat, Change)
    limited.settle()
    again = inquiry(known), inquiry(known, status="2"), inquiry(fresh), inquiry(limited.click())
    confirmed, same, over, twice = looked(limited, *again)
    assert isinstance(confirmed, Change)
    assert confirmed.before is not None
    assert same is Fault.EXISTS
    assert isinstance(over, Change)
    assert (over.after.comment, len(over.after.modifiers)) == ("Cap is reached", 1)
    assert isinstance(twice, Change)
    assert twice.after.comment == "IP duplicate"
    assert limited.call(fresh) == ("declined", "Cap is reached")


def test_who_looks_waits_for_nobody_and_writes_nothing(limited: Limited) -> None:
    limited.limit(CAP)
    click = limited.send(status="2")
    limited.settle()
    with limited.database.write() as writing:
        Desk(writing, [inquiry(click)], "USD", UTC)  # holds the offer, the conversion and its counters
        assert isinstance(looked(limited, inquiry(click))[0], Change)
    with limited.database.read() as conn:
        desk = Desk(conn, [inquiry(click)], "USD", UTC, looking=True)
        with pytest.raises(RuntimeError, match="records nothing"):
            desk.record([], AT)


def test_an_offer_that_is_not_there(limited: Limited) -> None:
    assert looked(limited, inquiry(make_click(10**6, limited.affiliate, limited.advertiser))) == [Fault.OFFER_DISABLED]
