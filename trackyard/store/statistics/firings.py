"""What rules found and changed (docs/spec/automation.md#firings)."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, func, insert, literal, select, union_all, update

from trackyard.domain.statistics.automation.logs import BlockEntry, FiringFilter
from trackyard.domain.statistics.automation.rules import RuleFiring
from trackyard.store.engine.dialect import read_page
from trackyard.store.engine.rows import Rows
from trackyard.store.tables import automation_firing, automation_rule

_ROWS: Final = Rows[RuleFiring, str](automation_firing, RuleFiring)
_CHUNK: Final = 400
find_firing = _ROWS.find
edit_firing = _ROWS.edit


def add_firing(conn: Connection, firing: RuleFiring) -> None:
    """Store a new firing."""
    conn.execute(insert(automation_firing).values(**asdict(firing)))


def last_firings(conn: Connection, rule_id: str, element_keys: Sequence[str]) -> dict[str, RuleFiring]:
    """Return the last firing of a rule for each element, by its key."""
    columns = automation_firing.c
    found: dict[str, RuleFiring] = {}
    for start in range(0, len(element_keys), _CHUNK):
        wanted = (columns.rule_id == rule_id, columns.element_key.in_(element_keys[start : start + _CHUNK]))
        query = select(automation_firing).where(*wanted).order_by(columns.met_until, columns.id)
        found |= {each.element_key: each for each in _ROWS.read(conn, query)}
    return found


def list_firings(conn: Connection, chosen: FiringFilter, *, page: int, limit: int) -> tuple[list[RuleFiring], int]:
    """Return a page of firings, the newest first, and the number of all."""
    columns = automation_firing.c
    query = _joined(select(automation_firing), chosen).where(*_conditions(chosen))
    return _ROWS.read_page(conn, query.order_by(columns.fired_at.desc(), columns.id.desc()), page, limit)


def list_not_undone(conn: Connection, rule_id: str) -> list[RuleFiring]:
    """Return the firings of a rule that were not undone, locked until the transaction ends; oldest first."""
    columns = automation_firing.c
    query = select(automation_firing).where(columns.rule_id == rule_id, columns.undone_at.is_(None))
    return _ROWS.read(conn, query.order_by(columns.id).with_for_update())


def list_webhooks_due(conn: Connection, now_ms: int, limit: int) -> list[RuleFiring]:
    """Return firings with a webhook that is to be called, the longest due first."""
    columns = automation_firing.c
    due = select(automation_firing).where(columns.webhook_due <= now_ms).order_by(columns.webhook_due, columns.id)
    return _ROWS.read(conn, due.limit(limit))


def claim_webhook(conn: Connection, firing_id: str, now_ms: int, lease_ms: int) -> RuleFiring | None:
    """Claim a firing with a webhook that is due; None where it is not due any more."""
    columns = automation_firing.c
    due = select(automation_firing).where(columns.webhook_due <= now_ms, columns.id == firing_id)
    found = _ROWS.read(conn, due.with_for_update(skip_locked=True))
    if not found:
        return None
    _ROWS.edit(conn, found[0].id, {"webhook_due": now_ms + lease_ms})
    return found[0]


def count_since(conn: Connection, since: int) -> dict[str, int]:
    """Return how many firings rules had since a time, by rule, without undone firings."""
    columns = automation_firing.c
    query = select(columns.rule_id, func.count()).where(columns.fired_at >= since, columns.undone_at.is_(None))
    return dict(conn.execute(query.group_by(columns.rule_id)).all())


def list_blocks(
    conn: Connection,
    chosen: FiringFilter,
    *,
    sub_index: str = "",
    sub_value: str = "",
    action: str = "",
    page: int,
    limit: int,
) -> tuple[list[BlockEntry], int]:
    """Return a page of the log of blocked subs, the newest first, and the number of all. "" = any."""
    columns = automation_firing.c
    parts = []
    for word, at in (("block", columns.fired_at), ("unblock", columns.undone_at)):
        if action in ("", word):
            query = select(
                at.label("at"), columns.offer_id, columns.affiliate_id, columns.sub_index, columns.sub_value,
                literal(word).label("action"), columns.rule_id, columns.id.label("firing_id"), columns.readings,
            )  # fmt: skip
            named = ((columns.sub_index, sub_index), (columns.sub_value, sub_value))
            same = [column == value for column, value in named if value]
            parts.append(_joined(query, chosen).where(*_conditions(chosen, at), *same))
    if not parts:
        return [], 0
    found = union_all(*parts).subquery()
    rows, total = read_page(conn, select(found).order_by(found.c.at.desc(), found.c.firing_id.desc()), page, limit)
    return [BlockEntry(*row) for row in rows], total


def mark_undone(conn: Connection, firing_ids: Sequence[str], by: str, now_ms: int) -> None:
    """Note that firings were undone."""
    for start in range(0, len(firing_ids), _CHUNK):
        chosen = automation_firing.c.id.in_(firing_ids[start : start + _CHUNK])
        conn.execute(update(automation_firing).where(chosen).values(undone_at=now_ms, undone_by=by, webhook_due=None))


def _joined(query: Select[Any], chosen: FiringFilter) -> Select[Any]:
    if not chosen.kinds:
        return query
    return query.join(automation_rule, automation_rule.c.id == automation_firing.c.rule_id)


def _conditions(chosen: FiringFilter, at: ColumnElement[Any] | None = None) -> list[ColumnElement[bool]]:
    columns = automation_firing.c
    moment = columns.fired_at if at is None else at
    conditions: list[ColumnElement[bool]] = [moment >= chosen.since, moment < chosen.until]
    if chosen.rule_id:
        conditions.append(columns.rule_id == chosen.rule_id)
    among = (
        (automation_rule.c.kind, chosen.kinds),
        (columns.action, chosen.actions),
        (columns.offer_id, chosen.offers),
        (columns.affiliate_id, chosen.affiliates),
        (columns.advertiser_id, chosen.advertisers),
    )
    return conditions + [column.in_(values) for column, values in among if values]
