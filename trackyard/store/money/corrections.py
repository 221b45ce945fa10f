"""Corrections of what affiliates earned (docs/spec/money.md#corrections)."""

from typing import Final

from sqlalchemy import Connection, select

from trackyard.domain.money.corrections import Correction, CorrectionFilter
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.rows import Rows, in_scope
from trackyard.store.money import ledger
from trackyard.store.tables import correction

_ROWS: Final = Rows[Correction, int](correction, Correction)


def add_correction(conn: Connection, new: Correction) -> Correction:
    """Store a correction with its entry in the ledger, and return it."""
    number = _ROWS.add_numbered(conn, new)
    ledger.add_entries(conn, [new.entry(number)])
    return _ROWS.by_id(conn, [number])[number]


def list_corrections(
    conn: Connection, scope: Scope, criteria: CorrectionFilter, *, page: int, limit: int
) -> tuple[list[Correction], int]:
    """Return a page, the newest first, and the total."""
    columns = correction.c
    conditions = in_scope(scope, affiliate=columns.affiliate_id)
    if criteria.affiliate_ids:
        conditions.append(columns.affiliate_id.in_(criteria.affiliate_ids))
    if criteria.currencies:
        conditions.append(columns.currency.in_(criteria.currencies))
    if criteria.since is not None:
        conditions.append(columns.created_at >= criteria.since)
    if criteria.until is not None:
        conditions.append(columns.created_at < criteria.until)
    return _ROWS.read_page(conn, select(correction).where(*conditions).order_by(columns.id.desc()), page, limit)
