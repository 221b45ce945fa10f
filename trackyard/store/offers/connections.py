"""Connections of affiliates to offers.

A row that is not enabled means that staff disconnected the affiliate.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from sqlalchemy import ColumnElement, Connection, and_, case, func, select, update

from trackyard.domain.offers.choices import LISTED, Privacy
from trackyard.domain.offers.lists import OfferPostback
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.dialect import upsert
from trackyard.store.engine.rows import in_scope
from trackyard.store.tables import affiliate_postback, connection, offer, offer_label

_CHUNK: Final = 1000


def connect(conn: Connection, affiliate_id: int, offer_ids: Iterable[int], now_ms: int) -> None:
    """Connect an affiliate to offers, even if it is connected already."""
    _put(conn, affiliate_id, offer_ids, now_ms, enabled=True)


def connect_new(conn: Connection, affiliate_id: int, offer_ids: Iterable[int], now_ms: int) -> list[int]:
    """Connect an affiliate to the offers without a row for it, and return them."""
    made: list[int] = []
    for rows in _rows(affiliate_id, offer_ids, now_ms, enabled=True):
        statement = upsert(conn, connection).values(rows).on_conflict_do_nothing()
        made += conn.execute(statement.returning(connection.c.offer_id)).scalars()
    return sorted(made)


def auto_connect_offers(conn: Connection, affiliate_id: int) -> list[int]:
    """Return the active offers with automatic connection that have no row for this affiliate."""
    decided = select(connection.c.offer_id).where(connection.c.affiliate_id == affiliate_id)
    rows = conn.execute(
        select(offer.c.id)
        .join(offer_label, offer_label.c.offer_id == offer.c.id)
        .where(offer_label.c.kind == "joins", offer_label.c.value == "itself")
        .where(offer.c.status.in_(LISTED), offer.c.removed_at.is_(None), offer.c.id.not_in(decided))
    )
    return list(rows.scalars())


def disconnect(conn: Connection, affiliate_id: int, offer_ids: Iterable[int], now_ms: int) -> None:
    """Disconnect an affiliate from offers, even if it was never connected."""
    _put(conn, affiliate_id, offer_ids, now_ms, enabled=False)


def disconnect_all(conn: Connection, offer_id: int, affiliate_ids: Iterable[int] | None, now_ms: int) -> list[int]:
    """Disconnect affiliates (None = all) from an offer; return the ones that were connected."""
    statement = update(connection).where(connection.c.offer_id == offer_id, connection.c.enabled)
    if affiliate_ids is not None:
        statement = statement.where(connection.c.affiliate_id.in_(set(affiliate_ids)))
    gone = conn.execute(statement.values(enabled=False, changed_at=now_ms).returning(connection.c.affiliate_id))
    return sorted(gone.scalars())


def connection_states(conn: Connection, affiliate_id: int, offer_ids: Iterable[int]) -> dict[int, bool]:
    """Return whether the affiliate is connected, by offer; offers without a row for it are absent."""
    return connections_among(conn, {affiliate_id}, set(offer_ids)).get(affiliate_id, {})


def public_offers_among(conn: Connection, offer_ids: Iterable[int]) -> set[int]:
    """Return the public offers of these: every affiliate that was not disconnected may use them."""
    rows = conn.execute(select(offer.c.id).where(offer.c.id.in_(set(offer_ids)), offer.c.privacy == Privacy.PUBLIC))
    return set(rows.scalars())


def connected_nonpublic_offers(conn: Connection, affiliate_id: int) -> list[int]:
    """Return the private and protected offers that an affiliate is connected to."""
    rows = conn.execute(
        select(offer.c.id)
        .join(connection, connection.c.offer_id == offer.c.id)
        .where(connection.c.affiliate_id == affiliate_id, connection.c.enabled, offer.c.privacy != Privacy.PUBLIC)
        .order_by(offer.c.id)
    )
    return list(rows.scalars())


def states_of_offer(conn: Connection, offer_id: int, affiliate_ids: Iterable[int] | None = None) -> dict[int, bool]:
    """Return whether staff connected or disconnected the affiliates with a row for an offer, by affiliate.

    affiliate_ids: the affiliates to return; None = all.
    """
    columns = connection.c
    query = select(columns.affiliate_id, columns.enabled).where(columns.offer_id == offer_id)
    if affiliate_ids is not None:
        query = query.where(columns.affiliate_id.in_(set(affiliate_ids)))
    return {row.affiliate_id: row.enabled for row in conn.execute(query.order_by(columns.affiliate_id))}


def count_by_offer(conn: Connection, offer_ids: Iterable[int], scope: Scope) -> dict[int, tuple[int, int]]:
    """Return how many affiliates in scope staff connected and disconnected, by offer in scope."""
    columns = connection.c
    decided = and_(columns.offer_id == offer.c.id, *in_scope(scope, affiliate=columns.affiliate_id))
    rows = conn.execute(
        select(offer.c.id, _number(columns.enabled), _number(~columns.enabled))
        .join_from(offer, connection, decided, isouter=True)
        .where(offer.c.id.in_(set(offer_ids)), offer.c.removed_at.is_(None))
        .where(*in_scope(scope, advertiser=offer.c.advertiser_id))
        .group_by(offer.c.id)
        .order_by(offer.c.id)
    )
    return {number: (enabled, disabled) for number, enabled, disabled in rows}


def _number(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.count(case((condition, 1)))


def connections_among(
    conn: Connection, affiliate_ids: Collection[int], offer_ids: Collection[int]
) -> dict[int, dict[int, bool]]:
    """Return whether they are connected, by affiliate and offer; pairs without a row are absent."""
    columns = connection.c
    rows = conn.execute(
        select(columns.affiliate_id, columns.offer_id, columns.enabled).where(
            columns.affiliate_id.in_(affiliate_ids), columns.offer_id.in_(offer_ids)
        )
    )
    found: dict[int, dict[int, bool]] = defaultdict(dict)
    for row in rows:
        found[row.affiliate_id][row.offer_id] = row.enabled
    return found


def postbacks_among(
    conn: Connection, affiliate_ids: Collection[int], offer_ids: Collection[int]
) -> dict[int, dict[int, list[OfferPostback]]]:
    """Return the postbacks of affiliates for offers, oldest first, by both."""
    columns = affiliate_postback.c
    rows = conn.execute(
        select(columns.affiliate_id, columns.offer_id, columns.id, columns.url, columns.status, columns.goal)
        .add_columns(columns.created_at)
        .where(columns.affiliate_id.in_(affiliate_ids), columns.offer_id.in_(offer_ids))
        .order_by(columns.id)
    )
    found: dict[int, dict[int, list[OfferPostback]]] = defaultdict(lambda: defaultdict(list))
    for affiliate_id, offer_id, *values in rows:
        found[affiliate_id][offer_id].append(OfferPostback(*values))
    return found


def postbacks_of(conn: Connection, affiliate_id: int, offer_ids: Iterable[int]) -> dict[int, list[OfferPostback]]:
    """Return the postbacks of an affiliate for offers, oldest first, by offer."""
    return postbacks_among(conn, {affiliate_id}, set(offer_ids)).get(affiliate_id, {})


def _rows(
    affiliate_id: int, offer_ids: Iterable[int], now_ms: int, *, enabled: bool
) -> Iterator[list[dict[str, int | bool]]]:
    """Yield the rows of connections in pieces that fit into one statement."""
    values = {"affiliate_id": affiliate_id, "enabled": enabled, "changed_at": now_ms}
    rows = [{"offer_id": offer_id, **values} for offer_id in sorted(set(offer_ids))]
    for start in range(0, len(rows), _CHUNK):
        yield rows[start : start + _CHUNK]


def _put(conn: Connection, affiliate_id: int, offer_ids: Iterable[int], now_ms: int, *, enabled: bool) -> None:
    changed = {"enabled": enabled, "changed_at": now_ms}
    for rows in _rows(affiliate_id, offer_ids, now_ms, enabled=enabled):
        statement = upsert(conn, connection).values(rows)
        conn.execute(statement.on_conflict_do_update(index_elements=["offer_id", "affiliate_id"], set_=changed))
