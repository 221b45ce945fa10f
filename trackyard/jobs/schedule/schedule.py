"""The jobs of the schedule, each in small transactions until nothing is left."""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.actions.conversions.changes import DeliveryContext, record_changes
from trackyard.actions.events.notifying import notify_next
from trackyard.actions.money.invoice_events import find_overdue
from trackyard.actions.offers.announcing import stop_ended_offers
from trackyard.actions.offers.counters import CounterBatch
from trackyard.actions.people.sessions import remove_ended_sessions
from trackyard.actions.platform.idempotency import remove_expired_answers
from trackyard.actions.platform.mailings import queue_mails
from trackyard.actions.platform.messages.sending import send_next
from trackyard.actions.platform.news_bells import ring_next
from trackyard.base.clock import Clock
from trackyard.base.secrets import SecretCipher
from trackyard.base.zones import local_day
from trackyard.domain.conversions.conversions import end_hold
from trackyard.domain.platform.retention import DEFAULT_RETENTION, RetentionPolicy
from trackyard.jobs.conversions import postback_log
from trackyard.jobs.failures import JobFailures
from trackyard.jobs.schedule.erasures import Eraser
from trackyard.jobs.schedule.file_fetches import remove_orphans
from trackyard.jobs.turns import LOOK_SECONDS, JobTurns
from trackyard.journal.records import decode_postback
from trackyard.store.conversions import conversions, inbox
from trackyard.store.conversions.decisions import get_decision_context
from trackyard.store.engine.audit_actor import act_as_system
from trackyard.store.engine.database import Connection, Database
from trackyard.store.engine.watch import ChangeGate, CommitWatcher
from trackyard.store.events import events
from trackyard.store.money import invoices
from trackyard.store.offers import counters, expiry
from trackyard.store.people import security_log
from trackyard.store.platform import mail_log, messages, news, receivers
from trackyard.store.platform.file_storage import FileStore
from trackyard.store.statistics import outbox
from trackyard.store.tracking import deliveries

_CHUNK: Final = 20
_PARKED_CHUNK: Final = 200
_MOST_NUMBERED: Final = 500
_MAX_RUN_SECONDS: Final = 4
"""A job that takes longer than this continues after the others had their turn: no hold ends a minute late."""
_KEEP_COUNTERS_MS: Final = 7 * 86_400_000
"""How long counters outlive their period; later changes are computed from conversions."""
_SHOW_WAITING_MS: Final = 700
"""A postback that waits longer for its click is logged as waiting, within 2 s of its arrival."""

log = logging.getLogger("trackyard.schedule")


@dataclass(frozen=True, slots=True)
class Job:
    """A job to run every `seconds`. step: does a part in one transaction; returns how much.

    by_turns: one machine at a time runs it. The others look for work all the time, and claim it row by row.
    has_any: whether there is anything for the job, now or later, which only a commit brings; None = it always looks.
    """

    name: str
    seconds: float
    step: Callable[[], int]
    by_turns: bool = False
    has_any: Callable[[Connection], bool] | None = None


class JobScheduler:
    """The jobs of a worker. Several workers may run them on one database."""

    def __init__(
        self,
        database: Database,
        zone: ZoneInfo,
        clock: Clock,
        files: FileStore | None = None,
        retention_policy: RetentionPolicy = DEFAULT_RETENTION,
        cipher: SecretCipher | None = None,
    ) -> None:
        self._database = database
        self._zone = zone
        self._clock = clock
        self._files = files
        self._retention_policy = retention_policy
        self._cipher = cipher
        self.eraser = Eraser(database, zone, clock, retention_policy)
        self.jobs = (
            Job("holds", 5, self.end_holds),
            Job("offers", 10, self.stop_offers),
            Job("waiting", 0.5, self.log_waiting, has_any=inbox.has_unlogged),
            Job("events", 0.5, self.number_events, has_any=events.has_unnumbered),
            Job("notices", 0.5, self.notify, has_any=events.has_unnoticed),
            Job("messages", 0.5, self.send_messages, has_any=messages.has_unsent),
            Job("news", 0.5, self.ring_news, has_any=news.has_unrung),
            Job("overdue invoices", 60, self.find_overdue, by_turns=True),
            Job("old events", 600, self.trim_events, by_turns=True),
            Job("old messages", 600, self.trim_messages, by_turns=True),
            Job("parked", 2, self.unpark, has_any=deliveries.has_parked),
            Job("counters", 600, self.forget_counters, by_turns=True),
            Job("files", 3600, self.sweep_files, by_turns=True),
            Job("repeats", 600, self.forget_answers, by_turns=True),
            Job("sessions", 600, self.forget_sessions, by_turns=True),
            Job("security log", 600, self.trim_security_log, by_turns=True),
            Job("log of mails", 600, self.trim_mail_log, by_turns=True),
            Job("mailings", 2, self.queue_mails, has_any=receivers.has_waiting),
            Job("erasures", 3, self.eraser.erase),
            Job("personal data", 600, self.eraser.empty_old, by_turns=True),
        )
        self._turns = JobTurns(database, clock)
        self._failures = {job.name: JobFailures(log, "schedule", job.name) for job in self.jobs}

    def run(self, stop: threading.Event, pause_seconds: float = 0.25) -> None:
        """Run the jobs when they are due until `stop` is set. A failed job is logged and runs again next time."""
        due_at = dict.fromkeys((job.name for job in self.jobs), 0.0)
        with closing(CommitWatcher(self._database)) as commits:
            gates = {job.name: ChangeGate(commits.state) for job in self.jobs if job.has_any is not None}
            if not self._database.is_sqlite:  # which alone counts commits
                gates = {}
            while not stop.is_set():
                for job in self.jobs:
                    gate = gates.get(job.name)
                    if time.monotonic() >= due_at[job.name] and (gate is None or gate.is_open()):
                        due_at[job.name] = time.monotonic() + self._run_gated(job, gate, stop)
                stop.wait(pause_seconds)

    def _run_gated(self, job: Job, gate: ChangeGate | None, stop: threading.Event) -> float:
        """Run a job for one turn, and close its gate when there is nothing for it."""
        seconds = self._run_job(job, stop)
        if gate is not None and not self._has_any(job):
            gate.set_idle()
        return seconds

    def _has_any(self, job: Job) -> bool:
        """Return whether there may be something for a job, now or later."""
        if job.has_any is None:
            return True
        try:
            with self._database.read() as conn:
                return job.has_any(conn)
        except Exception:  # which the job meets, too, and reports
            return True

    def _run_job(self, job: Job, stop: threading.Event) -> float:
        """Run a job for one turn; return the seconds until it is due again, 0 when something is left."""
        failures, seconds = self._failures[job.name], job.seconds
        try:
            turn = self._turns.take(job.name, round(seconds * 1000)) if job.by_turns else None
            if job.by_turns and turn is None:
                return min(seconds, LOOK_SECONDS)
            try:
                seconds = self._work(job, stop)
            finally:
                if turn is not None:
                    self._turns.end(turn, self._clock.now_ms() + round(seconds * 1000))
        except Exception as error:
            return max(job.seconds, failures.failed(error))
        failures.worked()
        return seconds

    @staticmethod
    def _work(job: Job, stop: threading.Event) -> float:
        end = time.monotonic() + _MAX_RUN_SECONDS
        while not stop.is_set() and job.step():
            if time.monotonic() > end:
                return 0.0
        return job.seconds

    def queue_mails(self) -> int:
        """Queue the mails of news to their next receivers; return how many."""
        return queue_mails(self._database, self._clock.now_ms(), self._cipher)

    def forget_answers(self) -> int:
        """Remove expired answers of idempotency keys; return how many."""
        return remove_expired_answers(self._database, self._clock.now_ms())

    def forget_sessions(self) -> int:
        """Remove sessions that have ended. Returns 0: all is done at once."""
        remove_ended_sessions(self._database, self._clock.now_ms())
        return 0

    def trim_security_log(self) -> int:
        """Remove events past the retention of logs; return how many."""
        until = self._retention_policy.log_cutoff_ms(self._clock.now_ms())
        with self._database.read() as conn:
            if not security_log.has_before(conn, until):
                return 0
        with self._database.write() as conn:
            return security_log.remove_before(conn, until)

    def trim_mail_log(self) -> int:
        """Remove mails of the log past the retention of logs; return how many."""
        until = self._retention_policy.log_cutoff_ms(self._clock.now_ms())
        with self._database.read() as conn:
            if not mail_log.has_before(conn, until):
                return 0
        with self._database.write() as conn:
            return mail_log.remove_before(conn, until)

    def number_events(self) -> int:
        """Number committed events; return how many."""
        with self._database.read() as conn:
            if not events.has_unnumbered(conn):
                return 0
        with self._database.write() as conn:
            return events.number_events(conn, _MOST_NUMBERED)

    def notify(self) -> int:
        """Make the notices of the next event; return 1, or 0 without an event."""
        return notify_next(self._database, self._clock.now_ms(), self._cipher)

    def send_messages(self) -> int:
        """Do the next step of a message to affiliates that is due; return 1, or 0 without one."""
        return send_next(self._database, self._clock.now_ms(), self._cipher)

    def ring_news(self) -> int:
        """Put news into the bells of the next companies; return 1, or 0 without any."""
        return ring_next(self._database)

    def trim_messages(self) -> int:
        """Remove messages past the retention of logs, with who has them; return how many rows."""
        until = self._retention_policy.log_cutoff_ms(self._clock.now_ms())
        with self._database.read() as conn:
            if not messages.has_before(conn, until):
                return 0
        with self._database.write() as conn:
            return messages.remove_before(conn, until, _PARKED_CHUNK)

    def trim_events(self) -> int:
        """Remove events past the retention of logs; return how many."""
        until = self._retention_policy.log_cutoff_ms(self._clock.now_ms())
        with self._database.read() as conn:
            if not events.has_before(conn, until):
                return 0
        with self._database.write() as conn:
            return events.remove_before(conn, until, _PARKED_CHUNK)

    def forget_counters(self) -> int:
        """Remove old counters of caps and tiers; return of how many periods."""
        ended = self._clock.now_ms() - _KEEP_COUNTERS_MS
        with self._database.read() as conn:
            if not counters.has_ended_counters(conn, ended):
                return 0
        with self._database.write() as conn:
            return counters.remove_ended_counters(conn, ended, _CHUNK)

    def sweep_files(self) -> int:
        """Remove stored files that no row refers to. Returns 0: all is done at once."""
        removed = 0 if self._files is None else remove_orphans(self._database, self._files, self._clock.now_ms())
        if removed:
            log.info("orphaned files removed", extra={"files": removed})
        return 0

    def end_holds(self) -> int:
        """Confirm conversions at the end of their hold; return how many."""
        now = self._clock.now_ms()
        with self._database.read() as conn:
            if not conversions.has_hold_ending(conn, now):
                return 0
        with self._database.write() as conn:
            held = conversions.holds_ending(conn, now, _CHUNK)
            offer_ids, affiliate_ids = {item.offer_id for item in held}, {item.affiliate_id for item in held}
            context = get_decision_context(conn, offer_ids, affiliate_ids, self._zone, lock=True)
            titles = {offer.id: offer.title for offer in context.offers.values()}
            changes = [end_hold(item, now) for item in held]
            counting = CounterBatch.of(conn, context.offers, changes)
            record_changes(conn, changes, DeliveryContext(context.postbacks, titles, self._zone), counting, now)
        return len(held)

    def stop_offers(self) -> int:
        """Stop offers that are past their end; return how many."""
        now = self._clock.now_ms()
        with self._database.read() as conn:
            if not expiry.has_ended_offers(conn, now):
                return 0
        with act_as_system("offers", now), self._database.write() as conn:
            return stop_ended_offers(conn, now, _CHUNK)

    def find_overdue(self) -> int:
        """Publish issued invoices that are unpaid after their due date; return how many."""
        now = self._clock.now_ms()
        today = local_day(now, self._zone)
        with self._database.read() as conn:
            if not invoices.has_overdue(conn, today):
                return 0
        with act_as_system("overdue invoices", now), self._database.write() as conn:
            return find_overdue(conn, today, now)

    def unpark(self) -> int:
        """Resume deliveries of postbacks that are no longer paused; return how many."""
        with self._database.read() as conn:
            if not deliveries.has_parked(conn):
                return 0
        with self._database.write() as conn:
            return deliveries.unpark(conn, self._clock.now_ms(), _PARKED_CHUNK)

    def log_waiting(self) -> int:
        """Log postbacks that wait for their click; return how many."""
        now = self._clock.now_ms()
        with self._database.read() as conn:
            if not inbox.list_unlogged(conn, 1, now - _SHOW_WAITING_MS):
                return 0
        with self._database.write() as conn:
            calls = inbox.list_unlogged(conn, _CHUNK, now - _SHOW_WAITING_MS, lock=True)
            rows = [_waiting_log_row(call) for call in calls]
            outbox.add(conn, rows, now)
            inbox.mark_logged(conn, [call.id for call in calls])
        return len(calls)


def _waiting_log_row(waiting: inbox.WaitingPostback) -> outbox.OutboxRow:
    record = decode_postback(waiting.call)
    postback = postback_log.parse_record(record, waiting.journal, waiting.position)
    return postback_log.inbound_log_row(record, postback, revision=0, response=postback_log.WAITING)
