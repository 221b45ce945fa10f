"""What a run of chaos must have led to: pure, over the evidence."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

SHOWN: Final = 3
LONGEST_STOP_S: Final = 45.0

Report = tuple[str, str]
"""The id of a conversion and a status that it got."""


@dataclass(frozen=True)
class Conversion:
    """A conversion of SQL. action: the id that the sender gave it."""

    id: str
    action: str
    click: str
    status: str


@dataclass
class Arrivals:
    """Requests to affiliates about one report. accepted: those that were answered 200."""

    ids: set[str] = field(default_factory=set)
    requests: int = 0
    accepted: int = 0


@dataclass
class RunEvidence:
    """All that is known at the end of a run.

    clicks_unsure: requests without an answer, which may have been recorded.
    clicks_recorded, clicks_counted: click id to how often it is in the journals, in the statistics.
    clicks_reported: the sum of the daily report.
    conversions_counted: conversion id to the sum of its signed rows.
    reports: that SQL says must reach an affiliate; superseded: those that a later one replaced.
    balances: by affiliate the answer of the API, the sum of the ledger, and what its conversions pay.
    left: rows that still wait in a queue, by queue. audits: what `trackyard audit` of a machine found.
    stops: machine, seconds and exit status of each stop in order. verdicts: of postbacks, as the log has them.
    failures: what went wrong during the run.
    """

    clicks_acknowledged: Collection[str] = ()
    clicks_unsure: int = 0
    clicks_recorded: Mapping[str, int] = field(default_factory=dict)
    clicks_counted: Mapping[str, int] = field(default_factory=dict)
    clicks_reported: int = 0
    actions_sent: Collection[str] = ()
    actions_acknowledged: Collection[str] = ()
    conversions: Collection[Conversion] = ()
    conversions_counted: Mapping[str, int] = field(default_factory=dict)
    reports: Collection[Report] = ()
    superseded: Collection[Report] = ()
    arrivals: Mapping[Report, Arrivals] = field(default_factory=dict)
    balances: Mapping[int, tuple[str, str, str]] = field(default_factory=dict)
    left: Mapping[str, int] = field(default_factory=dict)
    audits: Mapping[str, str] = field(default_factory=dict)
    stops: Collection[tuple[str, float, int]] = ()
    verdicts: Mapping[str, int] = field(default_factory=dict)
    failures: Collection[str] = ()


def find_problems(evidence: RunEvidence) -> list[str]:
    """Return a sentence for each difference between the outcome and what is promised."""
    parts = (_clicks, _conversions, _deliveries, _books)
    return [*evidence.failures, *(problem for part in parts for problem in part(evidence))]


def _clicks(found: RunEvidence) -> Iterator[str]:
    acknowledged, recorded, counted = map(set, (found.clicks_acknowledged, found.clicks_recorded, found.clicks_counted))
    if len(acknowledged) != len(found.clicks_acknowledged):
        yield f"clicks: {len(found.clicks_acknowledged) - len(acknowledged)} ids were given twice"
    yield from _list("clicks acknowledged and not recorded", acknowledged - recorded)
    yield from _list("clicks recorded and not counted", recorded - counted)
    yield from _list("clicks counted and never recorded", counted - recorded)
    yield from _list("clicks recorded twice", {each for each, number in found.clicks_recorded.items() if number != 1})
    yield from _list("clicks counted twice", {each for each, number in found.clicks_counted.items() if number != 1})
    beyond = len(recorded) - len(acknowledged) - found.clicks_unsure
    if beyond > 0:
        yield f"clicks: {beyond} recorded beyond what was sent"
    if found.clicks_reported != len(counted):
        yield f"clicks: the daily report has {found.clicks_reported}, the statistics have {len(counted)}"


def _conversions(found: RunEvidence) -> Iterator[str]:
    actions = [each.action for each in found.conversions]
    known, clicked = set(actions), [each.click for each in found.conversions]
    yield from _list("postbacks acknowledged without a conversion", set(found.actions_acknowledged) - known)
    yield from _list("conversions that were never sent", known - set(found.actions_sent))
    yield from _list("conversions twice", _repeated(actions) | _repeated(clicked))
    yield from _list("conversions of unknown clicks", set(clicked) - set(found.clicks_recorded))
    ids = {each.id for each in found.conversions}
    yield from _list("conversions not counted once", {e for e in ids if found.conversions_counted.get(e, 0) != 1})
    extra = {each for each, number in found.conversions_counted.items() if number and each not in ids}
    yield from _list("conversions counted that do not exist", extra)


def _deliveries(found: RunEvidence) -> Iterator[str]:
    needed = set(found.reports) - set(found.superseded)
    accepted = {report for report, each in found.arrivals.items() if each.accepted}
    yield from _list("deliveries that did not arrive", needed - accepted)
    yield from _list("deliveries of nothing", set(found.arrivals) - set(found.reports))
    several = {report for report, each in found.arrivals.items() if len(each.ids) != 1}
    yield from _list("deliveries with a changed id", several)
    ids = [one for each in found.arrivals.values() for one in each.ids]
    yield from _list("ids of several deliveries", _repeated(ids))


def _books(found: RunEvidence) -> Iterator[str]:
    for affiliate, (shown, ledger, owed) in found.balances.items():
        if not shown == ledger == owed:
            yield f"balance of affiliate {affiliate}: the API says {shown}, the ledger {ledger}, conversions pay {owed}"
    for queue, number in found.left.items():
        if number:
            yield f"queue {queue}: {number} rows are left"
    for machine, text in found.audits.items():
        if text:
            yield f"audit of {machine}: {text}"
    for machine, seconds, status in found.stops:
        if seconds > LONGEST_STOP_S:
            yield f"stop of {machine}: it took {seconds:.0f} s"
        if status:
            yield f"stop of {machine}: exit status {status}"


def _repeated(items: Collection[str]) -> set[str]:
    seen: set[str] = set()
    return {each for each in items if each in seen or seen.add(each)}  # type: ignore[func-returns-value]


def _list(what: str, items: Collection[object]) -> Iterator[str]:
    if items:
        shown = ", ".join(map(str, sorted(items, key=str)[:SHOWN]))
        yield f"{what}: {len(items)}, such as {shown}"
