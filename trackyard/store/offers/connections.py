"""Which affiliates are connected to which offers. A row that is not enabled says that staff took the affiliate off."""

from collections.abc import Iterable
from typing import Final

from sqlalchemy import Connection, select, update

from trackyard.domain.offers.choices import OfferStatus, Privacy
from trackyard.store.engine.dialect import upsert
from trackyard.store.tables import connection, offer, offer_label

_CHUNK: Final = 1000


def connect(conn: Connection, affiliate_id: int, offer_ids: Iterable[int], now_ms: int) -> None:
    """Connects an affiliate to offers; to be connected already is no fault."""
    _put(conn, affiliate_id, offer_ids, now_ms, enabled=True)


def connect_new(conn: Connection, affiliate_id: int, offer_ids: Iterable[int], now_ms: int) -> list[int]:
    """Connects an affiliate to those of the offers that nobody connected it to or took it off; which."""
    values = {"affiliate_id": affiliate_id, "enabled": True, "changed_at": now_ms}
    rows = [{"offer_id": offer_id, **values} for offer_id in sorted(set(offer_ids))]
    made: list[int] = []
    for start in range(0, len(rows), _CHUNK):
        statement = upsert(conn, connection).values(rows[start : start + _CHUNK]).on_conflict_do_nothing()
        made += conn.execute(statement.returning(connection.c.offer_id)).scalars()
    return sorted(made)


def auto_connect_offers(conn: Connection, affiliate_id: int) -> list[int]:
    """The active offers that connect affiliates at first sight and did not connect this one yet."""
    decided = select(connection.c.offer_id).where(connection.c.affiliate_id == affiliate_id)
    rows = conn.execute(
        select(offer.c.id)
        .join(offer_label, offer_label.c.offer_id == offer.c.id)
        .where(offer_label.c.kind == "joins", offer_label.c.value == "itself")
        .where(offer.c.status == OfferStatus.ACTIVE, offer.c.removed_at.is_(None), offer.c.id.not_in(decided))
    )
    return list(rows.scalars())


def disconnect(conn: Connection, affiliate_id: int, offer_ids: Iterable[int], now_ms: int) -> None:
    """Takes an affiliate off offers, also off those that it was never connected to."""
    _put(conn, affiliate_id, offer_ids, now_ms, enabled=False)


def disconnect_all(conn: Connection, offer_id: int, affiliate_ids: Iterable[int] | None, now_ms: int) -> list[int]:
    """Takes every affiliate (None), or each of these, off an offer; the ids of those that were connected."""
    statement = update(connection).where(connection.c.offer_id == offer_id, connection.c.enabled)
    if affiliate_ids is not None:
        statement = statement.where(connection.c.affiliate_id.in_(set(affiliate_ids)))
    gone = conn.execute(statement.values(enabled=False, changed_at=now_ms).returning(connection.c.affiliate_id))
    return sorted(gone.scalars())


def connection_states(conn: Connection, affiliate_id: int, offer_ids: Iterable[int]) -> dict[int, bool]:
    """By offer whether the affiliate is connected; offers that nobody connected it to or took it off are absent."""
    rows = conn.execute(
        select(connection.c.offer_id, connection.c.enabled).where(
            connection.c.affiliate_id == affiliate_id, connection.c.offer_id.in_(set(offer_ids))
        )
    )
    return {row.offer_id: row.enabled for row in rows}


def public_offers_among(conn: Connection, offer_ids: Iterable[int]) -> set[int]:
    """Those of the offers that are public: whoever was not taken off them may use them."""
    rows = conn.execute(select(offer.c.id).where(offer.c.id.in_(set(offer_ids)), offer.c.privacy == Privacy.PUBLIC))
    return set(rows.scalars())


def connected_offers(conn: Connection, affiliate_id: int) -> set[int]:
    """The offers an affiliate is connected to."""
    rows = conn.execute(
        select(connection.c.offer_id).where(connection.c.affiliate_id == affiliate_id, connection.c.enabled)
    )
    return set(rows.scalars())


def connected_nonpublic_offers(conn: Connection, affiliate_id: int) -> list[int]:
    """The private and protected offers an affiliate is connected to."""
    rows = conn.execute(
        select(offer.c.id)
        .join(connection, connection.c.offer_id == offer.c.id)
        .where(connection.c.affiliate_id == affiliate_id, connection.c.enabled, offer.c.privacy != Privacy.PUBLIC)
        .order_by(offer.c.id)
    )
    return list(rows.scalars())


def _put(conn: Connection, affiliate_id: int, offer_ids: Iterable[int], now_ms: int, *, enabled: bool) -> None:
    values = {"affiliate_id": affiliate_id, "enabled": enabled, "changed_at": now_ms}
    rows = [{"offer_id": offer_id, **values} for offer_id in sorted(set(offer_ids))]
    for start in range(0, len(rows), _CHUNK):
        statement = upsert(conn, connection).values(rows[start : start + _CHUNK])
        conn.execute(
            statement.on_conflict_do_update(
                index_elements=["offer_id", "affiliate_id"], set_={"enabled": enabled, "changed_at": now_ms}
            )
        )
