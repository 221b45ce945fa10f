"""Says why a row and our books differ, from what was recorded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from trackyard.domain.conversions.comparisons.files import SentRow
from trackyard.domain.conversions.comparisons.matching import ComparedConversion, Outcome, Pair
from trackyard.domain.conversions.conversions import DECLINED, DeclineReason
from trackyard.domain.conversions.postbacks import PostbackError
from trackyard.domain.conversions.sessions import DAY_MS
from trackyard.domain.conversions.statuses import Status

_SESSION: Final = (DeclineReason.SESSION_OVER, DeclineReason.SESSION_TOO_YOUNG, PostbackError.CLICK_EXPIRED)
_ZONE_MS: Final = 14 * 3_600_000
"""How far the days of two zones may lie apart."""


class Why(StrEnum):
    """Why a row or a conversion is where it is."""

    NOTHING = ""
    DUPLICATE_ROW = "duplicate_row"
    OTHER_DAY = "other_day"
    OTHER_PERIOD = "other_period"
    OTHER_OWNER = "other_owner"
    CLICK_REJECTED = "click_rejected"
    POSTBACK_REFUSED = "postback_refused"
    NEVER_ARRIVED = "never_arrived"
    UNKNOWN_CLICK = "unknown_click"
    NO_TRACE = "no_trace"
    DECLINED = "declined"
    OUTSIDE_SESSION = "outside_session"
    NOT_LISTED = "not_listed"
    WAITING = "waiting"
    NEVER_REPORTED = "never_reported"
    STATUS = "status"
    SUM = "sum"
    CURRENCY = "currency"


@dataclass(frozen=True, slots=True)
class SeenClick:
    """The click in a row. reason: why it was rejected, "" = it was accepted."""

    reason: str
    is_own: bool


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was recorded about rows without a conversion of the period.

    since, until: the period, UTC milliseconds. found: conversions that the rows name, of any time and side.
    clicks: by click id. responses: of the last postback that changed nothing, by click id and by action id.
    """

    since: int
    until: int
    found: Sequence[ComparedConversion] = ()
    clicks: Mapping[str, SeenClick] = field(default_factory=dict)
    responses: Mapping[str, str] = field(default_factory=dict)


class Explainer:
    """Explains pairs by evidence."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._found: dict[tuple[str, str], ComparedConversion] = {}
        for each in evidence.found:
            named = (("conversion_id", each.id), ("click_id", each.click_id), ("action_id", each.action_id.strip()))
            for key in named:
                self._found.setdefault(key, each)

    def explain(self, pair: Pair) -> tuple[Why, str]:
        """Return why a pair is as it is, and the text that was recorded with it; "" without one."""
        row, conversion = pair.row, pair.conversion
        if conversion is None:
            return self._missing_here(row) if row is not None else (Why.NOTHING, "")
        if row is None:
            return self._missing_there(conversion)
        return _differing(pair, row, conversion)

    def _missing_here(self, row: SentRow) -> tuple[Why, str]:
        seen = self._evidence
        found = self._conversion_of(row)
        if found is not None:
            return self._elsewhere(found)
        click = seen.clicks.get(row.click_id)
        if click is not None and not click.is_own:
            return Why.OTHER_OWNER, ""
        if click is not None and click.reason:
            return Why.CLICK_REJECTED, click.reason
        keys = (row.action_id,) if row.action_id else (row.click_id,)
        response = next((seen.responses[key] for key in keys if seen.responses.get(key)), "")
        if response:
            return (Why.OUTSIDE_SESSION if response in _SESSION else Why.POSTBACK_REFUSED), response
        if click is not None:
            return Why.NEVER_ARRIVED, ""
        return (Why.UNKNOWN_CLICK if row.click_id else Why.NO_TRACE), ""

    def _conversion_of(self, row: SentRow) -> ComparedConversion | None:
        """Return the conversion in a row. A click id is enough, unless the action ids differ."""
        keys = [("conversion_id", row.conversion_id), ("action_id", row.action_id)]
        found = next((self._found[key] for key in keys if key[1] and key in self._found), None)
        if found is not None or not row.click_id:
            return found
        found = self._found.get(("click_id", row.click_id))
        return None if found is not None and row.action_id and found.action_id else found

    def _elsewhere(self, found: ComparedConversion) -> tuple[Why, str]:
        seen = self._evidence
        if not found.is_own:
            return Why.OTHER_OWNER, ""
        if seen.since <= found.created_at < seen.until:
            return Why.DUPLICATE_ROW, ""
        near = seen.since - DAY_MS <= found.created_at < seen.until + DAY_MS
        return (Why.OTHER_DAY if near else Why.OTHER_PERIOD), ""

    def _missing_there(self, conversion: ComparedConversion) -> tuple[Why, str]:
        seen = self._evidence
        if not conversion.was_reported:
            return Why.NEVER_REPORTED, ""
        if conversion.status in (Status.PENDING, Status.PENDING_CAP, Status.HOLD):
            return Why.WAITING, conversion.status.shown
        is_inside = seen.since + _ZONE_MS <= conversion.created_at < seen.until - _ZONE_MS
        return (Why.NOT_LISTED if is_inside else Why.OTHER_DAY), ""


def _differing(pair: Pair, row: SentRow, conversion: ComparedConversion) -> tuple[Why, str]:
    if pair.outcome is Outcome.MATCHED:
        return Why.NOTHING, ""
    if pair.outcome is Outcome.OTHER_STATUS:
        if conversion.status not in DECLINED:
            return Why.STATUS, ""
        is_session = conversion.comment in _SESSION
        return (Why.OUTSIDE_SESSION if is_session else Why.DECLINED), conversion.comment
    return (Why.SUM if row.currency == conversion.currency else Why.CURRENCY), ""
