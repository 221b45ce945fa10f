"""Declines on arrival, and that every postback has an end.

docs/spec/conversions.md#decline-reasons
"""

from dataclasses import replace
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.domain.conversions.test_conversions import (
    AT,
    CLICK,
    ELSEWHERE,
    FIXED,
    OFFER,
    TERMS,
    make_conversion,
    make_postback,
)
from trackyard.base.money import MAX_AMOUNT
from trackyard.domain.conversions.conversions import (
    Conversion,
    ConversionChange,
    DecisionTerms,
    DeclineReason,
    OfferTerms,
)
from trackyard.domain.conversions.decisions import DECLINE_CHECKS, decide
from trackyard.domain.conversions.postbacks import PostbackError, find_early_error, parse_postback
from trackyard.domain.conversions.sessions import DAY_MS
from trackyard.domain.conversions.statuses import ChangeOrigin, Status, is_transition_allowed
from trackyard.domain.offers.caps import compile_caps
from trackyard.domain.offers.choices import OfferStatus, QualityMode
from trackyard.domain.offers.counters import Count
from trackyard.domain.offers.offers import Cap
from trackyard.domain.offers.payments import payment_of
from trackyard.domain.people.affiliates import AffiliateStatus
from trackyard.domain.statistics.quality.origins import HOSTING

BERLIN = ZoneInfo("Europe/Berlin")
FULL = compile_caps(
    3,
    [Cap(id="f" * 24, period="all", type="conversions", value=Decimal(1))],
    (),
    ("confirmed",),
    BERLIN,
    redirects=False,
    overcap_goal="",
    notice_percent=None,
)
COUNTS = {rule.measure.period_counter_at(AT).name: Count(1) for rule in FULL.rules}

FAULTY: dict[DeclineReason, tuple[dict[str, Any], dict[str, Any], int]] = {
    # of the terms, of the offer, milliseconds since the click
    DeclineReason.PARTNER_BANNED: ({"affiliate_status": AffiliateStatus.BANNED}, {}, 60_000),
    DeclineReason.SESSION_OVER: ({}, {"session": "1d"}, DAY_MS + 1),
    DeclineReason.SESSION_TOO_YOUNG: ({}, {"min_session": "2i"}, 60_000),
    DeclineReason.REPEATED: ({"converted_by_click": 1}, {"once_per_click": True}, 60_000),
    DeclineReason.SAME_ADDRESS: ({"converted": 1}, {"unique_ip": True}, 60_000),
    DeclineReason.NO_PAYMENT: ({}, {"payments": ()}, 60_000),
    DeclineReason.SUSPICIOUS: ({}, {"quality": QualityMode.REJECT}, 60_000),
    DeclineReason.CAP_REACHED: ({"counts": COUNTS}, {"caps": FULL}, 60_000),
}


def arrived(terms: DecisionTerms, age_ms: int) -> Conversion:
    change = decide(make_postback(sum="4"), CLICK | {"time": AT - age_ms, "origin": HOSTING}, terms, None, "d" * 24)
    assert isinstance(change, ConversionChange)
    return change.after


def faulty(*declines: DeclineReason) -> tuple[DecisionTerms, int]:
    """Return terms under which all of these apply."""
    of_terms: dict[str, Any] = {}
    of_offer: dict[str, Any] = {}
    for each in declines:
        of_terms |= FAULTY[each][0]
        of_offer |= FAULTY[each][1]
    ages = [FAULTY[each][2] for each in declines]
    if DeclineReason.SESSION_OVER in declines and DeclineReason.SESSION_TOO_YOUNG in declines:
        of_offer["min_session"] = "9d"
    return replace(TERMS, offer=replace(OFFER, **of_offer), **of_terms), max(ages)


@pytest.mark.parametrize("decline", FAULTY)
def test_conversion_decline_reason_is_stored_with_amounts(decline: DeclineReason) -> None:
    conversion = arrived(*faulty(decline))
    assert (conversion.status, conversion.comment) == ("declined", decline.value)
    assert conversion.payout == (0 if decline is DeclineReason.NO_PAYMENT else 5), "amounts are kept"


@pytest.mark.parametrize("place", range(len(FAULTY)))
def test_conversion_with_several_decline_reasons_shows_first(place: int) -> None:
    reasons = list(FAULTY)[place:]
    assert arrived(*faulty(*reasons)).comment == reasons[0]


def test_decline_reasons_are_all_checked() -> None:
    assert len(DECLINE_CHECKS) == len(FAULTY)
    assert set(DeclineReason) - set(FAULTY) == {DeclineReason.PARTNER_DISABLED}


@pytest.mark.parametrize(
    ("session", "min_session", "age_ms", "comment"),
    [
        ("1d", "0s", DAY_MS, ""),
        ("1d", "0s", DAY_MS + 1, "Click session lifespan is expired"),
        ("1y", "0s", 365 * DAY_MS, ""),
        ("1y", "0s", 365 * DAY_MS + 1, "Click session lifespan is expired"),
        ("1y", "5s", 5_000, ""),
        ("1y", "5s", 4_999, "Min click session lifespan is not reached"),
        ("1y", "5s", -60_000, "Min click session lifespan is not reached"),
        ("1y", "0s", -60_000, ""),  # a click of another machine's clock: no time since
        ("0s", "0s", -60_000, ""),
        ("0s", "0s", 1, "Click session lifespan is expired"),
        ("1h", "2h", 5_400_000, "Click session lifespan is expired"),  # nothing suits both
    ],
)
def test_conversion_outside_click_session_is_declined(
    session: str, min_session: str, age_ms: int, comment: str
) -> None:
    offer = replace(OFFER, session=session, min_session=min_session)
    assert arrived(replace(TERMS, offer=offer), age_ms).comment == comment


@pytest.mark.parametrize(
    ("unique_ip", "converted", "comment"), [(True, 0, ""), (True, 2, "IP duplicate"), (False, 2, "")]
)
def test_conversion_of_repeated_ip_is_declined_where_required(unique_ip: bool, converted: int, comment: str) -> None:
    terms = replace(TERMS, offer=replace(OFFER, unique_ip=unique_ip), converted=converted)
    assert arrived(terms, 60_000).comment == comment


def test_repeated_postback_skips_age_and_ip_checks() -> None:
    terms, age = faulty(*FAULTY)
    stored = make_conversion(status="2")
    change = decide(make_postback(AT + age, status="3"), CLICK, terms, stored, "e" * 24)
    assert isinstance(change, ConversionChange)
    assert (change.after.status, change.after.comment) == ("declined", "")


# --- every call has an end ------------------------------------------------------------------------------

PERCENT = payment_of(FIXED | {"type": "percent", "total": "900", "revenue": "1000", "goal": "2", "currency": "EUR"})
FOREIGN = payment_of(FIXED | {"goal": "3", "currency": "GBP"})
words = st.sampled_from(
    [*"0123456", "", "-1", "1.5", "1,5", "1e9", "99999999999", "NaN", "inf", "usd", "EUR", "GBP", "ß", "x"]
) | st.text(max_size=300)  # fmt: skip
names = st.sampled_from(
    [
        *("goal", "sum", "status", "action_id", "currency", "ip", "referrer", "comment", "secure", "user_id"),
        *(f"custom_field{number}" for number in range(1, 8)),
    ]
)
offers: st.SearchStrategy[OfferTerms] = st.builds(
    OfferTerms,
    id=st.just(3),
    advertiser_id=st.just("a" * 24),
    title=st.text(max_size=5),
    status=st.sampled_from(OfferStatus),
    payments=st.sampled_from([(), (payment_of(FIXED), PERCENT, FOREIGN)]),
    personal_payments=st.just(()),
    hold_ms=st.sampled_from([0, 2 * DAY_MS]),
    secure=st.sampled_from([None, "", "1"]),
    address_lists=st.sampled_from([OFFER.address_lists, ELSEWHERE]),
    caps=st.sampled_from([OFFER.caps, FULL]),
    session=st.sampled_from(["1y", "0s"]),
    min_session=st.sampled_from(["0s", "2h"]),
    unique_ip=st.booleans(),
)
terms_of_any_kind = st.builds(
    DecisionTerms,
    offer=offers,
    affiliate_status=st.sampled_from([*AffiliateStatus, None]),
    advertiser_secure=st.sampled_from([None, "1"]),
    platform_secure=st.sampled_from([None, "1"]),
    platform_currency=st.just("USD"),
    rates=st.just(TERMS.rates),
    counts=st.just(COUNTS),
    converted=st.integers(0, 1),
)


def stored_of(status: Status | None, sent: Status) -> Conversion | None:
    return None if status is None else replace(make_conversion(), status=status, sent_status=sent)


@given(
    terms_of_any_kind,
    st.dictionaries(names, words, max_size=8),
    st.builds(stored_of, st.none() | st.sampled_from(Status), st.sampled_from(list(Status)[:3])),
    st.integers(-DAY_MS, 800 * DAY_MS),
)
def test_postback_outcome_is_a_change_or_a_fault(
    terms: DecisionTerms, params: dict[str, str], stored: Conversion | None, later: int
) -> None:
    outcome = decide(make_postback(AT + later, **params), CLICK, terms, stored, "d" * 24)
    if isinstance(outcome, PostbackError):
        assert outcome not in (
            PostbackError.NO_CLICKID,
            PostbackError.BROKEN_CLICKID,
            PostbackError.NO_CONVERSION,
            PostbackError.NO_CHANGE,
        )
        return
    before, after = outcome.before, outcome.after
    assert before is stored
    assert is_transition_allowed(ChangeOrigin.POSTBACK, None if before is None else before.status, after.status)
    assert after.version == (1 if before is None else before.version + 1)
    assert after.status is Status.DECLINED or (after.hold_until is not None) is (
        after.status is Status.HOLD and terms.offer.hold_ms > 0
    )
    if before is None and after.status is not after.sent_status and after.status is not Status.HOLD:
        assert after.comment in list(DeclineReason)
    assert 0 <= after.charge < MAX_AMOUNT
    assert 0 <= after.payout_base < MAX_AMOUNT


@given(st.dictionaries(st.sampled_from(["clickid", "goal"]), words), st.sampled_from([None, "", "bot"]), st.booleans())
def test_postback_without_usable_click_is_a_fault(params: dict[str, str], reason: str | None, expired: bool) -> None:
    click = None if reason is None else CLICK | {"reason": reason}
    fault = find_early_error(parse_postback("c" * 24, AT, "", params), click, expired=expired)
    assert (fault is None) == (bool(params.get("clickid")) and reason == "" and not expired)
    assert fault in (None, PostbackError.NO_CLICKID, PostbackError.BROKEN_CLICKID, PostbackError.CLICK_EXPIRED)
