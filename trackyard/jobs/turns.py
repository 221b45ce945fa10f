"""Turns of scheduled jobs over several machines (docs/spec/engine.md#several-workers).

One machine claims a job that is due, and stores at its end when it is due next. When a machine dies, its claim ends
after `LEASE_MS`. SQLite has one machine, which needs no claims.
"""

from dataclasses import dataclass
from typing import Final

from trackyard.base.clock import Clock
from trackyard.store.engine.database import Database
from trackyard.store.tracking import job_turns

LEASE_MS: Final = 60_000
"""A turn that lasts longer may be taken by another machine: every job can be repeated."""
LOOK_SECONDS: Final = 10.0
"""How often a machine looks for a job that another one has."""


@dataclass(frozen=True, slots=True)
class JobTurn:
    """A claimed job. until_ms: when the claim ends."""

    job: str
    until_ms: int


class JobTurns:
    """The turns of the jobs of one machine."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def take(self, job: str, every_ms: int) -> JobTurn | None:
        """Claim a job that is due; None when it is not, or another machine has it.

        every_ms: the longest pause between two turns.
        """
        now = self._clock.now_ms()
        turn = JobTurn(job, now + LEASE_MS)
        if self._database.is_sqlite:
            return turn
        latest = now + max(every_ms, LEASE_MS)
        with self._database.read() as conn:
            if job_turns.is_claimed(conn, job, now, latest):
                return None
        with self._database.write() as conn:
            return turn if job_turns.claim_turn(conn, job, now, turn.until_ms, latest) else None

    def end(self, turn: JobTurn, next_at: int) -> None:
        """End a turn. next_at: when the job is due next, UTC milliseconds."""
        if not self._database.is_sqlite:
            with self._database.write() as conn:
                job_turns.end_turn(conn, turn.job, turn.until_ms, next_at)
