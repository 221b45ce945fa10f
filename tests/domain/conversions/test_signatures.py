"""Signed postbacks (docs/spec/conversions.md#signatures)."""

import hashlib
import hmac
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.domain.conversions.test_conversions import AT, CLICK, OFFER, TERMS
from trackyard.domain.conversions.conversions import ConversionChange
from trackyard.domain.conversions.decisions import decide
from trackyard.domain.conversions.postbacks import PostbackError, parse_postback
from trackyard.domain.conversions.signatures import sign, signed_text

SECRET = "5" * 40
SIGNED = replace(TERMS, signing_secret=SECRET, advertiser_secure="code")
NOW = str(AT // 1000)


def outcome(params: dict[str, str], page: str | None = None) -> Any:
    """Return the status of the conversion that a postback makes, or its fault."""
    postback = parse_postback("c" * 24, AT, "192.0.2.9", params, page=page)
    decided = decide(postback, CLICK, SIGNED, None, "d" * 24)
    return decided.after.status if isinstance(decided, ConversionChange) else decided


def sent(secret: str = SECRET, **params: str) -> dict[str, str]:
    """Return the parameters of a signed postback."""
    given = {"clickid": CLICK["id"], "ts": NOW, "sum": "49.90"} | params
    return given | {"signature": sign(secret, signed_text(given)), "secure": "code"}


def test_signed_text_is_that_of_the_documents() -> None:
    params = {"sum": "49.90", "clickid": "c", "ts": "1", "comment": "a b&c=d/~ü", "secure": "x", "signature": "y"}
    text = "clickid=c&comment=a%20b%26c%3Dd%2F~%C3%BC&sum=49.90&ts=1"
    assert signed_text(params) == text
    assert sign(SECRET, text) == hmac.new(SECRET.encode(), text.encode(), hashlib.sha256).hexdigest()


def test_signed_postback_is_accepted_with_code_and_signature_only() -> None:
    assert outcome(sent()) == "confirmed"
    assert outcome(sent() | {"signature": sent()["signature"].upper()}) == "confirmed"
    assert outcome(sent() | {"secure": "guessed"}) is PostbackError.ACCESS_DENIED
    for wrong in ("", "ü", "0" * 64, sent(secret="6" * 40)["signature"]):
        assert outcome(sent() | {"signature": wrong}) is PostbackError.WRONG_SIGNATURE


@pytest.mark.parametrize(
    "change",
    [
        {"sum": "4990"},
        {"action_id": "other"},
        {"status": "3"},
        {"ts": str(AT // 1000 + 1)},
        {"goal": "2"},
        {"ip": "1.1.1.1"},
    ],
)
def test_signed_postback_with_another_parameter_is_denied(change: dict[str, str]) -> None:
    assert outcome(sent() | change) is PostbackError.WRONG_SIGNATURE


@pytest.mark.parametrize(("seconds", "taken"), [(-301, False), (-300, True), (0, True), (300, True), (301, False)])
def test_signed_postback_is_taken_for_five_minutes(seconds: int, taken: bool) -> None:
    expected = "confirmed" if taken else PostbackError.SIGNATURE_EXPIRED
    assert outcome(sent(ts=str(AT // 1000 + seconds))) == expected


@pytest.mark.parametrize("ts", ["", "now", "-1", "٣", "9" * 40])
def test_signed_postback_without_a_time_is_expired(ts: str) -> None:
    assert outcome(sent(ts=ts)) is PostbackError.SIGNATURE_EXPIRED


def test_pixel_of_an_advertiser_that_signs_only_announces() -> None:
    pixel = {"clickid": CLICK["id"], "secure": "p" * 40}
    own = replace(SIGNED, offer=replace(OFFER, pixel_code="p" * 40))
    made = decide(parse_postback("c" * 24, AT, "", pixel, page=""), CLICK, own, None, "d" * 24)
    assert isinstance(made, ConversionChange) and made.after.status == "pending"
    assert outcome({"clickid": CLICK["id"], "secure": "code"}, page="") is PostbackError.ACCESS_DENIED


texts = st.dictionaries(st.text("abc_=&%", min_size=1, max_size=4), st.text(max_size=5), max_size=4)


@given(texts, texts)
def test_signed_text_differs_where_parameters_do(one: dict[str, str], other: dict[str, str]) -> None:
    assert (signed_text(one) == signed_text(other)) is (one == other)
