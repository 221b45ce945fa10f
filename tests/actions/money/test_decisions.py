"""What each decision of requests and held changes adds to the ledger, and what it refuses."""

from typing import Any

import pytest

from tests.actions.money.desk import (
    ABSENT,
    MoneyDesk,
    Row,
    asked,
    by_name,
    careful,
    earned,
    exactly,
    moved,
    open_desk,
    paying,
)
from tests.support.api import PASSWORD, Api
from trackyard.actions.money import (
    held_change_decisions,
    held_changes,
    payment_requests,
)
from trackyard.domain.money.affiliate_payments import PaymentStatus
from trackyard.domain.money.payment_requests import PaymentRequestFilter

PAID, CANCELLED = PaymentStatus.PAID, PaymentStatus.CANCELLED


def decided(name: str, *more: str) -> Any:
    act = getattr(payment_requests, name)
    access = "own" if name == "withdraw_request" else "staff"
    return lambda desk: act(desk.deps, getattr(desk, access), desk.made["request"], *more)


def confirmed(person: str, password: str = PASSWORD) -> Any:
    return lambda desk: (
        held_change_decisions.confirm_change(desk.deps, getattr(desk, person).caller, desk.held, password, "192.0.2.1")
        .changes[0]
        .state.value
    )


def refused(desk: MoneyDesk) -> str:
    found = held_change_decisions.refuse_change(desk.deps, desk.staff.caller, desk.held)
    return found.changes[0].state.value


REQUESTS = (
    Row("ask", asked("12.5"), (earned("30"),), returns="open"),
    Row("ask for nothing", asked("0"), (earned("30"),), error="BadInput amount: This value must be more than 0."),
    Row(
        "ask for more than there is",
        asked("31"),
        (earned("30"),),
        error="BadInput amount: This is more than the 30 USD that are available.",
    ),
    Row(
        "ask twice",
        asked("1"),
        (earned("30"), asked("12.5")),
        error="Conflict currency: A request in USD is open already: wait for it, or withdraw it.",
    ),
    Row("withdraw", decided("withdraw_request"), (earned("30"), asked("12.5"))),
    Row(
        "withdraw twice",
        decided("withdraw_request"),
        (earned("30"), asked("12.5"), decided("withdraw_request")),
        error="Conflict id: This request is withdrawn already.",
    ),
    Row("reject", decided("reject_request", "no"), (earned("30"), asked("12.5"))),
    Row(
        "reject after accepting",
        decided("reject_request", "no"),
        (earned("30"), asked("30"), decided("accept_request", "")),
        (),
        ("created 30",),
        "Conflict id: This request is accepted already.",
    ),
    Row(
        "accept",
        decided("accept_request", ""),
        (earned("30"), asked("12.5")),
        ("advance -12.5 USD", "advance 12.5 USD", "payment -12.5 USD"),
        ("created 12.5",),
    ),
    Row(
        "accept what is not available any more",
        decided("accept_request", ""),
        (earned("30"), asked("12.5"), exactly("30")),
        (),
        ("created 30",),
        "Conflict id: Only 0 USD are available by now: reject the request.",
    ),
    Row(
        "a run pays a request",
        lambda desk: (
            (paying(desk), payment_requests.get_request(desk.deps, desk.staff, desk.made["request"]).status)[1].value
        ),
        (earned("30"), asked("12.5")),
        ("payment -30 USD",),
        ("created 30",),
        returns="accepted",
    ),
    Row(
        "a request that does not exist",
        lambda desk: payment_requests.get_request(desk.deps, desk.staff, ABSENT),
        error="NotFound",
    ),
    Row(
        "a page of requests",
        lambda desk: payment_requests.list_requests(desk.deps, desk.own, PaymentRequestFilter(), page=1, limit=9)[1],
        (earned("30"), asked("1")),
        returns=1,
    ),
)
HELD = (
    Row(
        "hold a payment",
        lambda desk: moved(PAID)(desk).held.state.value,
        (earned("30"), paying, careful),
        payments=("created 30",),
        returns="waiting",
    ),
    Row(
        "confirm",
        confirmed("other"),
        (earned("30"), paying, careful, moved(PAID)),
        payments=("paid 30",),
        returns="confirmed",
    ),
    Row(
        "confirm one's own",
        confirmed("staff"),
        (earned("30"), paying, careful, moved(PAID)),
        (),
        ("created 30",),
        "AccessDenied",
    ),
    Row(
        "confirm with a wrong password",
        confirmed("other", "wrong-password"),
        (earned("30"), paying, careful, moved(PAID)),
        (),
        ("created 30",),
        "BadInput password: This is not the password of your account.",
    ),
    Row(
        "confirm twice",
        confirmed("other"),
        (earned("30"), paying, careful, moved(PAID), confirmed("other")),
        (),
        ("paid 30",),
        "Conflict id: This change is confirmed already.",
    ),
    Row(
        "confirm what was cancelled since",
        confirmed("other"),
        (earned("30"), paying, careful, moved(PAID), moved(CANCELLED)),
        (),
        ("cancelled 30",),
        "Conflict id: This change is replaced already.",
    ),
    Row("refuse", refused, (earned("30"), paying, careful, moved(PAID)), payments=("created 30",), returns="refused"),
    Row(
        "refuse twice",
        refused,
        (earned("30"), paying, careful, moved(PAID), refused),
        (),
        ("created 30",),
        "Conflict id: This change is refused already.",
    ),
    Row(
        "a held change that does not exist",
        lambda desk: held_changes.get_held_change(desk.deps, "0" * 24),
        error="NotFound",
    ),
)
ROWS = by_name(*REQUESTS, *HELD)


@pytest.mark.parametrize("name", ROWS)
def test_decision_does_what_its_row_says(shared_api: Api, name: str) -> None:
    ROWS[name].check(open_desk(shared_api))
