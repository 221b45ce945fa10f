"""The list of conversions, as stored now (spec: GET stats/conversions)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Row,
    Text,
    cast,
    func,
    select,
    tuple_,
    type_coerce,
)

from trackyard.domain.affiliate_payments import PaymentStatus
from trackyard.domain.scope import Scope
from trackyard.store.tables import conversion
from trackyard.store.types import Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversionFilter:
    """Which conversions; None asks nothing, an empty set lets nothing pass. Times UTC ms, `until` exclusive.

    subs, custom_fields: number to the value · clicks' properties as the click had them.
    """

    since: int
    until: int
    updated_since: int | None = None
    statuses: frozenset[str] | None = None
    offers: frozenset[int] | None = None
    affiliates: frozenset[int] | None = None
    advertisers: frozenset[str] | None = None
    countries: frozenset[str] | None = None
    browser: str | None = None
    os: str | None = None
    device: str | None = None
    goal: str | None = None
    action_id: str | None = None
    click_id: str | None = None
    ids: frozenset[str] | None = None
    currency: str | None = None
    payout: Decimal | None = None
    charge: Decimal | None = None
    subs: Mapping[int, str] = field(default_factory=dict)
    custom_fields: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ListedConversion:
    """A conversion as lists show it. click: its record by column name · times UTC ms · in_payment: the state of the
    payment to its affiliate that it is in, which `list_conversions` leaves to others."""

    id: str
    action_id: str
    status: str
    offer_id: int
    goal: str
    goal_title: str
    affiliate_id: int
    advertiser_id: str
    comment: str
    payment_type: str
    currency: str
    sum: Decimal
    charge: Decimal
    payout: Decimal
    custom_fields: dict[str, str]
    click_id: str
    click_time: int
    click: dict[str, Any]
    user_id: str
    hold_until: int | None
    created_at: int
    updated_at: int
    in_payment: PaymentStatus | None = None


_COLUMNS = tuple(conversion.c[column.name] for column in fields(ListedConversion) if column.name != "in_payment")
STORED: Final = tuple(column.name for column in _COLUMNS)
"""What files are made of: the same without an object for each value. Amounts are whole numbers of ten-thousandths,
documents are text."""


def _stored(column: Column[Any]) -> ColumnElement[Any]:
    if isinstance(column.type, Amount):
        return type_coerce(column, BigInteger)
    return cast(column, Text) if isinstance(column.type, JSON) else column


_STORED = tuple(_stored(column) for column in _COLUMNS)

Place = tuple[int, str]
"""Where a conversion stands in the list of all: its creation, UTC ms, and its id."""
_place: ColumnElement[Any] = tuple_(conversion.c.created_at, conversion.c.id)


def list_conversions(
    conn: Connection, scope: Scope, chosen: ConversionFilter, *, page: int, limit: int
) -> tuple[list[ListedConversion], int]:
    """A page, newest first, and how many there are on all pages."""
    conditions = [*_scoped(scope), *_chosen(chosen)]
    rows = conn.execute(
        select(*_COLUMNS)
        .where(*conditions)
        .order_by(conversion.c.created_at.desc(), conversion.c.id.desc())
        .limit(limit)
        .offset((page - 1) * limit)
    )
    return [ListedConversion(*row) for row in rows], count_conversions(conn, scope, chosen)


def count_conversions(conn: Connection, scope: Scope, chosen: ConversionFilter) -> int:
    """How many there are on all pages."""
    conditions = [*_scoped(scope), *_chosen(chosen)]
    return int(conn.execute(select(func.count()).select_from(conversion).where(*conditions)).scalar_one())


def stored_before(
    conn: Connection, scope: Scope, chosen: ConversionFilter, before: Place, *, floor: Place, limit: int
) -> Sequence[Row[Any]]:
    """The newest that stand before a place in the list of all, but not before the `floor`; `STORED` of each."""
    # An index is searched by moments, not by places: with those of all pages it would read every page before this one.
    near = replace(chosen, since=max(chosen.since, floor[0]), until=min(chosen.until, before[0] + 1))
    rows = conn.execute(
        select(*_STORED)
        .where(*_scoped(scope), *_chosen(near), _place < before, _place >= floor)
        .order_by(conversion.c.created_at.desc(), conversion.c.id.desc())
        .limit(limit)
    )
    return rows.all()


def place_before(conn: Connection, since: int, before: Place, distance: int) -> Place:
    """The place so many conversions before another, whatever a filter lets pass, or that of the moment `since`."""
    found = conn.execute(
        select(conversion.c.created_at, conversion.c.id)
        .where(_place < before, conversion.c.created_at >= since, conversion.c.created_at <= before[0])
        .order_by(conversion.c.created_at.desc(), conversion.c.id.desc())
        .offset(distance - 1)
        .limit(1)
    ).one_or_none()
    return (since, "") if found is None else (found.created_at, found.id)


def _scoped(scope: Scope) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if scope.affiliate_ids is not None:
        conditions.append(conversion.c.affiliate_id.in_(scope.affiliate_ids))
    if scope.advertiser_ids is not None:
        conditions.append(conversion.c.advertiser_id.in_(scope.advertiser_ids))
    return conditions


def _chosen(chosen: ConversionFilter) -> list[ColumnElement[bool]]:
    table = conversion.c
    conditions: list[ColumnElement[bool]] = [table.created_at >= chosen.since, table.created_at < chosen.until]
    if chosen.updated_since is not None:
        conditions.append(table.updated_at >= chosen.updated_since)
    among = (
        (table.status, chosen.statuses),
        (table.offer_id, chosen.offers),
        (table.affiliate_id, chosen.affiliates),
        (table.advertiser_id, chosen.advertisers),
        (table.country, chosen.countries),
        (table.id, chosen.ids),
    )
    conditions += [column.in_(values) for column, values in among if values is not None]
    equal = (
        (table.browser, chosen.browser),
        (table.os, chosen.os),
        (table.device, chosen.device),
        (table.goal, chosen.goal),
        (table.action_id, chosen.action_id),
        (table.click_id, chosen.click_id),
        (table.currency, chosen.currency),
        (table.payout, chosen.payout),
        (table.charge, chosen.charge),
    )
    conditions += [column == value for column, value in equal if value is not None]
    conditions += [table.click[f"sub{n}"].as_string() == value for n, value in chosen.subs.items()]
    conditions += [table.custom_fields[str(n)].as_string() == value for n, value in chosen.custom_fields.items()]
    return conditions
