"""Lists of conversions (docs/api/conversions.md, docs/spec/conversions.md#lists-of-conversions)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, Final

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Row,
    Text,
    and_,
    cast,
    false,
    func,
    or_,
    select,
    tuple_,
    type_coerce,
)

from trackyard.base.ids import IMPORT_EDGE
from trackyard.domain.conversions.lists import HIDDEN_STATUS, ConversionFilter, ListedConversion
from trackyard.domain.conversions.postbacks import action_id_forms
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.offers.goals import newest_uses, shown_spellings
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.health import DeclinedCount
from trackyard.store.conversions.conversions import REFERENCE_COLUMNS, ConversionReference, reference_of
from trackyard.store.conversions.goals import every_spelling
from trackyard.store.engine.dialect import read_page
from trackyard.store.engine.rows import in_scope
from trackyard.store.engine.types import Amount
from trackyard.store.money.payment_states import has_state
from trackyard.store.money.statements import is_booked
from trackyard.store.tables import conversion

_DECLINED: Final = (Status.DECLINED.value, Status.NOT_FOUND.value)
_COLUMNS = tuple(conversion.c[column.name] for column in fields(ListedConversion) if column.name != "paid")
_MOST_REASONS: Final = 50
EXPORT_COLUMNS: Final = tuple(column.name for column in _COLUMNS)
"""The columns of exports, read without an object for each value.

Amounts are whole numbers of ten-thousandths, documents are text.
"""


def _export_column(column: Column[Any]) -> ColumnElement[Any]:
    if isinstance(column.type, Amount):
        return type_coerce(column, BigInteger)
    return cast(column, Text) if isinstance(column.type, JSON) else column


_EXPORTED = tuple(_export_column(column) for column in _COLUMNS)

ConversionCursor = tuple[int, str]
"""A position in the list of all: the creation (UTC milliseconds) and the id."""
_cursor: ColumnElement[Any] = tuple_(conversion.c.created_at, conversion.c.id)


def list_conversions(
    conn: Connection, scope: Scope, criteria: ConversionFilter, *, page: int, limit: int
) -> tuple[list[ListedConversion], int]:
    """Return a page, newest first, and the total."""
    conditions = [*_scoped(scope), *_conditions(conn, criteria)]
    query = select(*_COLUMNS).where(*conditions).order_by(conversion.c.created_at.desc(), conversion.c.id.desc())
    rows, total = read_page(conn, query, page, limit)
    return [ListedConversion(*row) for row in rows], total


def list_references(
    conn: Connection, scope: Scope, criteria: ConversionFilter, *, most: int
) -> list[ConversionReference]:
    """Return the conversions that a filter selects, oldest first, `most` at most."""
    query = select(*REFERENCE_COLUMNS).where(*_scoped(scope), *_conditions(conn, criteria))
    rows = conn.execute(query.order_by(conversion.c.created_at, conversion.c.id).limit(most))
    return [reference_of(row) for row in rows]


def count_conversions(conn: Connection, scope: Scope, criteria: ConversionFilter) -> int:
    """Return the number of conversions in scope that a filter selects."""
    conditions = [*_scoped(scope), *_conditions(conn, criteria)]
    return int(conn.execute(select(func.count()).select_from(conversion).where(*conditions)).scalar_one())


def rows_before(
    conn: Connection,
    scope: Scope,
    criteria: ConversionFilter,
    before: ConversionCursor,
    *,
    floor: ConversionCursor,
    limit: int,
) -> Sequence[Row[Any]]:
    """Return `EXPORT_COLUMNS` of the newest conversions before a cursor, down to the `floor`."""
    # An index is searched by times, not by cursors: with the times of all pages it would read every earlier page.
    near = replace(criteria, since=max(criteria.since, floor[0]), until=min(criteria.until, before[0] + 1))
    rows = conn.execute(
        select(*_EXPORTED)
        .where(*_scoped(scope), *_conditions(conn, near), _cursor < before, _cursor >= floor)
        .order_by(conversion.c.created_at.desc(), conversion.c.id.desc())
        .limit(limit)
    )
    return rows.all()


def cursor_before(conn: Connection, since: int, before: ConversionCursor, distance: int) -> ConversionCursor:
    """Return the cursor `distance` conversions before another, without filters, or of `since`."""
    found = conn.execute(
        select(conversion.c.created_at, conversion.c.id)
        .where(_cursor < before, conversion.c.created_at >= since, conversion.c.created_at <= before[0])
        .order_by(conversion.c.created_at.desc(), conversion.c.id.desc())
        .offset(distance - 1)
        .limit(1)
    ).one_or_none()
    return (since, "") if found is None else (found.created_at, found.id)


def _scoped(scope: Scope) -> list[ColumnElement[bool]]:
    return in_scope(scope, affiliate=conversion.c.affiliate_id, advertiser=conversion.c.advertiser_id)


def _conditions(conn: Connection, criteria: ConversionFilter) -> list[ColumnElement[bool]]:
    table = conversion.c
    goals = [None if each is None else every_spelling(conn, each) for each in (criteria.goals, criteria.goal_ids)]
    among = (
        (table.offer_id, criteria.offers),
        (table.affiliate_id, criteria.affiliates),
        (table.referrer_id, criteria.referrers),
        (table.advertiser_id, criteria.advertisers),
        (table.country, criteria.countries),
        (table.browser, criteria.browsers),
        (table.os, criteria.systems),
        (table.device, criteria.devices),
        *((table.goal, each) for each in goals),
        (table.action_id, None if criteria.action_ids is None else action_id_forms(criteria.action_ids)),
        (table.click_id, criteria.click_ids),
        (table.id, criteria.ids),
        (table.currency, criteria.currencies),
        (table.payout, criteria.payouts),
        (table.charge, criteria.charges),
        (table.click["smart_id"].as_string(), criteria.smart_ids),
        *((table.click[f"sub{n}"].as_string(), values) for n, values in criteria.subs.items()),
        *((table.custom_fields[str(n)].as_string(), values) for n, values in criteria.custom_fields.items()),
    )
    conditions: list[ColumnElement[bool]] = [column.in_(values) for column, values in among if values is not None]
    conditions += _status_conditions(criteria)
    least = (
        (table.created_at, criteria.since),
        (table.updated_at, criteria.updated_since),
        (table.payout, criteria.payout_from),
        (table.charge, criteria.charge_from),
    )
    conditions += [column >= value for column, value in least if value is not None]
    most = ((table.payout, criteria.payout_to), (table.charge, criteria.charge_to))
    conditions += [column <= value for column, value in most if value is not None]
    before = ((table.created_at, criteria.until), (table.updated_at, criteria.updated_until))
    conditions += [column < value for column, value in before if value is not None]
    if criteria.promo_codes is not None:
        conditions.append(func.lower(table.promo_code).in_(criteria.promo_codes))
    if criteria.payment_states is not None:
        conditions.append(or_(false(), *(has_state(state) for state in sorted(criteria.payment_states))))
    if criteria.booked is not None:
        conditions.append(is_booked(criteria.booked))
        conditions += [table.advertiser_id.not_in(criteria.hidden_statuses)] if criteria.hidden_statuses else []
    return conditions


def _status_conditions(criteria: ConversionFilter) -> list[ColumnElement[bool]]:
    """Return the conditions on statuses and comments, as the caller sees them."""
    table, conditions = conversion.c, list[ColumnElement[bool]]()
    is_shown = table.advertiser_id.not_in(criteria.hidden_statuses)
    if criteria.statuses is not None:
        chosen: ColumnElement[bool] = table.status.in_(criteria.statuses)
        if criteria.hidden_statuses:
            chosen = and_(is_shown, chosen)
            chosen = or_(chosen, ~is_shown) if HIDDEN_STATUS in criteria.statuses else chosen
        conditions.append(chosen)
    if criteria.decline_reasons is not None:
        given = [func.lower(table.comment) == func.lower(reason) for reason in sorted(criteria.decline_reasons)]
        conditions += [table.status.in_(_DECLINED), or_(false(), *given)]
    if criteria.comments is not None:
        parts = [table.comment.icontains(part, autoescape=True) for part in sorted(criteria.comments)]
        conditions.append(or_(false(), *parts))
    if criteria.decline_reasons is not None or criteria.comments is not None:
        conditions += [is_shown] if criteria.hidden_statuses else []
        conditions += [table.status.not_in(_DECLINED)] if criteria.hides_reasons else []
    return conditions


def count_repeated_addresses(
    conn: Connection, scope: Scope, offers: Sequence[int], since: int
) -> dict[tuple[int, int], int]:
    """Return conversions from addresses that had converted before, by offer and affiliate.

    Conversions that are declined, without a click or without an IP address do not count. since: of their creation,
    UTC milliseconds.
    """
    columns = conversion.c
    repeated = func.count() - func.count(columns.click_ip.distinct())
    query = (
        select(columns.offer_id, columns.affiliate_id, repeated)
        .where(*_scoped(scope), columns.offer_id.in_(offers), columns.created_at >= since, columns.click_ip != "")
        .where(columns.status.not_in(_DECLINED), func.substr(columns.click_id, 9, 2) != f"{IMPORT_EDGE:02x}")
        .group_by(columns.offer_id, columns.affiliate_id)
    )
    return {(offer, affiliate): number for offer, affiliate, number in conn.execute(query)}


def count_declined(conn: Connection, scope: Scope, of: str, key: int | str, since: int) -> list[DeclinedCount]:
    """Return the numbers of declined conversions by reason and goal, the largest first.

    of: offer, advertiser or affiliate. since: of their creation, UTC milliseconds.
    """
    columns = conversion.c
    named = {"offer": columns.offer_id, "advertiser": columns.advertiser_id, "affiliate": columns.affiliate_id}[of]
    query = (
        select(columns.comment, columns.goal, func.count(), func.max(columns.created_at))
        .where(*_scoped(scope), named == key, columns.created_at >= since, columns.status.in_(_DECLINED))
        .group_by(columns.comment, columns.goal)
        .order_by(func.count().desc(), columns.comment, columns.goal)
        .limit(_MOST_REASONS)
    )
    rows = conn.execute(query).all()
    shown = shown_spellings(newest_uses((goal, last) for _, goal, _, last in rows))
    numbers: Counter[tuple[str, str]] = Counter()
    for comment, goal, number, _ in rows:
        numbers[comment, shown[goal]] += number
    return [DeclinedCount(*place, number) for place, number in sorted(numbers.items(), key=_largest_first)]


def _largest_first(item: tuple[tuple[str, str], int]) -> tuple[int, tuple[str, str]]:
    return -item[1], item[0]
