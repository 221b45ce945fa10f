"""Status transitions: every cell of the table, and that the code agrees with it."""

from dataclasses import replace

import pytest

from tests.domain.conversions.test_conversions import AT, CLICK, TERMS, make_conversion, make_postback
from trackyard.domain.conversions.conversions import Conversion, ConversionChange, end_hold
from trackyard.domain.conversions.decisions import decide
from trackyard.domain.conversions.edits import ConversionEdit, ConversionImport, apply_edit, apply_import
from trackyard.domain.conversions.postbacks import PostbackError
from trackyard.domain.conversions.statuses import ChangeOrigin, Status, is_transition_allowed

LETTERS = dict(zip(Status, "CPDNHQ", strict=True))
"""Confirmed, Pending, Declined, Not found, on Hold, Queued under a cap (pending_cap)."""

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
CELLS = [(before, mover, after) for before in BEFORE for mover in ChangeOrigin for after in Status]


def is_allowed(before: Status | None, mover: ChangeOrigin, after: Status) -> bool:
    return LETTERS[after] in ROWS[before or "none"][list(ChangeOrigin).index(mover)]


def stored(status: Status, sent: Status) -> Conversion:
    """Return a conversion in a status, after another one was sent."""
    return replace(make_conversion(), status=status, sent_status=sent)


@pytest.mark.parametrize(("before", "mover", "after"), CELLS)
def test_status_transition_table_is_implemented(before: Status | None, mover: ChangeOrigin, after: Status) -> None:
    assert is_transition_allowed(mover, before, after) is is_allowed(before, mover, after)


SENT = [status for status in Status if status not in (Status.NOT_FOUND, Status.PENDING_CAP)]


@pytest.mark.parametrize("after", SENT)
@pytest.mark.parametrize("before", list(Status))
def test_status_transitions_by_repeated_postback_follow_table(before: Status, after: Status) -> None:
    sent = next(status for status in SENT if status is not after)
    outcome = decide(make_postback(AT + 1, status=str(after.number)), CLICK, TERMS, stored(before, sent), "e" * 24)
    if is_allowed(before, ChangeOrigin.POSTBACK, after):
        assert isinstance(outcome, ConversionChange)
        assert (outcome.after.status, outcome.after.sent_status) == (after, after)
    else:
        assert outcome is PostbackError.NOT_PENDING


@pytest.mark.parametrize("status", list(Status))
def test_status_of_new_postback_follows_table(status: Status) -> None:
    outcome = decide(make_postback(status=str(status.number)), CLICK, TERMS, None, "e" * 24)
    if is_allowed(None, ChangeOrigin.POSTBACK, status):
        assert isinstance(outcome, ConversionChange)
        assert outcome.after.status is status
    else:  # 4 is taken as 3, and 6 is made by imports alone
        as_sent = outcome.after.status if isinstance(outcome, ConversionChange) else outcome
        assert as_sent is {Status.NOT_FOUND: Status.DECLINED, Status.PENDING_CAP: PostbackError.WRONG_STATUS}[status]


@pytest.mark.parametrize("before", list(Status))
def test_status_transitions_by_hold_end_follow_table(before: Status) -> None:
    conversion = stored(before, Status.CONFIRMED)
    if is_allowed(before, ChangeOrigin.HOLD_END, Status.CONFIRMED):
        assert end_hold(conversion, AT).after.status is Status.CONFIRMED
    else:
        with pytest.raises(ValueError, match="not on hold"):
            end_hold(conversion, AT)


@pytest.mark.parametrize("after", list(Status))
@pytest.mark.parametrize("before", list(Status))
def test_status_transitions_by_edit_follow_table(before: Status, after: Status) -> None:
    conversion = stored(before, Status.CONFIRMED)
    outcome = apply_edit(conversion, ConversionEdit(conversion_id="", status=after), 0, TERMS.rates, AT, "staff:x")
    if is_allowed(before, ChangeOrigin.EDIT, after):
        assert isinstance(outcome, ConversionChange)
        assert (outcome.after.status, outcome.after.sent_status) == (after, Status.CONFIRMED)
    else:
        assert outcome is (PostbackError.NO_CHANGE if before is after else PostbackError.WRONG_STATUS)


@pytest.mark.parametrize("status", list(Status))
def test_status_of_import_follows_table(status: Status) -> None:
    item = ConversionImport(offer_id=3, affiliate_id=7, goal="1", status=status)
    outcome = apply_import(item, make_postback(status=""), CLICK, TERMS, None, "e" * 24, "staff:x")
    assert isinstance(outcome, ConversionChange)
    assert outcome.after.status is status
    again = apply_import(item, make_postback(status=""), CLICK, TERMS, outcome.after, "e" * 24, "staff:x")
    assert again is PostbackError.EXISTS
