"""Erasure of personal data: stored at once, carried out by the jobs (docs/decisions/0029)."""

from dataclasses import dataclass

from trackyard.actions.deps import Deps
from trackyard.analytics.maintenance.retention import count_erased
from trackyard.base.errors import BadInput, NotFound
from trackyard.domain.people.callers import Caller
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.erasures import ErasedSubjects, Erasure, ErasureSubject, find_erasure_error
from trackyard.store.people import affiliates
from trackyard.store.platform import erasures, personal_data


@dataclass(frozen=True, slots=True)
class ErasureCounts:
    """What an erasure names: clicks and views that hold personal data, and conversions."""

    clicks: int
    views: int
    conversions: int


def count_erasable(deps: Deps, subject: ErasureSubject, value: str) -> ErasureCounts:
    """What would be emptied now. Raises BadInput, TooHeavy."""
    erasure = Erasure(1, subject, value, deps.clock.now_ms())
    _check(deps, erasure)
    found = count_erased(deps.analytics, ErasedSubjects.of([erasure]))
    with deps.database.read() as conn:
        conversions = personal_data.count_conversions(conn, _conversions_of(erasure))
    return ErasureCounts(found["click"], found["view"], conversions)


def add_erasure(deps: Deps, caller: Caller, subject: ErasureSubject, value: str) -> Erasure:
    """Remembers an erasure; from now on nothing brings back what it names. Raises BadInput."""
    now = deps.clock.now_ms()
    _check(deps, Erasure(1, subject, value, now))
    with deps.database.write() as conn:
        return erasures.add(conn, subject, value, str(caller.id), now)


def get_erasure(deps: Deps, number: int) -> tuple[Erasure, bool]:
    """An erasure, and whether SQL and the analytic store are rid of it. Raises NotFound."""
    with deps.database.read() as conn:
        found = erasures.find_progress(conn, number)
        if found is None:
            raise NotFound
        return found.erasure, erasures.is_done(conn, found.erasure)


def _check(deps: Deps, erasure: Erasure) -> None:
    fault = find_erasure_error(erasure.subject, erasure.value)
    if fault is not None:
        raise BadInput({"id": [f"Is wrong: {fault}."]})
    if erasure.subject is ErasureSubject.AFFILIATE:
        with deps.database.read() as conn:
            if affiliates.find_affiliate(conn, Scope.everything(), int(erasure.value)) is None:
                raise BadInput({"id": [f"An affiliate {erasure.value} does not exist."]})


def _conversions_of(erasure: Erasure) -> personal_data.ConversionCondition:
    if erasure.subject is ErasureSubject.CLICK:
        return personal_data.conversions_of_clicks([erasure.value])
    if erasure.subject is ErasureSubject.USER:
        return personal_data.conversions_of_user(erasure.value, erasure.at)
    return personal_data.conversions_of_affiliate(int(erasure.value), erasure.at)
