"""Promo codes of offers (docs/spec/conversions.md#promo-codes)."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, func, insert, select, update

from trackyard.domain.offers.promo_codes import PromoCode, PromoCodeFilter, UsedPromoCode, folded_code
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.dialect import read_page
from trackyard.store.engine.rows import in_scope
from trackyard.store.tables import conversion, offer, promo_code

_COLUMNS: Final = tuple(promo_code.c[name] for name in PromoCode.__slots__)
_JOINED: Final = promo_code.join(offer, offer.c.id == promo_code.c.offer_id)


def add_codes(conn: Connection, new: Iterable[PromoCode]) -> None:
    """Store new promo codes."""
    conn.execute(insert(promo_code), [asdict(each) for each in new])


def edit_code(conn: Connection, code_id: str, values: Mapping[str, Any]) -> None:
    """Set columns of a promo code."""
    conn.execute(update(promo_code).where(promo_code.c.id == code_id).values(**values))


def taken_codes(conn: Connection, folded: Collection[str]) -> set[str]:
    """Return the codes that exist already. folded: the codes without letter case."""
    return set(conn.execute(select(promo_code.c.folded).where(promo_code.c.folded.in_(set(folded)))).scalars())


def find_code(conn: Connection, scope: Scope, code_id: str, *, lock: bool = False) -> PromoCode | None:
    """Return a promo code in scope, or None.

    lock: no other transaction changes it until the end of this one.
    """
    query = select(*_COLUMNS).select_from(_JOINED).where(promo_code.c.id == code_id, *_scoped(scope))
    row = conn.execute(query.with_for_update(of=promo_code) if lock else query).one_or_none()
    return None if row is None else PromoCode(**row._mapping)


def list_codes(
    conn: Connection, scope: Scope, chosen: PromoCodeFilter, *, page: int, limit: int
) -> tuple[list[UsedPromoCode], int]:
    """Return a page of promo codes in scope, the newest first, and the total."""
    columns, conditions = promo_code.c, _scoped(scope)
    if chosen.offer_ids:
        conditions.append(columns.offer_id.in_(chosen.offer_ids))
    if chosen.affiliate_ids:
        conditions.append(columns.affiliate_id.in_(chosen.affiliate_ids))
    if chosen.code:
        conditions.append(columns.folded == folded_code(chosen.code))
    if chosen.search:
        conditions.append(columns.folded.contains(folded_code(chosen.search), autoescape=True))
    query = select(*_COLUMNS).select_from(_JOINED).where(*conditions)
    rows, total = read_page(conn, query.order_by(columns.created_at.desc(), columns.id.desc()), page, limit)
    found = [PromoCode(**row._mapping) for row in rows]
    used = count_usage(conn, {each.code for each in found})
    return [UsedPromoCode(each, used.get(each.code, 0)) for each in found], total


def find_by_code(conn: Connection, folded: Collection[str], *, lock: bool) -> dict[str, tuple[PromoCode, str]]:
    """Return promo codes and the advertisers of their offers, by the code without letter case.

    lock: no other transaction counts their conversions until the end of this one.
    """
    if not folded:
        return {}
    query = select(*_COLUMNS, offer.c.advertiser_id).select_from(_JOINED)
    query = query.where(promo_code.c.folded.in_(set(folded))).order_by(promo_code.c.id)
    rows = conn.execute(query.with_for_update(of=promo_code) if lock else query)
    return {row.folded: (PromoCode(**dict(zip(PromoCode.__slots__, row, strict=False))), row[-1]) for row in rows}


def count_usage(conn: Connection, codes: Collection[str]) -> dict[str, int]:
    """Return the number of conversions that promo codes made, by the code; 0 is absent."""
    if not codes:
        return {}
    column = conversion.c.promo_code
    return dict(conn.execute(select(column, func.count()).where(column.in_(set(codes))).group_by(column)).all())


def _scoped(scope: Scope) -> list[ColumnElement[bool]]:
    return in_scope(scope, affiliate=promo_code.c.affiliate_id, advertiser=offer.c.advertiser_id)
