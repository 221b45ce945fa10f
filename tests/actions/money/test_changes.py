"""What each change of payments and balances adds to the ledger, and what it refuses."""

from decimal import Decimal
from typing import Any

import pytest

from tests.actions.money.desk import (
    ABSENT,
    MoneyDesk,
    Row,
    by_name,
    earned,
    moved,
    open_desk,
    paying,
)
from tests.support.api import Api
from trackyard.actions.money import (
    corrections,
    payment_changes,
)
from trackyard.domain.money.affiliate_payments import PaymentFilter, PaymentStatus
from trackyard.domain.money.corrections import CorrectionFilter

PAID, CANCELLED = PaymentStatus.PAID, PaymentStatus.CANCELLED


def exactly(amount: str, currency: str = "USD", pid: int = 0) -> Any:
    return lambda desk: (
        payment_changes.add_exact_payment(
            desk.deps, desk.staff, pid or desk.pid, Decimal(amount), currency, "a note"
        ).note
    )


def adjusted(amount: str) -> Any:
    def step(desk: MoneyDesk) -> None:
        made = payment_changes.add_correction(desk.deps, desk.staff, desk.payment, Decimal(amount), "bonus")
        desk.made["correction"] = made.id

    return step


def unadjusted(desk: MoneyDesk) -> None:
    payment_changes.remove_correction(desk.deps, desk.staff, desk.made["correction"])


def freed(which: slice) -> Any:
    return lambda desk: payment_changes.remove_conversions(desk.deps, desk.staff, desk.payment, desk.sources[which], ())


def corrected(amount: str, currency: str = "USD", pid: int = 0) -> Any:
    return lambda desk: (
        corrections.add_correction(desk.deps, desk.staff, pid or desk.pid, currency, Decimal(amount), "fee")[0].comment
    )


CHANGES = (
    Row(
        "an exact amount",
        exactly("12.5"),
        (earned("30"),),
        ("advance -12.5 USD", "advance 12.5 USD", "payment -12.5 USD"),
        ("created 12.5",),
        returns="a note",
    ),
    Row(
        "an exact amount of whole entries",
        exactly("15"),
        (earned("15"), earned("15")),
        ("payment -15 USD",),
        ("created 15",),
    ),
    Row("all that is available", exactly("37"), (earned("30"), earned("7")), ("payment -37 USD",), ("created 37",)),
    Row("nothing", exactly("0"), (earned("30"),), error="BadInput sum: This value must be more than 0."),
    Row(
        "more than is available",
        exactly("30.01"),
        (earned("30"),),
        error="BadInput sum: This is more than the 30 USD that are available.",
    ),
    Row(
        "a currency that is absent",
        exactly("1", "XTS"),
        (earned("30"),),
        error="BadInput currency: A currency XTS does not exist, or is not active.",
    ),
    Row(
        "an affiliate that is absent",
        exactly("1", pid=ABSENT),
        error=f"BadInput aid: An affiliate {ABSENT} does not exist.",
    ),
    Row(
        "cancel one",
        lambda desk: payment_changes.cancel_payment(desk.deps, desk.staff, desk.payment).payment.status,
        (earned("30"), paying),
        ("payment 30 USD",),
        ("cancelled 30",),
        returns=CANCELLED,
    ),
    Row(
        "cancel several",
        lambda desk: [*payment_changes.cancel_payments(desk.deps, desk.staff, [desk.payment, ABSENT]).values()],
        (earned("30"), paying),
        ("payment 30 USD",),
        ("cancelled 30",),
        returns=[True, False],
    ),
    Row(
        "cancel a paid one with others",
        lambda desk: [*payment_changes.cancel_payments(desk.deps, desk.staff, [desk.payment]).values()],
        (earned("30"), paying, moved(PAID)),
        payments=("paid 30",),
        returns=[False],
    ),
    Row("correct", adjusted("5"), (earned("30"), paying), ("correction 5 USD", "payment -5 USD"), ("created 35",)),
    Row(
        "correct by nothing",
        adjusted("0"),
        (earned("30"), paying),
        (),
        ("created 30",),
        "BadInput revenue: This value must not be 0.",
    ),
    Row(
        "correct to nothing",
        adjusted("-30"),
        (earned("30"), paying),
        (),
        ("created 30",),
        "Conflict revenue: The payment would be of 0: delete it instead.",
    ),
    Row(
        "correct after paying",
        adjusted("5"),
        (earned("30"), paying, moved(PAID)),
        (),
        ("paid 30",),
        "Conflict id: The payment is paid.",
    ),
    Row(
        "undo a correction",
        unadjusted,
        (earned("30"), paying, adjusted("5")),
        ("correction -5 USD", "payment 5 USD"),
        ("created 30",),
    ),
    Row(
        "undo a correction twice",
        unadjusted,
        (earned("30"), paying, adjusted("5"), unadjusted),
        (),
        ("created 30",),
        "NotFound",
    ),
    Row(
        "undo a correction after paying",
        unadjusted,
        (earned("30"), paying, adjusted("5"), moved(PAID)),
        (),
        ("paid 35",),
        "Conflict id: The payment is paid.",
    ),
    Row(
        "a correction that was undone",
        lambda desk: payment_changes.find_correction(desk.deps, desk.staff, desk.made["correction"]),
        (earned("30"), paying, adjusted("5"), unadjusted),
        (),
        ("created 30",),
        "NotFound",
    ),
    Row(
        "cancel with a correction",
        moved(CANCELLED),
        (earned("30"), paying, adjusted("5")),
        ("correction -5 USD", "payment 30 USD", "payment 5 USD"),
        ("cancelled 30",),
    ),
    Row(
        "free a conversion",
        freed(slice(0, 1)),
        (earned("30"), earned("7"), paying),
        ("payment 30 USD",),
        ("created 7",),
        returns=1,
    ),
    Row(
        "free all conversions",
        freed(slice(0, 2)),
        (earned("30"), earned("7"), paying),
        (),
        ("created 37",),
        "Conflict conversion_ids: The payment would be of 0: delete it instead.",
    ),
    Row(
        "free a conversion of another payment",
        freed(slice(0, 1)),
        (earned("30"), paying, earned("7"), paying),
        (),
        ("created 30", "created 7"),
        "BadInput conversion_ids: The payment pays none of them.",
    ),
    Row(
        "what payments pay",
        lambda desk: (
            payment_changes.get_records(desk.deps, desk.staff, desk.payment).conversions[desk.payment] == desk.sources
        ),
        (earned("30"), paying),
        payments=("created 30",),
        returns=True,
    ),
    Row(
        "a page of what payments pay",
        lambda desk: payment_changes.list_records(desk.deps, desk.own, PaymentFilter(), page=1, limit=9)[1],
        (earned("30"), paying),
        payments=("created 30",),
        returns=1,
    ),
)
CORRECTIONS = (
    Row("add to a balance", corrected("5"), adds=("correction 5 USD",), returns="fee"),
    Row("take from a balance", corrected("-5.0001"), adds=("correction -5.0001 USD",)),
    Row("correct a balance by nothing", corrected("0"), error="BadInput amount: This value must not be 0."),
    Row(
        "correct a balance in a currency that is absent",
        corrected("5", "XTS"),
        error="BadInput currency: A currency XTS does not exist, or is not active.",
    ),
    Row(
        "correct a balance of nobody",
        corrected("5", pid=ABSENT),
        error=f"BadInput pid: An affiliate {ABSENT} does not exist.",
    ),
    Row(
        "a page of corrections",
        lambda desk: corrections.list_corrections(
            desk.deps, desk.staff, CorrectionFilter(affiliate_ids=(desk.pid,)), page=1, limit=9
        )[2],
        (corrected("5"),),
        returns=1,
    ),
)
ROWS = by_name(*CHANGES, *CORRECTIONS)


@pytest.mark.parametrize("name", ROWS)
def test_change_does_what_its_row_says(shared_api: Api, name: str) -> None:
    ROWS[name].check(open_desk(shared_api))
