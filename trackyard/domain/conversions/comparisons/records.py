"""Comparisons as they are stored: settings, sums, and the rows that differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, Final

from trackyard.base.money import ZERO
from trackyard.domain.conversions.comparisons.explaining import Explainer
from trackyard.domain.conversions.comparisons.matching import CurrencySums, Outcome, Pair, Side, sum_up
from trackyard.domain.conversions.conversions import DECLINED
from trackyard.domain.conversions.statuses import Status

DIFFERENCES: Final = (Outcome.OTHER_STATUS, Outcome.OTHER_SUM, Outcome.MISSING_HERE, Outcome.MISSING_THERE)
ACCEPTABLE: Final = (Outcome.OTHER_STATUS, Outcome.OTHER_SUM, Outcome.MISSING_THERE)
"""Differences that edits of our conversions remove."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonRequest:
    """What is compared. subject_id: of the advertiser or affiliate.

    until: exclusive. currency: of rows without one.
    columns: by field. words: further words of statuses. sheet: of a spreadsheet, "" = the first one.
    """

    side: Side
    subject_id: str
    file_name: str
    day_from: date
    day_to: date
    zone: str
    since: int
    until: int
    currency: str
    columns: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[Status, Sequence[str]] = field(default_factory=dict)
    sheet: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A stored comparison. Times are UTC milliseconds. created_by: the caller's name.

    columns, words: the file's columns and words, reused for the sender's next file. sums: by currency.
    rows: number of rows in the file. differences: documents of the differences. accepted: the edited conversions.
    """

    id: str
    side: Side
    subject_id: str
    file_name: str
    created_by: str
    created_at: int
    day_from: str
    day_to: str
    zone: str
    columns: dict[str, str]
    words: dict[str, list[str]]
    sums: list[dict[str, Any]]
    rows: int
    differences: list[dict[str, Any]]
    accepted: list[str]


def documents_of(pairs: Sequence[Pair], explainer: Explainer) -> list[dict[str, Any]]:
    """Return the differences in the order of the file, then the conversions that the file lacks."""
    return [_document(each, explainer) for each in pairs if each.outcome is not Outcome.MATCHED]


def sums_of(pairs: Sequence[Pair]) -> list[dict[str, Any]]:
    """Return the sums as documents, by currency."""
    return [_sums_document(currency, each) for currency, each in sorted(sum_up(pairs).items())]


def _sums_document(currency: str, sums: CurrencySums) -> dict[str, Any]:
    outcomes = [
        {
            "class": outcome.value,
            "number": sums.outcomes[outcome].number,
            "ours": str(sums.outcomes[outcome].ours),
            "theirs": str(sums.outcomes[outcome].theirs),
            "difference": str(sums.outcomes[outcome].difference),
        }
        for outcome in Outcome
        if outcome in sums.outcomes
    ]
    amounts = {"ours": str(sums.ours), "theirs": str(sums.theirs), "difference": str(sums.ours - sums.theirs)}
    return {"currency": currency, **amounts, "classes": outcomes}


def _document(pair: Pair, explainer: Explainer) -> dict[str, Any]:
    row, conversion = pair.row, pair.conversion
    why, text = explainer.explain(pair)
    named = conversion if conversion is not None else row
    return {
        "class": pair.outcome.value,
        "why": why.value,
        "text": text,
        "row": None if row is None else row.number,
        "conversion_id": "" if conversion is None else conversion.id,
        "click_id": "" if named is None else named.click_id,
        "action_id": "" if named is None else named.action_id,
        "our_status": "" if conversion is None else conversion.status.value,
        "our_sum": None if conversion is None else str(conversion.amount),
        "our_currency": "" if conversion is None else conversion.currency,
        "their_status": "" if row is None or row.status is None else row.status.value,
        "their_sum": None if row is None else str(row.sum),
        "their_currency": "" if row is None else row.currency,
    }


class Skip:
    """Why a difference makes no edit."""

    CHANGED: Final = "changed_since"
    CURRENCY: Final = "other_currency"
    NEGATIVE: Final = "negative_sum"
    GONE: Final = "out_of_scope"
    ACCEPTED: Final = "accepted_before"
    UNPAID: Final = "no_payment"


@dataclass(frozen=True, slots=True)
class PlannedEdit:
    """An edit that accepts a difference. status, amount: the new ones, None = unchanged."""

    conversion_id: str
    status: Status | None
    amount: Decimal | None
    comment: str | None
    difference: Mapping[str, Any]

    @property
    def counted_before(self) -> Decimal:
        """Return the amount that the conversion adds to sums before the edit."""
        return _counted(Status(self.difference["our_status"]), Decimal(self.difference["our_sum"]))

    @property
    def counted_after(self) -> Decimal:
        """Return the amount that the conversion adds to sums after the edit."""
        status = self.status or Status(self.difference["our_status"])
        return _counted(status, Decimal(self.difference["our_sum"]) if self.amount is None else self.amount)


def _counted(status: Status, amount: Decimal) -> Decimal:
    return ZERO if status in DECLINED else amount


def plan_edit(difference: Mapping[str, Any], side: Side) -> PlannedEdit | str:
    """Return the edit that accepts a difference, or why there is none (a Skip)."""
    key = difference["conversion_id"]
    if difference["class"] == Outcome.MISSING_THERE:
        return PlannedEdit(key, Status.DECLINED, None, f"Not in the {side}'s file", difference)
    if difference["our_currency"] != difference["their_currency"]:
        return Skip.CURRENCY
    theirs, amount = Status(difference["their_status"] or Status.CONFIRMED), Decimal(difference["their_sum"])
    if amount < 0:
        return Skip.NEGATIVE
    is_declined = theirs in DECLINED
    changed = Decimal(difference["our_sum"]) != amount and not is_declined
    status = theirs if difference["class"] == Outcome.OTHER_STATUS else None
    comment = f"Declined in the {side}'s file" if status is not None and is_declined else None
    return PlannedEdit(key, status, amount if changed else None, comment, difference)
