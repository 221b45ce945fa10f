"""Decisions on postbacks are the same for the worker and a dry run."""

import msgspec
import pytest

from tests.support.clicks.inbound_postbacks import AT, make_click
from tests.support.limited_offer import UTC, LimitedOffer
from trackyard.actions.conversions.decisions import DecisionBatch
from trackyard.actions.conversions.identities import PostbackRequest
from trackyard.domain.conversions.conversions import ConversionChange
from trackyard.domain.conversions.postbacks import PostbackError, parse_postback
from trackyard.journal.records import Click

CAP = {"value": "1", "affiliate_type": "each"}
TIER = {"value": "1", "timeframe": "all"}


def inquiry(click: Click, **params: str) -> PostbackRequest:
    facts = parse_postback("c" * 24, AT, "192.0.2.9", {"clickid": click.id} | params, "001-1", 10**6)
    return PostbackRequest(facts, msgspec.structs.asdict(click))


def looked(limited: LimitedOffer, *asked: PostbackRequest) -> list[ConversionChange | PostbackError]:
    """Return the decision on each postback as if it came alone."""
    with limited.database.read() as conn:
        desk = DecisionBatch(conn, asked, "USD", UTC, read_only=True)
        return [desk.decide(each, "d" * 24) for each in asked]


def test_postback_decision_preview_equals_real_decision(limited: LimitedOffer) -> None:
    limited.limit(CAP, tiers=(TIER,), reject_not_uniq_ip=True)
    fresh, known = limited.click(ip="198.51.100.1"), limited.send(status="2")
    first, repeat = looked(limited, inquiry(fresh), inquiry(known))
    assert isinstance(first, ConversionChange)
    assert (first.after.status, first.after.modifiers) == ("confirmed", ())
    assert isinstance(repeat, ConversionChange)
    limited.settle()
    again = inquiry(known), inquiry(known, status="2"), inquiry(fresh), inquiry(limited.click())
    confirmed, same, over, twice = looked(limited, *again)
    assert isinstance(confirmed, ConversionChange)
    assert confirmed.before is not None
    assert same is PostbackError.EXISTS
    assert isinstance(over, ConversionChange)
    assert (over.after.comment, len(over.after.modifiers)) == ("Cap is reached", 1)
    assert isinstance(twice, ConversionChange)
    assert twice.after.comment == "IP duplicate"
    assert limited.call(fresh) == ("declined", "Cap is reached")


def test_postback_decision_preview_takes_no_locks_and_writes_nothing(limited: LimitedOffer) -> None:
    limited.limit(CAP)
    click = limited.send(status="2")
    limited.settle()
    with limited.database.write() as writing:
        DecisionBatch(writing, [inquiry(click)], "USD", UTC)  # holds the offer, the conversion and its counters
        assert isinstance(looked(limited, inquiry(click))[0], ConversionChange)
    with limited.database.read() as conn:
        desk = DecisionBatch(conn, [inquiry(click)], "USD", UTC, read_only=True)
        with pytest.raises(RuntimeError, match="records nothing"):
            desk.record([], AT)


def test_postback_decision_for_missing_offer_is_offer_disabled(limited: LimitedOffer) -> None:
    assert looked(limited, inquiry(make_click(10**6, limited.affiliate, limited.advertiser))) == [
        PostbackError.OFFER_DISABLED
    ]
