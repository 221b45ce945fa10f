"""Reads the audit log (docs/spec/platform.md#audit-log).

store/engine/audit_writer.py writes the changes of rows.
"""

from dataclasses import asdict

from sqlalchemy import Connection, insert, or_, select

from trackyard.base.ids import new_id
from trackyard.domain.people.callers import Account
from trackyard.domain.platform.audit import AuditFilter, AuditRecord
from trackyard.store.engine.audit_actor import AuditActor
from trackyard.store.engine.dialect import read_page
from trackyard.store.tables import audit


def list_records(conn: Connection, criteria: AuditFilter, *, page: int, limit: int) -> tuple[list[AuditRecord], int]:
    """Return a page of records, the newest first, and the total."""
    columns = audit.c
    equal = {
        columns.staff_id: criteria.staff_id,
        columns.affiliate_id: criteria.affiliate_id,
        columns.what: criteria.what,
        columns.key: criteria.key,
        columns.method: criteria.method,
    }
    conditions = [column == value for column, value in equal.items() if value is not None]
    if criteria.request_id is not None:
        ids = (columns.request_id, columns.client_request_id)
        conditions.append(or_(*(column == criteria.request_id for column in ids)))
    if criteria.since is not None:
        conditions.append(columns.at >= criteria.since)
    if criteria.until is not None:
        conditions.append(columns.at < criteria.until)
    query = select(audit).where(*conditions).order_by(columns.at.desc(), columns.id.desc())
    rows, total = read_page(conn, query, page, limit)
    return [AuditRecord(**row._mapping) for row in rows], total


def add_look(conn: Connection, actor: AuditActor, account: Account, until: int) -> None:
    """Record that staff look at a portal. until: UTC milliseconds.

    account: the affiliate or the advertiser, or a person of one: then as that person does.
    """
    changes = {"portal_seen_until_at": [None, until]}
    row = {"id": new_id(actor.at), **asdict(actor), "what": account.kind.value, "key": account.id, "changes": changes}
    conn.execute(insert(audit), [row])
