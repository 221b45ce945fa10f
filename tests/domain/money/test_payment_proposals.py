"""What a payment run pays, and what it proposes (docs/spec/money.md#payment-runs)."""

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackyard.domain.money.payees import choose_payee, masked_account
from trackyard.domain.money.payment_proposals import (
    PAYEE_REST_MS,
    DueAccount,
    Payable,
    PayeeFacts,
    ProposalReason,
    doubts_about,
    payable_of,
)
from trackyard.domain.money.units import is_in_units

NOW = 10 * PAYEE_REST_MS
FINE = PayeeFacts(is_active=True, has_payee=True, changed_at=None, suspicions=0)
Amounts = st.decimals(-1000, 1000, places=4)


def account(available: str, due: str, currency: str = "USD") -> DueAccount:
    return DueAccount(affiliate_id=1, currency=currency, available=Decimal(available), due=Decimal(due))


@pytest.mark.parametrize(
    ("money", "minimum", "asked", "amount", "reason"),
    [
        (account("30.5051", "30.5051"), "0", None, "30.50", None),
        (account("30", "12"), "0", None, "12", None),
        (account("30", "30"), "50", None, "0", ProposalReason.BELOW_MINIMUM),
        (account("30", "30"), "50", "20", "30", None),
        (account("30", "12"), "50", "20.009", "20", None),
        (account("30", "0"), "0", "20", "20", None),
        (account("30", "30"), "50", "40", "0", ProposalReason.BELOW_MINIMUM),
        (account("0.0099", "0.0099"), "0", "0.0099", "0", ProposalReason.BELOW_UNIT),
        (account("30", "0"), "0", None, "0", ProposalReason.NOT_YET_DUE),
        (account("30", "-2"), "0", None, "0", ProposalReason.NOT_YET_DUE),
        (account("-3", "-3"), "0", None, "0", ProposalReason.DEBT),
        (account("5", "8"), "0", None, "0", ProposalReason.DEBT),
        (account("0", "0"), "0", None, "0", ProposalReason.NOTHING_DUE),
        (account("99.9", "99.9", "JPY"), "0", None, "99", None),
    ],
)
def test_run_pays_whole_units_of_what_is_due_or_asked(
    money: DueAccount, minimum: str, asked: str | None, amount: str, reason: ProposalReason | None
) -> None:
    found = payable_of(money, Decimal(minimum), None if asked is None else Decimal(asked))
    assert (found.amount, found.reasons) == (Decimal(amount), () if reason is None else (reason,))


@given(Amounts, Amounts, st.decimals(0, 100, places=4), st.none() | st.decimals(0, 1000, places=4))
def test_run_never_pays_more_than_is_available(
    available: Decimal, due: Decimal, minimum: Decimal, asked: Decimal | None
) -> None:
    money = replace(account("0", "0"), available=available, due=due)
    found = payable_of(money, minimum, asked)
    assert Decimal(0) <= found.amount <= max(available, Decimal(0)) and is_in_units(found.amount, "USD")
    assert bool(found.amount) != bool(found.reasons), "what is not paid has a reason"
    assert isinstance(found, Payable)


@pytest.mark.parametrize(
    ("facts", "reasons"),
    [
        (FINE, []),
        (replace(FINE, is_active=False), [ProposalReason.INACTIVE]),
        (replace(FINE, suspicions=2), [ProposalReason.SUSPECTED]),
        (replace(FINE, suspicions=None), [ProposalReason.FINDINGS_UNREAD]),
        (replace(FINE, has_payee=False), [ProposalReason.NO_PAYEE]),
        (replace(FINE, changed_at=NOW - PAYEE_REST_MS + 1), [ProposalReason.PAYEE_CHANGED]),
        (replace(FINE, changed_at=NOW - PAYEE_REST_MS), []),
        (replace(FINE, suspicions=1, has_payee=False), [ProposalReason.SUSPECTED, ProposalReason.NO_PAYEE]),
    ],
)
def test_doubts_about_an_affiliate_have_reasons(facts: PayeeFacts, reasons: list[ProposalReason]) -> None:
    assert doubts_about(facts, NOW) == reasons


def test_payee_is_the_asked_system_or_the_first_that_pays_the_currency() -> None:
    own = [{"system_id": 1, "currency": "EUR"}, {"system_id": 2, "currency": ""}, {"system_id": 3, "currency": "USD"}]
    assert choose_payee(own, "USD") == own[1]
    assert choose_payee(own, "USD", 3) == own[2]
    assert choose_payee(own, "EUR") == own[0]
    assert choose_payee(own, "USD", 1) is None


@pytest.mark.parametrize(
    ("account_text", "shown"),
    [
        ("IBAN: DE02120300000000202051", "IBAN: \N{HORIZONTAL ELLIPSIS}2051"),
        ("E-mail: ann@shop.example", "E-mail: a\N{HORIZONTAL ELLIPSIS}@shop.example"),
        ("PIN: 1234567", "PIN: \N{HORIZONTAL ELLIPSIS}"),
        ("typed by hand", "\N{HORIZONTAL ELLIPSIS}hand"),
        ("IBAN: DE02120300000000202051\nBIC: BYLADEM1001", "IBAN: …2051\nBIC: …1001"),
        ("", ""),
    ],
)
def test_masked_account_shows_the_end_alone(account_text: str, shown: str) -> None:
    assert masked_account(account_text) == shown
