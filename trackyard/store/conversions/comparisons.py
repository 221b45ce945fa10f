"""Comparisons of files with our conversions (docs/spec/conversions.md#comparisons)."""

from collections.abc import Collection, Sequence
from dataclasses import fields
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, delete, or_, select, update

from trackyard.domain.conversions.comparisons.matching import ComparedConversion, Side
from trackyard.domain.conversions.comparisons.records import Comparison
from trackyard.domain.conversions.postbacks import action_id_forms
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.dialect import read_page
from trackyard.store.engine.in_lists import among_values
from trackyard.store.engine.rows import Rows, in_scope
from trackyard.store.tables import comparison, conversion

_ROWS: Final = Rows[Comparison, str](comparison, Comparison)
add_comparison = _ROWS.add
_LISTED: Final = tuple(comparison.c[each.name] for each in fields(Comparison) if each.name != "differences")
_TABLE: Final = conversion.c
_COLUMNS: Final[tuple[ColumnElement[Any], ...]] = (
    *(_TABLE.id, _TABLE.click_id, _TABLE.action_id, _TABLE.goal, _TABLE.goal_title, _TABLE.status),
    *(_TABLE.charge, _TABLE.payout, _TABLE.currency, _TABLE.comment, _TABLE.created_at),
    *(_TABLE.affiliate_id, _TABLE.advertiser_id, _TABLE.journal, _TABLE.payment),
)


def list_of_side(
    conn: Connection, scope: Scope, side: Side, subject_id: str, period: tuple[int, int], most: int
) -> list[ComparedConversion]:
    """Return the conversions of an advertiser or affiliate in a period, `most` at most."""
    conditions = [*_scoped(scope), _is_of(side, subject_id), _TABLE.created_at >= period[0]]
    query = select(*_COLUMNS).where(*conditions, _TABLE.created_at < period[1]).limit(most)
    return [_compared(row, side, subject_id) for row in conn.execute(query)]


def list_named(
    conn: Connection,
    scope: Scope,
    side: Side,
    subject_id: str,
    *,
    ids: Collection[str],
    click_ids: Collection[str],
    action_ids: Collection[str],
) -> list[ComparedConversion]:
    """Return the conversions in scope with one of these ids; conversions of the side come first."""
    named = or_(
        among_values(_TABLE.id, sorted(ids)),
        among_values(_TABLE.click_id, sorted(click_ids)),
        among_values(_TABLE.action_id, sorted(action_id_forms(action_ids))),
    )
    rows = conn.execute(select(*_COLUMNS).where(named, *_scoped(scope)).order_by(_TABLE.created_at, _TABLE.id))
    found = [_compared(row, side, subject_id) for row in rows]
    return sorted(found, key=lambda each: not each.is_own)


def find_comparison(
    conn: Connection, comparison_id: str, maker: str | None, *, lock: bool = False
) -> Comparison | None:
    """Return a comparison, or None.

    maker: the name of its caller, None = any. lock: until the transaction ends.
    """
    conditions = [comparison.c.id == comparison_id, *([] if maker is None else [by(maker)])]
    return _ROWS.find_where(conn, *conditions, lock=lock)


def list_comparisons(
    conn: Connection, conditions: Sequence[ColumnElement[bool]], *, page: int, limit: int
) -> tuple[list[Comparison], int]:
    """Return a page of comparisons without what differs, the newest first, and the total."""
    query = select(*_LISTED).where(*conditions).order_by(comparison.c.created_at.desc(), comparison.c.id.desc())
    rows, total = read_page(conn, query, page, limit)
    return [Comparison(**row._mapping, differences=[]) for row in rows], total


def of_subject(side: Side, subject_id: str) -> ColumnElement[bool]:
    """Return the condition that a comparison is of an advertiser or affiliate."""
    return (comparison.c.side == side) & (comparison.c.subject_id == subject_id)


def by(creator: str) -> ColumnElement[bool]:
    """Return the condition that a caller made a comparison."""
    return comparison.c.created_by == creator


def remove_older(conn: Connection, new: Comparison, kept: int) -> None:
    """Remove all but a new comparison and the newest others of the same sender. kept: how many stay."""
    own = of_subject(new.side, new.subject_id) & (comparison.c.id != new.id)
    order = (comparison.c.created_at.desc(), comparison.c.id.desc())
    found = conn.execute(select(comparison.c.id).where(own).order_by(*order).offset(kept - 1)).scalars().all()
    if found:
        conn.execute(delete(comparison).where(comparison.c.id.in_(found)))


def set_accepted(conn: Connection, comparison_id: str, accepted: Sequence[str]) -> None:
    """Store which conversions were edited."""
    conn.execute(update(comparison).where(comparison.c.id == comparison_id).values(accepted=list(accepted)))


def _scoped(scope: Scope) -> list[ColumnElement[bool]]:
    return in_scope(scope, affiliate=_TABLE.affiliate_id, advertiser=_TABLE.advertiser_id)


def _is_of(side: Side, subject_id: str) -> ColumnElement[bool]:
    if side is Side.ADVERTISER:
        return _TABLE.advertiser_id == subject_id
    return _TABLE.affiliate_id == int(subject_id)


def _compared(row: Row[Any], side: Side, subject_id: str) -> ComparedConversion:
    is_advertiser = side is Side.ADVERTISER
    owner = row.advertiser_id if is_advertiser else str(row.affiliate_id)
    return ComparedConversion(
        id=row.id,
        click_id=row.click_id,
        action_id=row.action_id,
        goal=row.goal,
        goal_title=row.goal_title,
        status=Status(row.status),
        amount=row.charge if is_advertiser else row.payout,
        currency=row.currency,
        comment=row.comment,
        created_at=row.created_at,
        is_own=owner == subject_id,
        was_reported=bool(row.journal),
        has_payment=row.payment is not None,
    )
