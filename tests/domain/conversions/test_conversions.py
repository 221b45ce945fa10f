"""Decisions on postbacks: one line per rule of docs/spec/conversions.md."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackyard.domain.conversions.conversions import (
    Conversion,
    ConversionChange,
    DecisionTerms,
    OfferTerms,
    end_hold,
)
from trackyard.domain.conversions.decisions import decide
from trackyard.domain.conversions.events import event_lines, event_of
from trackyard.domain.conversions.postbacks import PostbackError, ReceivedPostback, find_early_error, parse_postback
from trackyard.domain.conversions.sessions import DAY_MS
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.money.ledger import ledger_entries_of
from trackyard.domain.offers.choices import OfferStatus
from trackyard.domain.offers.payments import payment_of
from trackyard.domain.people.affiliates import AffiliateStatus
from trackyard.domain.tracking.ip_lists import AddressLists

AT = 1_790_000_000_000
CLICK: dict[str, Any] = {
    **dict.fromkeys(("region", "city", "isp", "connection", "smart_id", "ua", "ip", "referrer"), ""),
    **dict.fromkeys(("os_version", "brand", "device_model", "browser", "browser_version"), ""),
    **{f"sub{n}": "" for n in range(1, 9)},
    "id": "6" * 24,
    "time": AT - 60_000,
    "reason": "",
    "offer": 3,
    "affiliate": 7,
    "advertiser": "a" * 24,
    "landing": 0,
    "country": "DE",
    "city_id": 0,
    "device": "mobile",
    "os": "Android",
    "user_id": "",
}
FIXED = {"goal": "1", "total": "10", "revenue": "5", "currency": "USD", "title": "Sale"}
OFFER = OfferTerms(3, "a" * 24, "Shoes", OfferStatus.ACTIVE, (payment_of(FIXED),), (), 0, None)
TERMS = DecisionTerms(OFFER, AffiliateStatus.ACTIVE, None, None, "USD", {"USD": Decimal(1), "EUR": Decimal("0.5")})


def make_postback(time: int = AT, **params: str) -> ReceivedPostback:
    return parse_postback("c" * 24, time, "192.0.2.9", {"clickid": CLICK["id"]} | params, "001-1", 10)


def terms(*, hold_days: int = 0, payment: dict[str, Any] | None = None, **fields: Any) -> DecisionTerms:
    item = payment_of(FIXED | (payment or {}))
    offer = replace(OFFER, hold_ms=hold_days * DAY_MS, payments=(item,))
    return replace(TERMS, **({"offer": offer} | fields))


def make_conversion(given_terms: DecisionTerms = TERMS, **params: str) -> Conversion:
    change = decide(make_postback(**params), CLICK, given_terms, None, "d" * 24)
    assert isinstance(change, ConversionChange), change
    return change.after


@pytest.mark.parametrize(
    ("params", "click", "fault"),
    [
        ({}, CLICK, PostbackError.NO_CLICKID),
        ({"clickid": ""}, None, PostbackError.NO_CLICKID),
        ({"clickid": "x"}, None, PostbackError.BROKEN_CLICKID),
        ({"clickid": "6" * 24}, CLICK | {"reason": "bot"}, PostbackError.BROKEN_CLICKID),
        ({"clickid": "6" * 24}, CLICK, None),
    ],
)
def test_postback_faults_are_found_before_any_lookup(
    params: dict[str, str], click: Any, fault: PostbackError | None
) -> None:
    assert find_early_error(parse_postback("c" * 24, AT, "", params), click) is fault


ELSEWHERE = AddressLists(("10.0.0.1",))
STOPPED = replace(OFFER, status=OfferStatus.STOPPED)
SUSPENDED = replace(OFFER, status=OfferStatus.SUSPENDED)


@pytest.mark.parametrize(
    ("given_terms", "params", "fault"),
    [
        (replace(TERMS, offer=STOPPED), {}, "Offer disabled"),
        (replace(TERMS, offer=SUSPENDED), {}, None),
        (replace(TERMS, offer=STOPPED, platform_secure="p"), {"status": "9"}, "Offer disabled"),
        (replace(TERMS, platform_secure="p"), {}, "Access denied"),
        (replace(TERMS, platform_secure="p"), {"secure": "p"}, None),
        (replace(TERMS, platform_secure="p", advertiser_secure="a"), {"secure": "p"}, "Access denied"),
        (replace(TERMS, platform_secure="p", advertiser_secure="a"), {"secure": "a"}, None),
        (replace(TERMS, advertiser_secure="a", offer=replace(OFFER, secure="ö")), {"secure": "a"}, "Access denied"),
        (replace(TERMS, advertiser_secure="a", offer=replace(OFFER, secure="ö")), {"secure": "ö"}, None),
        (replace(TERMS, platform_secure="p"), {"secure": "x", "status": "9"}, "Access denied"),
        (replace(TERMS, platform_secure="p", advertiser_address_lists=ELSEWHERE), {}, "Access denied"),
        (replace(TERMS, advertiser_address_lists=ELSEWHERE), {"status": "9"}, "Current IP-address is denied"),
        (replace(TERMS, offer=replace(OFFER, address_lists=ELSEWHERE)), {}, "Current IP-address is denied"),
        (replace(TERMS, advertiser_address_lists=AddressLists(("192.0.2.0/24",))), {}, None),
        (TERMS, {"status": "6"}, "Wrong status"),
        (TERMS, {"status": "confirmed"}, "Wrong status"),
        (TERMS, {"sum": "-1"}, "Wrong sum"),
        (TERMS, {"sum": "1,5"}, "Wrong sum"),
        (TERMS, {"sum": "NaN"}, "Wrong sum"),
        (TERMS, {"sum": "1e99"}, "Wrong sum"),
        (TERMS, {"sum": "1.5"}, None),
        (TERMS, {"currency": "XXX"}, "Wrong currency"),
        (TERMS, {"currency": "eur"}, None),
        (terms(payment={"currency": "GBP"}), {}, "Wrong currency"),
        (terms(payment={"type": "percent", "total": "500"}), {"sum": "99999999999"}, "Wrong sum"),
        (TERMS, {"sum": "99999999999", "currency": "EUR"}, "Wrong sum"),
    ],
)
def test_postback_faults_are_found_after_lookup(
    given_terms: DecisionTerms, params: dict[str, str], fault: str | None
) -> None:
    outcome = decide(make_postback(**params), CLICK, given_terms, None, "d" * 24)
    assert (outcome if isinstance(outcome, PostbackError) else None) == fault


@pytest.mark.parametrize(
    ("sent", "hold_days", "status", "hold_until"),
    [
        ({}, 0, "confirmed", None),
        ({"status": "1"}, 0, "confirmed", None),
        ({"status": "2"}, 0, "pending", None),
        ({"status": "3"}, 0, "declined", None),
        ({"status": "4"}, 0, "declined", None),
        ({"status": "5"}, 0, "hold", None),
        ({}, 2, "hold", AT + 2 * DAY_MS),
        ({"status": "5"}, 2, "hold", AT + 2 * DAY_MS),
        ({"status": "2"}, 2, "pending", None),
        ({"status": "3"}, 2, "declined", None),
    ],
)
def test_new_conversion_status_follows_postback(
    sent: dict[str, str], hold_days: int, status: str, hold_until: int | None
) -> None:
    conversion = make_conversion(terms(hold_days=hold_days), **sent)
    assert (conversion.status, conversion.hold_until) == (status, hold_until)


@pytest.mark.parametrize(
    ("affiliate_status", "goal", "comment", "payout"),
    [
        (AffiliateStatus.ACTIVE, "1", "", 5),
        (AffiliateStatus.BANNED, "1", "Partner is banned", 5),
        (AffiliateStatus.NOT_ACTIVE, "1", "Partner is disabled", 5),
        (AffiliateStatus.ON_MODERATION, "1", "Partner is disabled", 5),
        (AffiliateStatus.ACTIVE, "9", "Payments not found", 0),
        (AffiliateStatus.BANNED, "9", "Partner is banned", 0),
    ],
)
def test_new_conversion_is_declined_with_reason(
    affiliate_status: AffiliateStatus, goal: str, comment: str, payout: int
) -> None:
    conversion = make_conversion(terms(hold_days=1, affiliate_status=affiliate_status), goal=goal, sum="4")
    assert (conversion.comment, conversion.payout) == (comment, payout)
    assert conversion.status == ("declined" if comment else "hold")
    assert conversion.sum == 4
    assert conversion.goal_title == ("Sale" if goal == "1" else "9")


REPEATS = [
    # stored status sent at first, then sent · outcome
    ("2", "2", "Conversion exists"),
    ("2", "1", "confirmed"),
    ("2", "3", "declined"),
    ("2", "4", "declined"),
    ("2", "5", "hold"),
    ("1", "1", "Conversion exists"),
    ("1", "", "Conversion exists"),
    ("1", "2", "Conversion status is not pending"),
    ("1", "3", "Conversion status is not pending"),
    ("3", "4", "Conversion exists"),
    ("3", "1", "Conversion status is not pending"),
    ("5", "5", "Conversion exists"),
    ("5", "3", "declined"),
    ("5", "1", "Conversion status is not pending"),
    ("5", "2", "Conversion status is not pending"),
]


@pytest.mark.parametrize(("first", "then", "outcome"), REPEATS)
def test_repeated_postback_changes_status_or_faults(first: str, then: str, outcome: str) -> None:
    stored = make_conversion(status=first)
    found = decide(make_postback(AT + 1, status=then), CLICK, TERMS, stored, "e" * 24)
    if isinstance(found, PostbackError):
        assert found == outcome
    else:
        assert found.after.status == outcome
        assert (found.after.id, found.after.version, found.after.created_at) == (stored.id, 2, AT)
        assert found.before is stored


def test_repeated_postback_is_compared_with_sent_status() -> None:
    on_hold = terms(hold_days=2)
    stored = make_conversion(on_hold, status="1")
    assert stored.status is Status.HOLD
    assert decide(make_postback(status="1"), CLICK, on_hold, stored, "e" * 24) is PostbackError.EXISTS
    declined = make_conversion(replace(TERMS, affiliate_status=AffiliateStatus.BANNED), status="1")
    assert decide(make_postback(status="1"), CLICK, TERMS, declined, "e" * 24) is PostbackError.EXISTS
    assert decide(make_postback(status="2"), CLICK, TERMS, declined, "e" * 24) is PostbackError.NOT_PENDING


@pytest.mark.parametrize(("days_later", "status"), [(1, "hold"), (3, "confirmed")])
def test_repeated_postback_confirmation_is_held_until_hold_ends(days_later: int, status: str) -> None:
    on_hold = terms(hold_days=2)
    stored = make_conversion(on_hold, status="2")
    change = decide(make_postback(AT + days_later * DAY_MS, status="1"), CLICK, on_hold, stored, "e" * 24)
    assert isinstance(change, ConversionChange)
    assert change.after.status == status
    assert change.after.hold_until == (AT + 2 * DAY_MS if status == "hold" else None)


@pytest.mark.parametrize(
    ("params", "order_sum", "payout"),
    [
        ({}, "10", "1"),
        ({"sum": "30"}, "30", "3"),
        ({"sum": "30", "currency": "EUR"}, "60", "6"),
        ({"currency": "EUR"}, "10", "1"),
        ({"sum": "0"}, "0", "0"),
    ],
)
def test_repeated_postback_with_sum_recomputes_amounts(params: dict[str, str], order_sum: str, payout: str) -> None:
    percent = terms(payment={"type": "percent", "total": "20", "revenue": "10"})
    stored = make_conversion(percent, status="2", sum="10")
    other = terms(payment={"type": "percent", "total": "90", "revenue": "80"})  # the payment at creation counts
    change = decide(make_postback(status="1", **params), CLICK, other, stored, "e" * 24)
    assert isinstance(change, ConversionChange)
    assert (change.after.sum, change.after.payout) == (Decimal(order_sum), Decimal(payout))


def test_conversion_base_amounts_use_rate_at_creation() -> None:
    euros = terms(payment={"currency": "EUR", "type": "percent", "total": "100", "revenue": "50"})
    conversion = make_conversion(euros, sum="8", currency="USD")
    assert (conversion.currency, conversion.sum, conversion.charge) == ("EUR", 4, 4)
    assert (conversion.rate, conversion.charge_base, conversion.payout_base) == (Decimal("0.5"), 8, 4)


@pytest.mark.parametrize(
    ("params", "identity"),
    [
        ({}, "c:" + "6" * 24),
        ({"action_id": ""}, "c:" + "6" * 24),
        ({"action_id": "x"}, "a:x"),
        ({"action_id": "c:" + "6" * 24}, "a:c:" + "6" * 24),
    ],
)
def test_conversion_identity_is_action_id_or_click(params: dict[str, str], identity: str) -> None:
    assert make_postback(**params).identity_for(CLICK["id"]) == identity


def test_conversion_long_action_ids_stay_distinct_and_fit_column() -> None:
    first, second = ("x" * 2000 + end for end in "ab")
    identities = {make_postback(action_id=action_id).identity_for("") for action_id in (first, second)}
    assert len(identities) == 2
    assert max(map(len, identities)) <= 258
    assert len(make_conversion(action_id=first).action_id) == 255


def test_hold_end_confirms_conversion() -> None:
    stored = make_conversion(terms(hold_days=2))
    change = end_hold(stored, AT + 2 * DAY_MS)
    assert (change.after.status, change.after.version, change.after.hold_until) == ("confirmed", 2, None)
    [entry] = ledger_entries_of(change)
    assert (entry.hold, entry.available) == (-5, 5)


@given(st.lists(st.sampled_from(["", "1", "2", "3", "4", "5", "end"]), min_size=1, max_size=8), st.booleans())
def test_ledger_and_events_sum_to_the_conversion(steps: list[str], held: bool) -> None:
    given_terms = terms(hold_days=2 if held else 0)
    stored: Conversion | None = None
    hold = available = Decimal(0)
    facts: dict[bytes, int] = {}
    for number, step in enumerate(steps):
        if step == "end":
            if stored is None or stored.status is not Status.HOLD:
                continue
            outcome: ConversionChange | PostbackError = end_hold(stored, AT + number)
        else:
            outcome = decide(make_postback(AT + number, status=step), CLICK, given_terms, stored, "d" * 24)
        if isinstance(outcome, PostbackError):
            continue
        assert stored is None or outcome.after.version == stored.version + 1
        stored = outcome.after
        [entry] = ledger_entries_of(outcome)
        hold, available = hold + entry.hold, available + entry.available
        for line in event_lines(outcome).split(b"\n"):
            sign, _, rest = line[1:].partition(b",")
            facts[rest] = facts.get(rest, 0) + int(sign)
    if stored is None:
        return
    assert hold == (stored.payout if stored.status is Status.HOLD else 0)
    assert available == (stored.payout if stored.status is Status.CONFIRMED else 0)
    assert sum(facts.values()) == 1
    assert [count for count in facts.values() if count] == [1]
    assert event_of(stored, 1).status == stored.status.number
