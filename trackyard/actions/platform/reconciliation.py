"""Reconciliation of journals, analytic store and SQL (docs/architecture.md#the-idea).

journal = clicks, postbacks = conversions = conversion events = statistics, ledger = balances.

It runs during traffic: SQL is read first, with queued rows of the analytic store, then that store, so that later
records make no discrepancy.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.load import lookup_item
from trackyard.analytics.maintenance import reconciliation as analytic
from trackyard.analytics.maintenance.reconciliation import MODULUS, ConversionEventRow, digest
from trackyard.analytics.reports.reports import run_report
from trackyard.base.money import ZERO
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.money.affiliate_payments import PaymentStatus
from trackyard.domain.money.ledger import balance_effect, referral_share
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.reconciliation import ReconciliationResult
from trackyard.domain.statistics.reports import TOTAL, Report
from trackyard.domain.statistics.rows import ConversionEventFields
from trackyard.journal import segments
from trackyard.journal.reader import OffsetRange, count_records, next_range
from trackyard.journal.records import RecordKind
from trackyard.store.engine.database import Database
from trackyard.store.platform import reconciliation as stored
from trackyard.store.platform.reconciliation import LedgerSums, StoredConversion
from trackyard.store.statistics import checkpoints

_WINDOW_MS: Final = 86_400_000
_TABLES: Final = {RecordKind.CLICK: "click", RecordKind.IMPRESSION: "view"}


@dataclass(frozen=True, slots=True)
class _JournalBooks:
    """The journals of a directory and the stores that they are compared with."""

    database: Database
    analytics: Analytics
    directory: Path


@dataclass(slots=True)
class _JournalContents:
    """The loaded contents of a journal.

    By kind the count and the sum of the ids' digests, and the ids by position while they are wanted.
    """

    counts: dict[RecordKind, int]
    sums: dict[RecordKind, int]
    calls: set[int]


def reconcile(deps: Deps) -> ReconciliationResult:
    """Compare all books with each other. Raises ReportTooHeavy."""
    findings = ReconciliationResult()
    if deps.journals is not None:
        findings = reconcile_journals(deps.database, deps.analytics, deps.journals)
    _check_calls(deps, findings)
    _check_conversions(deps, findings)
    _check_money(deps, findings)
    return findings


# --- journal = clicks, calls ----------------------------------------------------------------------------


def reconcile_journals(database: Database, analytics: Analytics, directory: Path) -> ReconciliationResult:
    """Compare loaded journals with the statistics and the log of postbacks.

    Records that are not loaded yet are counted.
    """
    books = _JournalBooks(database, analytics, directory)
    findings = ReconciliationResult()
    with database.read() as conn:
        reached = {each.edge: (each.journal, each.position) for each in checkpoints.get_checkpoints(conn)}
    for edge in sorted({*reached, *segments.list_edges(directory)}):
        last, position = reached.get(edge, ("", 0))
        for journal in segments.list_journals(directory, edge):
            if journal <= last:
                end = position if journal == last else segments.end_of(directory, journal)
                _check_journal(books, edge, journal, end, findings)
            if journal >= last:
                waiting = count_records(directory, journal, position if journal == last else 0)
                findings.not_loaded |= {journal: waiting} if waiting else {}
    return findings


def _check_journal(books: _JournalBooks, edge: int, journal: str, end: int, findings: ReconciliationResult) -> None:
    recorded = _JournalContents(defaultdict(int), defaultdict(int), set())
    for found in _ranges(books.directory, edge, journal, end):
        for position, kind, payload in found.frames:
            if kind is RecordKind.POSTBACK:
                recorded.calls.add(position)
            elif (record_id := _id_of(payload)) is not None:
                recorded.counts[kind] += 1
                recorded.sums[kind] += digest(record_id)
    for kind, table in _TABLES.items():
        count, total = analytic.sum_journal(books.analytics, table, journal, end)
        findings.check(f"{table}s", recorded.counts[kind])
        if (count, total) != (recorded.counts[kind], recorded.sums[kind] % MODULUS):
            _report_rows(books, edge, journal, end, kind, findings)
    # The inbox is read first: a postback that is decided meanwhile is then found in the log.
    with books.database.read() as conn:
        waiting = stored.positions_in_inbox(conn, journal)
        underway = {log.position for log in stored.pending_server_logs(conn) if log.journal == journal}
    known = waiting | underway | analytic.find_logged_positions(books.analytics, journal)
    findings.check("calls", len(recorded.calls))
    for position in sorted(recorded.calls - known):
        findings.add_discrepancy(
            "call in the journal", f"{journal} at {position}", "in the server postback log", "nowhere"
        )


def _ranges(directory: Path, edge: int, journal: str, end: int) -> Iterator[OffsetRange]:
    position = 0
    while position < end:
        found = next_range(directory, edge, journal, position)
        if found is None or found.journal != journal or found.end > end:
            return
        yield found
        position = found.end


def _id_of(payload: bytes) -> str | None:
    try:
        return lookup_item(payload)[:12].hex()
    except ValueError:
        return None  # quarantined and reported when it was loaded


def _report_rows(
    books: _JournalBooks, edge: int, journal: str, end: int, kind: RecordKind, findings: ReconciliationResult
) -> None:
    """Report rows that are recorded and not loaded, or loaded and not recorded."""
    table = _TABLES[kind]
    loaded = analytic.ids_by_position(books.analytics, table, journal, end)
    count, _ = analytic.sum_journal(books.analytics, table, journal, end)
    if count != len(loaded):
        findings.add_discrepancy(f"{table}s loaded twice", journal, len(loaded), count)
    for found in _ranges(books.directory, edge, journal, end):
        for position, each, payload in found.frames:
            if each is not kind or (record_id := _id_of(payload)) is None:
                continue
            other = loaded.pop(position, None)
            if other != record_id:
                findings.add_discrepancy(
                    f"{table} in the journal", record_id, f"loaded from {journal}", other or "nowhere"
                )
    for position, record_id in sorted(loaded.items()):
        findings.add_discrepancy(
            f"{table} in statistics", record_id, f"recorded in {journal}", f"nothing at {position}"
        )


# --- calls = conversions --------------------------------------------------------------------------------


def _check_calls(deps: Deps, findings: ReconciliationResult) -> None:
    """Check that logged postbacks and the changes by postbacks agree, as long as logs are kept."""
    since = f"{deps.retention_policy.log_cutoff_ms(deps.clock.now_ms()) // 1000:08x}"  # ids begin with their second
    with deps.database.read() as conn:
        changed = dict(stored.each_postback_change(conn, since))
        underway = {log.id for log in stored.pending_server_logs(conn)}
    for import_id, reason in analytic.refused_imports(deps.analytics, since):
        findings.add_discrepancy("accepted import", import_id, "a conversion", reason)
    logged = analytic.effective_postbacks(deps.analytics, since)
    findings.check("calls that took effect", len(changed))
    for call_id, conversion_id in changed.items():
        found = logged.pop(call_id, None)
        if found != conversion_id and call_id not in underway:
            findings.add_discrepancy(
                "change by a call", call_id, f"logged for {conversion_id}", found or "not in the log"
            )
    if logged:
        with deps.database.read() as conn:
            later = dict(stored.each_postback_change(conn, since))
        for call_id, conversion_id in logged.items():
            if later.get(call_id) != conversion_id:
                findings.add_discrepancy("call in the log", call_id, f"changed {conversion_id}", "no such change")


# --- conversions = facts = statistics = ledger ----------------------------------------------------------


def _check_conversions(deps: Deps, findings: ReconciliationResult) -> None:
    with deps.database.read() as conn:
        span = stored.find_creation_range(conn)
    if span is None:
        return
    first, last = span
    for since in range(first // _WINDOW_MS * _WINDOW_MS, last + 1, _WINDOW_MS):
        until = since + _WINDOW_MS
        with deps.database.read() as conn:
            states = stored.conversions_between(conn, since, until)
            underway = stored.pending_events(conn)
            entered = stored.ledger_sums_between(conn, since, until, shares=False)
            shares = stored.ledger_sums_between(conn, since, until, shares=True)
        facts = analytic.conversion_events_between(deps.analytics, since, until)
        facts += [_state(fact) for fact in underway if since <= fact.time < until]
        unknown_ids = _compare_facts(states, facts, findings)
        with deps.database.read() as conn:
            unknown_ids -= stored.existing_conversions(conn, unknown_ids)
        for conversion_id in sorted(unknown_ids):
            findings.add_discrepancy("conversion of facts", conversion_id, "in SQL", "not there")
        _compare_ledger("ledger of a conversion", states, entered, _payout_entry, findings)
        if referred := sum(state.referrer_id is not None for state in states):
            findings.check("referral shares", referred)
        _compare_ledger("referral share of a conversion", states, shares, _share_entry, findings)
        if not underway:
            _compare_report(deps, since, until, states, findings)


def _state(fact: ConversionEventFields) -> ConversionEventRow:
    return ConversionEventRow(*(getattr(fact, name) for name in ConversionEventRow.__struct_fields__))


_Amounts = tuple[int, int, int, str, Decimal, Decimal, Decimal, Decimal]
_LedgerEntry = dict[tuple[int, str], tuple[Decimal, Decimal]]
"""(hold, available) by affiliate and currency."""


def _compare_facts(
    states: Sequence[StoredConversion], facts: Sequence[ConversionEventRow], findings: ReconciliationResult
) -> set[str]:
    """Compare each conversion with the sum of its events; report events without a conversion."""
    rows: dict[str, dict[tuple[int, int], ConversionEventRow]] = defaultdict(dict)
    for fact in facts:
        rows[fact.conversion_id][fact.version, fact.sign] = fact
    findings.check("conversions", len(states))
    for state in states:
        summed: dict[_Amounts, int] = defaultdict(int)
        for (version, sign), fact in rows.pop(state.id, {}).items():
            if version < state.version or (version == state.version and sign > 0):
                summed[_amounts_of_fact(fact)] += sign
        left = {totals: count for totals, count in summed.items() if count}
        if left != {_amounts_of_state(state): 1}:
            findings.add_discrepancy("facts of a conversion", state.id, _amounts_of_state(state), left or "none")
    return set(rows)


def _amounts_of_state(state: StoredConversion) -> _Amounts:
    number = Status(state.status).number
    amounts = (state.charge, state.payout, state.charge_base, state.payout_base)
    return (number, state.offer_id, state.affiliate_id, state.currency, *amounts)


def _amounts_of_fact(fact: ConversionEventRow) -> _Amounts:
    amounts = (fact.charge, fact.payout, fact.charge_base, fact.payout_base)
    return (fact.status, fact.offer, fact.affiliate, fact.currency, *amounts)


def _compare_ledger(
    what: str,
    states: Sequence[StoredConversion],
    entered: dict[str, list[LedgerSums]],
    entry_of: Callable[[StoredConversion], _LedgerEntry],
    findings: ReconciliationResult,
) -> None:
    """Compare an entry of each conversion with the ledger."""
    for state in states:
        wanted = entry_of(state)
        found = {(each.affiliate_id, each.currency): (each.hold, each.available) for each in entered.get(state.id, [])}
        if _nonzero(found) != _nonzero(wanted):
            findings.add_discrepancy(what, state.id, wanted, found)


def _payout_entry(state: StoredConversion) -> _LedgerEntry:
    return {(state.affiliate_id, state.currency): balance_effect(Status(state.status), state.payout)}


def _share_entry(state: StoredConversion) -> _LedgerEntry:
    if state.referrer_id is None:
        return {}
    share = referral_share(Status(state.status), state.payout, state.referral_percent)
    return {(state.referrer_id, state.currency): (ZERO, share)}


def _nonzero(sums: _LedgerEntry) -> _LedgerEntry:
    return {key: pair for key, pair in sums.items() if any(pair)}


def _compare_report(
    deps: Deps, since: int, until: int, states: Sequence[StoredConversion], findings: ReconciliationResult
) -> None:
    """Compare the report of a day with the sums of conversions in SQL."""
    rows = run_report(deps.analytics, Report(Scope.everything(), since, until, ())).rows
    total: tuple[int, Decimal, Decimal] = (0, ZERO, ZERO)
    for row in rows:
        totals = row.actions[TOTAL]
        total = (totals.count, totals.charge, totals.payouts)
    wanted = (
        len(states),
        sum((state.charge_base for state in states), ZERO),
        sum((state.payout_base for state in states), ZERO),
    )
    findings.check("days of statistics")
    if total != wanted:
        with deps.database.read() as conn:
            reread = stored.conversions_between(conn, since, until)
        if list(reread) == list(states):
            findings.add_discrepancy("statistics of a day", str(since), wanted, total)


# --- ledger = payments ----------------------------------------------------------------------------------


def _check_money(deps: Deps, findings: ReconciliationResult) -> None:
    with deps.database.read() as conn:
        nothing = stored.orphan_ledger_sources(conn)
        payments = stored.payment_sums(conn)
        corrections = stored.correction_sums(conn)
        advances = stored.advance_sums(conn)
        paid = stored.paid_conversion_sums(conn)
    for conversion_id in nothing:
        findings.add_discrepancy("entry of the ledger", conversion_id, "a conversion", "none of that id")
    findings.check("payments", len(payments))
    for item in payments:
        cancelled = item.status is PaymentStatus.CANCELLED
        wanted = (ZERO, ZERO) if cancelled else (item.amount, -item.amount)
        if (item.paid, item.entered) != wanted:
            findings.add_discrepancy("payment", str(item.id), wanted, (item.paid, item.entered))
    for sums in paid:
        key = f"affiliate {sums.affiliate_id}, {sums.currency}"
        findings.check("paid conversions by affiliate and currency")
        if sums.closed != sums.executed - sums.other:
            findings.add_discrepancy("payouts of closed conversions", key, sums.executed - sums.other, sums.closed)
    findings.check("corrections", len(corrections))
    for what, entries in (("correction", corrections), ("advance of a payment", advances)):
        for each in entries:
            if each.entered != each.wanted:
                findings.add_discrepancy(what, each.source_id, each.wanted, each.entered)
