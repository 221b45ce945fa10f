"""Who moves a conversion from what to what: every cell of the table, and that the code does what it says."""

from dataclasses import replace

import pytest

from tests.domain.test_conversions import AT, CLICK, TERMS, call, made
from trackyard.domain.conversions.conversions import Change, Conversion, Fault, end_hold
from trackyard.domain.conversions.decisions import decide
from trackyard.domain.conversions.edits import Edit, Import, edited, imported
from trackyard.domain.conversions.statuses import Mover, Status, may_move

LETTERS = dict(zip(Status, "CPDNHQ", strict=True))
"""Confirmed, Pending, Declined, Not found, on Hold, Queued for a place under a cap (pending_cap)."""

# status before · what a call, the end of a hold, an edit, an import may make of it
TABLE = """
none        CPDH . .     CPDNHQ
confirmed   .    . PDNH  .
pending     CPDH . CDNH  .
declined    .    . CPNH  .
not_found   .    . CPDH  .
hold        D    C CPDN  .
pending_cap CPDH . CPDNH .
"""
ROWS = {words[0]: words[1:] for line in TABLE.strip().splitlines() for words in [line.split()]}
BEFORE: list[Status | None] = [None, *Status]
CELLS = [(before, mover, after) for before in BEFORE for mover in Mover for after in Status]


def is_allowed(before: Status | None, mover: Mover, after: Status) -> bool:
    return LETTERS[after] in ROWS[before or "none"][list(Mover).index(mover)]


def stored(status: Status, sent: Status) -> Conversion:
    """A conversion in a status, after another one was sent."""
    return replace(made(), status=status, sent_status=sent)


@pytest.mark.parametrize(("before", "mover", "after"), CELLS)
def test_the_table(before: Status | None, mover: Mover, after: Status) -> None:
    assert may_move(mover, before, after) is is_allowed(before, mover, after)


SENT = [status for status in Status if status not in (Status.NOT_FOUND, Status.PENDING_CAP)]


@pytest.mark.parametrize("after", SENT)
@pytest.mark.parametrize("before", list(Status))
def test_a_repeated_call(before: Status, after: Status) -> None:
    sent = next(status for status in SENT if status is not after)
    outcome = decide(call(AT + 1, status=str(after.number)), CLICK, TERMS, stored(before, sent), "e" * 24)
    if is_allowed(before, Mover.CALL, after):
        assert isinstance(outcome, Change)
        assert (outcome.after.status, outcome.after.sent_status) == (after, after)
    else:
        assert outcome is Fault.NOT_PENDING


@pytest.mark.parametrize("status", list(Status))
def test_a_call_makes_what_it_sends(status: Status) -> None:
    outcome = decide(call(status=str(status.number)), CLICK, TERMS, None, "e" * 24)
    if is_allowed(None, Mover.CALL, status):
        assert isinstance(outcome, Change)
        assert outcome.after.status is status
    else:  # 4 is taken as 3, and 6 is made by imports alone
        as_sent = outcome.after.status if isinstance(outcome, Change) else outcome
        assert as_sent is {Status.NOT_FOUND: Status.DECLINED, Status.PENDING_CAP: Fault.WRONG_STATUS}[status]


@pytest.mark.parametrize("before", list(Status))
def test_the_end_of_a_hold(before: Status) -> None:
    conversion = stored(before, Status.CONFIRMED)
    if is_allowed(before, Mover.HOLD_END, Status.CONFIRMED):
        assert end_hold(conversion, AT).after.status is Status.CONFIRMED
    else:
        with pytest.raises(ValueError, match="not on hold"):
            end_hold(conversion, AT)


@pytest.mark.parametrize("after", list(Status))
@pytest.mark.parametrize("before", list(Status))
def test_an_edit(before: Status, after: Status) -> None:
    conversion = stored(before, Status.CONFIRMED)
    outcome = edited(conversion, Edit(conversion_id="", status=after), 0, TERMS.rates, AT, "staff:x")
    if is_allowed(before, Mover.EDIT, after):
        assert isinstance(outcome, Change)
        assert (outcome.after.status, outcome.after.sent_status) == (after, Status.CONFIRMED)
    else:
        assert outcome is (Fault.NO_CHANGE if before is after else Fault.WRONG_STATUS)


@pytest.mark.parametrize("status", list(Status))
def test_an_import(status: Status) -> None:
    item = Import(offer_id=3, affiliate_id=7, goal="1", status=status)
    outcome = imported(item, call(status=""), CLICK, TERMS, None, "e" * 24, "staff:x")
    assert isinstance(outcome, Change)
    assert outcome.after.status is status
    again = imported(item, call(status=""), CLICK, TERMS, outcome.after, "e" * 24, "staff:x")
    assert again is Fault.EXISTS
