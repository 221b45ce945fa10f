"""Conversions and their history."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from functools import cache
from operator import attrgetter
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Connection,
    Integer,
    Row,
    Select,
    String,
    TableValuedAlias,
    Text,
    and_,
    bindparam,
    func,
    or_,
    select,
    update,
)

from trackyard.domain.conversions.conversions import (
    DECLINED,
    Conversion,
    ConversionChange,
    ConversionHistoryEntry,
)
from trackyard.domain.conversions.postbacks import action_id_forms
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.offers.goals import stored_key
from trackyard.domain.offers.payments import payment_of
from trackyard.domain.offers.tiers import documents_of, modifiers_of
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.bulk import BulkInsert, RowValues
from trackyard.store.engine.dialect import is_postgresql, read_page
from trackyard.store.engine.rows import has_rows, in_scope
from trackyard.store.engine.types import Amount
from trackyard.store.tables import conversion, conversion_event

ConversionIdentity = tuple[int, str, str]
"""(offer, goal, identity): unique among conversions."""

ConversionOrigin = tuple[int, str, str]
"""(offer, goal, address of the click)."""

ClickGoal = tuple[int, str, str]
"""(offer, goal, click)."""


@dataclass(frozen=True, slots=True)
class ConversionReference:
    """A conversion selected by a request. created_at: UTC milliseconds.

    has_payment: whether a payment matched when it was made.
    """

    id: str
    action_id: str
    click_id: str
    affiliate_id: int
    advertiser_id: str
    created_at: int
    status: Status
    charge: Decimal
    payout: Decimal
    has_payment: bool


REFERENCE_COLUMNS: Final = tuple(conversion.c[name] for name in (*ConversionReference.__slots__[:-1], "payment"))
_STORED = tuple(field.name for field in fields(Conversion))
_COLUMNS = [conversion.c[name] for name in _STORED]
_stored_of = attrgetter(*_STORED)
_NEW = BulkInsert(conversion, (*_STORED, "country", "os", "device", "browser", "click_ip", "goal_key"))
_HISTORY = BulkInsert(
    conversion_event,
    ("conversion_id", "version", "at", "actor", "status", "charge", "payout", "currency", "comment", "seq"),
)
_DECLINED = tuple(status.value for status in DECLINED)
_CHANGING_COLUMNS = (
    *("version", "status", "sent_status", "comment", "custom_fields", "hold_until", "quality_held", "updated_at"),
    *("currency", "rate", "sum", "charge", "payout", "charge_base", "payout_base"),
)


def find_by_identity(
    conn: Connection, identities: Collection[ConversionIdentity], *, lock: bool = True
) -> dict[ConversionIdentity, Conversion]:
    """Return the stored conversions of these identities.

    lock: on PostgreSQL they are locked until the transaction ends.
    """
    if not identities:
        return {}
    query = _by_identity(is_postgresql(conn), lock)
    found = (_conversion(row) for row in conn.execute(query, _named(conn, identities, "identity")))
    return {(item.offer_id, item.goal, item.identity): item for item in found}


@cache
def _by_identity(postgresql: bool, lock: bool) -> Select[Any]:
    """Return the statement for any number of identities."""
    key, same = _wanted(postgresql, "identity")
    query = select(*_COLUMNS).select_from(key.join(conversion, same)).order_by(conversion.c.id)
    return query.with_for_update(of=conversion) if lock else query


def _wanted(postgresql: bool, third: str) -> tuple[TableValuedAlias, ColumnElement[bool]]:
    """Return the parameter of offers, goals and third values, and what joins it to conversions.

    Each of them is looked up: SQLite answers a list of row values by reading the whole index.
    """
    names = ("offer_id", "goal", third)
    if postgresql:
        arrays = [bindparam(name, type_=ARRAY(Integer if name == "offer_id" else String)) for name in names]
        key = func.unnest(*arrays).table_valued(*names).render_derived(name="wanted")
        values: list[ColumnElement[Any]] = [key.c[name] for name in names]
    else:
        key = func.json_each(bindparam(third, type_=Text)).table_valued("value", name="wanted")
        values = [func.json_extract(key.c.value, f"$[{place}]") for place in range(3)]
    return key, and_(*(conversion.c[name] == value for name, value in zip(names, values, strict=True)))


def _named(conn: Connection, wanted: Collection[tuple[int, str, str]], third: str) -> dict[str, Any]:
    """Return the parameters of `_wanted`."""
    if not is_postgresql(conn):
        return {third: json.dumps(sorted(wanted))}
    offers, goals, values = zip(*sorted(wanted), strict=True)
    return {"offer_id": list(offers), "goal": list(goals), third: list(values)}


def count_by_origin(conn: Connection, origins: Collection[ConversionOrigin]) -> dict[ConversionOrigin, int]:
    """Return the number of conversions by origin, without declined ones; 0 is absent."""
    if not origins:
        return {}
    named = _named(conn, origins, "click_ip")
    return {(offer, goal, ip): count for offer, goal, ip, count in conn.execute(_by_origin(is_postgresql(conn)), named)}


@cache
def _by_origin(postgresql: bool) -> Select[Any]:
    """Return the statement for any number of origins."""
    key, same = _wanted(postgresql, "click_ip")
    columns = conversion.c
    origin = (columns.offer_id, columns.goal, columns.click_ip)
    query = select(*origin, func.count()).select_from(key.join(conversion, same))
    return query.where(columns.status.not_in(_DECLINED)).group_by(*origin)


def count_by_click(conn: Connection, clicks: Collection[ClickGoal]) -> dict[ClickGoal, int]:
    """Return the number of conversions by click and goal, without declined ones; 0 is absent."""
    if not clicks:
        return {}
    columns = conversion.c
    key = (columns.offer_id, columns.goal, columns.click_id)
    chosen = columns.click_id.in_(sorted({click_id for _, _, click_id in clicks}))
    query = select(*key, func.count()).where(chosen, columns.status.not_in(_DECLINED)).group_by(*key)
    return {(offer, goal, click_id): count for offer, goal, click_id, count in conn.execute(query)}


def find_by_id(conn: Connection, ids: Collection[str]) -> dict[str, Conversion]:
    """Return conversions by id, on PostgreSQL locked until the transaction ends."""
    query = select(*_COLUMNS).where(conversion.c.id.in_(ids)).order_by(conversion.c.id).with_for_update()
    return {row.id: _conversion(row) for row in conn.execute(query)}


def list_of_offer(
    conn: Connection, scope: Scope, offer_id: int, since: int, limit: int
) -> tuple[list[Conversion], int]:
    """Return the newest conversions of an offer since a time (UTC ms), and how many there are."""
    columns = conversion.c
    chosen = [columns.offer_id == offer_id, columns.created_at >= since]
    chosen += in_scope(scope, affiliate=columns.affiliate_id, advertiser=columns.advertiser_id)
    query = select(*_COLUMNS).where(*chosen).order_by(columns.created_at.desc(), columns.id.desc())
    rows, total = read_page(conn, query, 1, limit)
    return [_conversion(row) for row in rows], total


def find_references(
    conn: Connection, scope: Scope, *, ids: Collection[str], action_ids: Collection[str], click_ids: Collection[str]
) -> list[ConversionReference]:
    """Return the conversions in scope with one of these ids, action ids or click ids, oldest first."""
    columns = conversion.c
    named = or_(
        columns.id.in_(ids), columns.action_id.in_(action_id_forms(action_ids)), columns.click_id.in_(click_ids)
    )
    query = select(*REFERENCE_COLUMNS).where(named)
    query = query.where(*in_scope(scope, affiliate=columns.affiliate_id, advertiser=columns.advertiser_id))
    return [reference_of(row) for row in conn.execute(query.order_by(columns.created_at, columns.id))]


def reference_of(row: Row[Any]) -> ConversionReference:
    """Return a row of REFERENCE_COLUMNS as a reference."""
    return ConversionReference(
        id=row.id,
        action_id=row.action_id,
        click_id=row.click_id,
        affiliate_id=row.affiliate_id,
        advertiser_id=row.advertiser_id,
        created_at=row.created_at,
        status=Status(row.status),
        charge=row.charge,
        payout=row.payout,
        has_payment=row.payment is not None,
    )


def clicks_of(conn: Connection, ids: Collection[str]) -> dict[str, dict[str, Any]]:
    """Return the records of the clicks of these conversions, by the conversion's id."""
    return dict(conn.execute(select(conversion.c.id, conversion.c.click).where(conversion.c.id.in_(ids))).all())


def list_history(
    conn: Connection, conversion_id: str, *, page: int, limit: int
) -> tuple[list[ConversionHistoryEntry], int]:
    """Return a page of the history of a conversion, oldest first, and the total."""
    own = conversion_event.c.conversion_id == conversion_id
    columns = [conversion_event.c[field.name] for field in fields(ConversionHistoryEntry)]
    rows, total = read_page(conn, select(*columns).where(own).order_by(conversion_event.c.version), page, limit)
    return [ConversionHistoryEntry(*row) for row in rows], total


def clicks_by_id(conn: Connection, click_ids: Collection[str]) -> dict[str, dict[str, Any]]:
    """Return the records of these clicks that have conversions, by the click's id."""
    columns = conversion.c
    query = select(columns.click_id, columns.click).where(columns.click_id.in_(click_ids))
    return dict(conn.execute(query).all())


def history_entries_of(
    conn: Connection, wanted: Collection[tuple[str, int]]
) -> dict[tuple[str, int], ConversionHistoryEntry]:
    """Return states of conversions by (conversion, version); missing ones are absent."""
    names = [field.name for field in fields(ConversionHistoryEntry)]
    query = select(conversion_event.c.conversion_id, *(conversion_event.c[name] for name in names)).where(
        conversion_event.c.conversion_id.in_({conversion_id for conversion_id, _ in wanted}),
        conversion_event.c.version.in_({version for _, version in wanted}),
    )
    found = {(row.conversion_id, row.version): ConversionHistoryEntry(*row[1:]) for row in conn.execute(query)}
    return {key: event for key, event in found.items() if key in wanted}


def count_conversions(conn: Connection) -> int:
    """Return the number of conversions."""
    found: int = conn.execute(select(func.count()).select_from(conversion)).scalar_one()
    return found


def has_any(conn: Connection) -> bool:
    """Return whether there is a conversion."""
    return has_rows(conn, select(conversion.c.id))


def has_hold_ending(conn: Connection, until: int) -> bool:
    """Return whether the hold of a conversion ends at or before `until` (UTC milliseconds). Cheap."""
    return has_rows(conn, select(conversion.c.id).where(*_hold_ends(until)))


def holds_ending(conn: Connection, until: int, limit: int) -> list[Conversion]:
    """Return conversions on hold until `until` (UTC ms) at most, earliest first, locked on PostgreSQL."""
    query = (
        select(*_COLUMNS)
        .where(*_hold_ends(until))
        .order_by(conversion.c.hold_until)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    return [_conversion(row) for row in conn.execute(query)]


class HeldConversion(NamedTuple):
    """A conversion that an offer holds, and its money."""

    id: str
    currency: str
    charge: Decimal
    payout: Decimal


def take_held_by_quality(
    conn: Connection, scope: Scope, offer_id: int | None, affiliate_id: int | None
) -> list[HeldConversion]:
    """Return the conversions that offers hold as suspicious, oldest first.

    They are noted as released: a second call finds none of them. None = of any.
    """
    columns = conversion.c
    conditions = _held_by_quality(scope, offer_id, affiliate_id)
    query = select(columns.id, columns.currency, columns.charge, columns.payout).where(*conditions)
    held = [HeldConversion(*row) for row in conn.execute(query.order_by(columns.id).with_for_update())]
    ids = [each.id for each in held]
    for start in range(0, len(ids), 400):
        conn.execute(update(conversion).where(columns.id.in_(ids[start : start + 400])).values(quality_held=False))
    return held


def sum_held_by_quality(
    conn: Connection, scope: Scope, offer_id: int | None, affiliate_id: int | None
) -> list[tuple[str, int, Decimal, Decimal]]:
    """Return sums of the conversions for `take_held_by_quality`: currency, number, charge, payout."""
    columns = conversion.c
    sums = (func.sum(columns.charge, type_=Amount), func.sum(columns.payout, type_=Amount))
    query = select(columns.currency, func.count(), *sums).where(*_held_by_quality(scope, offer_id, affiliate_id))
    rows = conn.execute(query.group_by(columns.currency).order_by(columns.currency))
    return [(currency, number, charge, payout) for currency, number, charge, payout in rows]


def _held_by_quality(scope: Scope, offer_id: int | None, affiliate_id: int | None) -> list[ColumnElement[bool]]:
    columns = conversion.c
    conditions = [columns.quality_held.is_(True), columns.status == Status.HOLD]
    conditions += in_scope(scope, affiliate=columns.affiliate_id, advertiser=columns.advertiser_id)
    named = ((columns.offer_id, offer_id), (columns.affiliate_id, affiliate_id))
    return conditions + [column == value for column, value in named if value is not None]


def _hold_ends(until: int) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return conversion.c.hold_until <= until, conversion.c.status == Status.HOLD


def record_changes(conn: Connection, changes: Sequence[ConversionChange]) -> None:
    """Write changes and their history. The changes of one conversion are in their order.

    Raises an integrity error for a new identity that exists, or a version that exists.
    """
    if not changes:
        return
    _NEW.add(conn, [_values(change.after) for change in changes if change.before is None])
    edited = [_edit_values(change.after) for change in changes if change.before is not None]
    if edited:
        columns = conversion.c
        statement = update(conversion).where(columns.id == bindparam("key"), columns.version < bindparam("version"))
        conn.execute(statement.values({name: bindparam(name) for name in _CHANGING_COLUMNS}), edited)
    _HISTORY.add(conn, [_history_values(change) for change in changes])


def _conversion(row: Row[Any]) -> Conversion:
    values: dict[str, Any] = dict(row._mapping)
    payment = values["payment"]
    values |= {
        "status": Status(values["status"]),
        "sent_status": Status(values["sent_status"]),
        "payment": None if payment is None else payment_of(payment),
        "modifiers": modifiers_of(values["modifiers"]),
    }
    return Conversion(**values)


def _values(item: Conversion) -> RowValues:
    click = item.click
    values = dict(zip(_STORED, _stored_of(item), strict=True))
    values["status"], values["sent_status"] = item.status.value, item.sent_status.value
    values["modifiers"] = documents_of(item.modifiers)
    found = (click["country"][:2], click["os"][:64], click["device"][:32], click["browser"][:64], click["ip"][:45])
    return [*values.values(), *found, stored_key(item.goal)]


def _edit_values(item: Conversion) -> dict[str, Any]:
    changed = {name: getattr(item, name) for name in _CHANGING_COLUMNS}
    return changed | {"key": item.id, "status": item.status.value, "sent_status": item.sent_status.value}


def _history_values(change: ConversionChange) -> RowValues:
    after = change.after
    named = (after.id, after.version, after.updated_at, change.actor, after.status.value)
    return [*named, after.charge, after.payout, after.currency, after.comment, None]
