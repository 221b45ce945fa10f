"""Requests of affiliates to be paid (docs/spec/money.md#payment-requests)."""

from typing import Final

from sqlalchemy import Connection, func, select, update

from trackyard.domain.money.payment_requests import PaymentRequest, PaymentRequestFilter, PaymentRequestStatus
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.rows import Rows, in_scope
from trackyard.store.tables import payment_request

_ROWS: Final = Rows[PaymentRequest, int](payment_request, PaymentRequest)
edit_request = _ROWS.edit


def add_request(conn: Connection, new: PaymentRequest) -> PaymentRequest:
    """Store a request and return it. The caller holds the lock of the affiliate."""
    return get_request(conn, _ROWS.add_numbered(conn, new))


def get_request(conn: Connection, number: int) -> PaymentRequest:
    """Return the request of a number, which exists."""
    return _ROWS.by_id(conn, [number])[number]


def find_request(conn: Connection, scope: Scope, number: int, *, lock: bool = False) -> PaymentRequest | None:
    """Return the request of a number in scope, or None; `lock` works as in `Rows.find`."""
    scoped = in_scope(scope, affiliate=payment_request.c.affiliate_id)
    return _ROWS.find_where(conn, payment_request.c.id == number, *scoped, lock=lock)


def has_open_request(conn: Connection, affiliate_id: int, currency: str) -> bool:
    """Return whether an affiliate has an open request in a currency."""
    columns = payment_request.c
    same = (columns.affiliate_id == affiliate_id, columns.currency == currency)
    query = select(func.count()).where(*same, columns.status == PaymentRequestStatus.OPEN)
    return conn.execute(query).scalar_one() > 0


def find_open_request(conn: Connection, affiliate_id: int, currency: str) -> PaymentRequest | None:
    """Return the open request of an affiliate in a currency, locked, or None."""
    columns = payment_request.c
    same = (columns.affiliate_id == affiliate_id, columns.currency == currency)
    return _ROWS.find_where(conn, *same, columns.status == PaymentRequestStatus.OPEN, lock=True)


def list_open_requests(conn: Connection, scope: Scope) -> list[PaymentRequest]:
    """Return the open requests of the affiliates in scope."""
    columns = payment_request.c
    conditions = (*in_scope(scope, affiliate=columns.affiliate_id), columns.status == PaymentRequestStatus.OPEN)
    return _ROWS.read(conn, select(payment_request).where(*conditions))


def list_requests(
    conn: Connection, scope: Scope, criteria: PaymentRequestFilter, *, page: int, limit: int
) -> tuple[list[PaymentRequest], int]:
    """Return a page, the newest first, and the total."""
    columns = payment_request.c
    chosen = (
        (columns.status, criteria.statuses),
        (columns.affiliate_id, criteria.affiliate_ids),
        (columns.currency, criteria.currencies),
    )
    conditions = [column.in_(values) for column, values in chosen if values]
    query = select(payment_request).where(*in_scope(scope, affiliate=columns.affiliate_id), *conditions)
    return _ROWS.read_page(conn, query.order_by(columns.id.desc()), page, limit)


def redact_requests(conn: Connection, affiliate_id: int) -> None:
    """Remove the texts of an affiliate's requests."""
    of_it = payment_request.c.affiliate_id == affiliate_id
    conn.execute(update(payment_request).where(of_it).values(comment="", reason=""))
