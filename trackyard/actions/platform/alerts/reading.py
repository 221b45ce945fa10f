"""Alerts that a person sees, and what a person chose about them (docs/spec/alerts.md#choices)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from trackyard.actions.deps import Deps
from trackyard.actions.platform.alerts.keeping import AlertReader, reader_of
from trackyard.base.errors import BadInput
from trackyard.domain.people.callers import StaffCaller
from trackyard.domain.platform.alerts.causes import Alert
from trackyard.domain.platform.alerts.choices import AlertChoices, DigestRhythm
from trackyard.domain.platform.alerts.kinds import AlertKind
from trackyard.domain.statistics.report_mails import next_time
from trackyard.store.platform.alerts import alerts, choices

OPEN: Final = "open"
CLOSED: Final = "closed"
ALL: Final = "all"
STATES: Final = (OPEN, CLOSED, ALL)
_IS_OPEN: Final = {OPEN: True, CLOSED: False, ALL: None}
MONDAY: Final = 0


@dataclass(frozen=True, slots=True)
class ShownChoices:
    """The choices of a person, and how the person gets each kind of alert by its name."""

    choices: AlertChoices
    ways: Mapping[str, str]


def list_alerts(
    deps: Deps, caller: StaffCaller, state: str, kinds: Collection[AlertKind], *, page: int, limit: int
) -> tuple[list[Alert], int]:
    """Return a page of the alerts that a person sees, the newest first, and the number of all.

    state: of STATES.
    """
    with deps.database.read() as conn:
        reader = reader_of(conn, caller, deps.zone)
        return alerts.list_alerts(
            conn,
            reader.scope,
            of_platform=reader.of_platform,
            is_open=_IS_OPEN[state],
            kinds=kinds,
            page=page,
            limit=limit,
        )


def get_choices(deps: Deps, caller: StaffCaller) -> ShownChoices:
    """Return the choices of a person."""
    with deps.database.read() as conn:
        return _shown(reader_of(conn, caller, deps.zone))


def edit_choices(deps: Deps, caller: StaffCaller, given: Mapping[str, Any]) -> ShownChoices:
    """Change the given choices; return all. Raises BadInput.

    given: new values by field of AlertChoices. Ways of kinds that are not given stay.
    """
    with deps.database.write() as conn:
        reader = reader_of(conn, caller, deps.zone)
        before = reader.choices
        after = replace(before, **{**given, "ways": {**before.ways, **given.get("ways", {})}})
        if bool(after.quiet_from) != bool(after.quiet_until):
            missing = "quiet_until" if after.quiet_from else "quiet_from"
            raise BadInput({missing: ["Quiet hours need a begin and an end: name both, or none."]})
        if {"digest", "digest_hour"} & given.keys():
            after = replace(after, digest_at=next_digest(after, reader, deps.clock.now_ms()))
        if after != before:
            choices.edit_choices(conn, caller.account, after)
        return _shown(replace(reader, choices=after))


def next_digest(chosen: AlertChoices, reader: AlertReader, after_ms: int) -> int | None:
    """Return when the next digest of a person is due, UTC milliseconds; None without any."""
    if chosen.digest is DigestRhythm.NONE:
        return None
    return next_time(chosen.digest.value, MONDAY, chosen.digest_hour, reader.zone, after_ms)


def _shown(reader: AlertReader) -> ShownChoices:
    return ShownChoices(reader.choices, reader.choices.all_ways(reader.caller.roles))
