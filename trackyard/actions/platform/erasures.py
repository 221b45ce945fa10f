"""Erasure of personal data: stored at once, made by jobs (docs/decisions/0029)."""

from dataclasses import dataclass

from trackyard.actions.deps import Deps
from trackyard.analytics.maintenance.retention import count_erased
from trackyard.base.errors import BadInput, required
from trackyard.domain.people.callers import Caller
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.erasures import ErasedSubjects, Erasure, ErasureSubject, find_erasure_error
from trackyard.store.people import affiliates
from trackyard.store.platform import erasures, personal_data


@dataclass(frozen=True, slots=True)
class ErasureCounts:
    """What an erasure would empty: clicks and impressions with personal data, and conversions."""

    clicks: int
    views: int
    conversions: int


def count_erasable(deps: Deps, subject: ErasureSubject, value: str) -> ErasureCounts:
    """Return the number of records that would be emptied now. Raises BadInput, ReportTooHeavy."""
    erasure = Erasure(1, subject, value, deps.clock.now_ms())
    _check(deps, erasure)
    found = count_erased(deps.analytics, ErasedSubjects.of([erasure]))
    with deps.database.read() as conn:
        conversions = personal_data.count_conversions(conn, personal_data.conversions_of(erasure))
    return ErasureCounts(found["click"], found["view"], conversions)


def add_erasure(deps: Deps, caller: Caller, subject: ErasureSubject, value: str) -> Erasure:
    """Store an erasure; from now on no load restores the erased data. Raises BadInput."""
    now = deps.clock.now_ms()
    _check(deps, Erasure(1, subject, value, now))
    with deps.database.write() as conn:
        return erasures.add(conn, subject, value, str(caller.id), now)


def get_erasure(deps: Deps, number: int) -> tuple[Erasure, bool]:
    """Return an erasure and whether SQL and the analytic store have made it. Raises NotFound."""
    with deps.database.read() as conn:
        erasure = required(erasures.find_progress(conn, number)).erasure
        return erasure, erasures.is_done(conn, erasure)


def _check(deps: Deps, erasure: Erasure) -> None:
    fault = find_erasure_error(erasure.subject, erasure.value)
    if fault is not None:
        raise BadInput({"id": [f"Is wrong: {fault}."]})
    if erasure.subject is ErasureSubject.AFFILIATE:
        with deps.database.read() as conn:
            if affiliates.find_affiliate(conn, Scope.everything(), int(erasure.value)) is None:
                raise BadInput({"id": [f"An affiliate {erasure.value} does not exist."]})
