"""The state of payment follows from what payments pay (docs/spec/money.md#state-of-payment)."""

from decimal import Decimal

import pytest

from trackyard.domain.money.payment_states import PaidSums, PaymentState


@pytest.mark.parametrize(
    ("payout", "paid", "open_sum", "state"),
    [
        ("7", "0", "0", "opened"),
        ("7", "7", "0", "closed"),
        ("7", "0", "7", "pending"),
        ("7", "7", "-7", "closed"),  # declined since: the money is taken back by a payment that is not executed
        ("7", "0", "0.0001", "opened"),
        ("10", "7", "0", "opened"),  # raised since
        ("10", "7", "3", "pending"),
        ("10", "10", "0", "closed"),
        ("5", "7", "0", "opened"),  # lowered since
        ("5", "7", "-2", "pending"),
        ("5", "5", "0", "closed"),
        ("0", "0", "0", "opened"),
        ("0", "7", "-7", "opened"),
        ("-3", "-3", "0", "closed"),
    ],
)
def test_state_follows_from_sums_of_payments(payout: str, paid: str, open_sum: str, state: str) -> None:
    assert PaidSums(Decimal(paid), Decimal(open_sum)).state_of(Decimal(payout)) is PaymentState(state)


def test_states_have_distinct_numbers() -> None:
    assert {state.value: state.number for state in PaymentState} == {"opened": "1", "closed": "2", "pending": "3"}
