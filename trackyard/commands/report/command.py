"""The report that a command line of `trackyard report` requests."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from trackyard.commands.failures import WrongUse
from trackyard.commands.local_api import ApiClient
from trackyard.commands.periods import WantedPeriod
from trackyard.commands.report.metrics import DEFAULT, DEFAULT_OF_REJECTIONS, METRICS, PrintedMetric
from trackyard.commands.report.report import ReportRequest, ReportResult, make_report
from trackyard.commands.report.slices import NAMES, SUBJECTS, is_time, slice_named
from trackyard.domain.statistics.slices import REJECTION_REASON

_DEFAULT_PERIOD = "7d"


def make(
    api: ApiClient,
    period: WantedPeriod,
    *,
    with_trends: bool,
    subject: str | None,
    slices: Sequence[str],
    metrics: Sequence[str],
    filters: tuple[tuple[str, str], ...],
    order: str | None,
    limit: int,
    timezone: str,
) -> tuple[ReportRequest, ReportResult]:
    """Return the request and its result. Raises WrongUse, ApiError, ServerAway."""
    named = [subject] if subject else []
    chosen = tuple(dict.fromkeys(_slice(name) for name in (*named, *_listed(slices)))) or ("day",)
    default = DEFAULT_OF_REJECTIONS if REJECTION_REASON in chosen else DEFAULT
    wanted = tuple(_metric(name) for name in dict.fromkeys(_listed(metrics) or default))
    in_time = is_time(chosen[0])
    ordered = _metric(order) if order else None if in_time else wanted[0]
    request = ReportRequest(
        period=period.resolved(api, timezone, _DEFAULT_PERIOD),
        slices=chosen,
        metrics=wanted,
        filters=filters,
        timezone=timezone,
        order=ordered,
        limit=0 if in_time and not order else limit,
    )
    return request, make_report(api, request, with_trends=with_trends)


def _listed(texts: Sequence[str]) -> list[str]:
    return [name.strip() for text in texts for name in text.split(",") if name.strip()]


def _slice(text: str) -> str:
    found = slice_named(text)
    if found is None:
        raise WrongUse(_unknown("slice", text, (*NAMES, *SUBJECTS), NAMES))
    return found


def _metric(text: str) -> PrintedMetric:
    if text not in METRICS:
        raise WrongUse(_unknown("metric", text, METRICS, METRICS))
    return METRICS[text]


def _unknown(kind: str, text: str, known: Iterable[str], listed: Iterable[str]) -> str:
    near = get_close_matches(text, list(known), n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    return f"there is no {kind} {text!r}.{hint} There are {', '.join(listed)}."
