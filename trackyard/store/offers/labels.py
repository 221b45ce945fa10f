"""Which offers are filed under what (`domain.offers.offers.labels_of`)."""

from sqlalchemy import Connection, select

from trackyard.store.tables import offer_label


def offers_with(conn: Connection, kind: str, value: str) -> list[int]:
    """The offers filed under a value of a kind, by id; removed offers are filed under nothing."""
    query = select(offer_label.c.offer_id).where(offer_label.c.kind == kind, offer_label.c.value == value)
    return list(conn.execute(query.order_by(offer_label.c.offer_id)).scalars())
