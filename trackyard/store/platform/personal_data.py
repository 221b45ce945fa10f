"""The removal of personal data in SQL, page by page; rows and sums stay (docs/retention.md).

A page is one small transaction. domain/platform/erasures.py has the personal columns.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    select,
    tuple_,
    update,
)

from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.platform.erasures import ERASED_HOST, PERSONAL_COLUMNS, Erasure, ErasureSubject, redact_click
from trackyard.store.engine.audit_writer import SECRET
from trackyard.store.engine.rows import has_rows
from trackyard.store.events import bell, choices, events
from trackyard.store.money import affiliate_payments, documents, held_changes, payment_requests
from trackyard.store.people import (
    email_confirmations,
    persons,
    places,
    preferences,
    second_factors,
    sessions,
    sign_in_links,
    threads,
)
from trackyard.store.platform import files, mail, messages, news, receivers
from trackyard.store.statistics import report_mails, saved_reports
from trackyard.store.tables import (
    affiliate,
    affiliate_login,
    affiliate_postback,
    api_key,
    audit,
    conversion,
    conversion_event,
    conversion_task,
    delivery,
    inbox,
    member,
    offer,
    parallel_call,
    payment_request,
    person,
    security_log,
)

RedactionCursor = tuple[int, str]
"""The creation (UTC milliseconds) and id of a conversion, by which pages are ordered."""

ConversionCondition = ColumnElement[bool]
"""The condition that selects conversions."""

FIRST_CURSOR: Final[RedactionCursor] = (-1, "")

_OWN: Final = PERSONAL_COLUMNS["conversion"]
_COLUMNS: Final = [conversion.c[name] for name in ("id", "created_at", "click_id", "click", *_OWN)]
_REDACT: Final = (
    update(conversion)
    .where(conversion.c.id == bindparam("key"))
    .values({"click": bindparam("click"), **{name: bindparam(name) for name in _OWN}})
)


def conversions_of(erasure: Erasure) -> ConversionCondition:
    """Return the condition for the conversions of an erasure, created until then.

    The condition for a user id reads all conversions.
    """
    if erasure.subject is ErasureSubject.CLICK:
        return conversion.c.click_id == erasure.value
    if erasure.subject is ErasureSubject.USER:
        return and_(conversion.c.user_id == erasure.value, conversion.c.created_at <= erasure.at)
    return and_(conversion.c.affiliate_id == int(erasure.value), conversion.c.created_at <= erasure.at)


def conversions_before(cut: int) -> ConversionCondition:
    """Return the condition for conversions created before `cut` (UTC milliseconds)."""
    return conversion.c.created_at < cut


def has_conversions(conn: Connection, condition: ConversionCondition, after: RedactionCursor) -> bool:
    """Return whether there are conversions after a cursor. Cheap with an index from there on."""
    return has_rows(conn, _after_cursor(select(conversion.c.id).where(condition), after))


def list_conversions(
    conn: Connection, condition: ConversionCondition, after: RedactionCursor, limit: int
) -> list[Row[Any]]:
    """Return a page of conversions after a cursor with their personal data, locked on PostgreSQL."""
    query = _after_cursor(select(*_COLUMNS).where(condition), after)
    return list(conn.execute(query.order_by(conversion.c.created_at, conversion.c.id).limit(limit).with_for_update()))


def _after_cursor(query: Select[Any], after: RedactionCursor) -> Select[Any]:
    if after == FIRST_CURSOR:
        return query
    # The first condition alone lets an index begin at the cursor.
    place = tuple_(conversion.c.created_at, conversion.c.id)
    return query.where(conversion.c.created_at >= after[0], place > after)


def click_ids_of(conn: Connection, condition: ConversionCondition) -> list[str]:
    """Return the clicks of conversions, each once."""
    query = select(conversion.c.click_id).where(condition).distinct().order_by(conversion.c.click_id)
    return list(conn.execute(query).scalars())


def cursor_of(row: Row[Any]) -> RedactionCursor:
    """Return the position of a row of `list_conversions`."""
    return row.created_at, row.id


def redact_conversions(conn: Connection, rows: Sequence[Row[Any]]) -> list[str]:
    """Remove the personal data of conversions; return the ids of the conversions that had any."""
    full = [row for row in rows if _has_personal(row)]
    if full:
        nothing = dict.fromkeys(_OWN, "")
        conn.execute(_REDACT, [{"key": row.id, "click": redact_click(row.click), **nothing} for row in full])
    return [row.id for row in full]


def count_conversions(conn: Connection, condition: ConversionCondition) -> int:
    """Return the number of conversions that meet a condition."""
    return int(conn.execute(select(func.count()).select_from(conversion).where(condition)).scalar_one())


def _has_personal(row: Row[Any]) -> bool:
    own, click = row._mapping, row.click
    return any(own[name] for name in _OWN) or any(click.get(name) for name in PERSONAL_COLUMNS["click"])


def list_inbox(conn: Connection, after: int, limit: int, before: int | None = None) -> list[Row[Any]]:
    """Return a page of the inbox behind an id: id, postback, click (payloads or None).

    before: received until then, UTC milliseconds.
    """
    query = select(inbox.c.id, inbox.c.call, inbox.c.click).where(inbox.c.id > after)
    if before is not None:
        query = query.where(inbox.c.received_at < before)
    return list(conn.execute(query.order_by(inbox.c.id).limit(limit)))


def edit_inbox_entry(conn: Connection, call_id: int, call: bytes, click: bytes | None) -> None:
    """Replace the payloads of a postback in the inbox; waits for a running decision."""
    conn.execute(update(inbox).where(inbox.c.id == call_id).values(call=call, click=click))


def list_parallel_requests(conn: Connection, after: int, limit: int) -> list[Row[Any]]:
    """Return a page of requests of parallel_tracking_url after an id: id, payload of the click."""
    query = select(parallel_call.c.id, parallel_call.c.click).where(parallel_call.c.id > after)
    return list(conn.execute(query.order_by(parallel_call.c.id).limit(limit)))


def edit_parallel_request(conn: Connection, call_id: int, click: bytes) -> None:
    """Replace the click of a request of parallel_tracking_url."""
    conn.execute(update(parallel_call).where(parallel_call.c.id == call_id).values(click=click))


@dataclass(frozen=True, slots=True)
class WaitingDelivery:
    """A waiting delivery with the sources of its URL.

    They are the conversion in the state it reports, the URL with macros, the offer's title, and the body with macros.
    """

    id: str
    kind: str
    conversion_id: str
    status: str
    payout: Decimal
    currency: str
    comment: str
    template: str
    title: str
    body: str | None


def list_waiting_deliveries(conn: Connection, conversion_ids: Sequence[str]) -> list[WaitingDelivery]:
    """Return waiting deliveries of conversions, without deliveries of removed postbacks."""
    columns, event = delivery.c, conversion_event.c
    template = func.coalesce(affiliate_postback.c.url, offer.c.cross_postback_url)
    body = case((columns.body.is_not(None), func.coalesce(offer.c.cross_postback_body, "")))
    query = (
        select(
            *(columns.id, columns.kind, columns.subject_id, columns.status),
            *(event.payout, event.currency, event.comment, template, offer.c.title, body),
        )
        .join(
            conversion_event,
            and_(event.conversion_id == columns.subject_id, event.version == columns.sequence),
        )
        .join(offer, offer.c.id == columns.offer_id)
        .outerjoin(affiliate_postback, affiliate_postback.c.id == columns.postback_id)
        .where(columns.subject_id.in_(conversion_ids), template.is_not(None))
    )
    return [WaitingDelivery(*list[Any](row)) for row in conn.execute(query)]


def edit_delivery(conn: Connection, call_id: str, url: str, host: str, body: str | None) -> None:
    """Replace the URL and the body of a waiting delivery."""
    conn.execute(update(delivery).where(delivery.c.id == call_id).values(url=url, host=host, body=body))


def has_imports(conn: Connection, until: int) -> bool:
    """Return whether imports requested by `until` (UTC milliseconds) are not done."""
    columns = conversion_task.c
    return has_rows(conn, select(columns.id).where(columns.kind == "import", columns.created_at <= until))


def redact_imports(conn: Connection, until: int, affiliate_id: int | None = None) -> int:
    """Empty the visitor's address and user agent in unfinished imports; return their number.

    until: of imports requested by then (UTC milliseconds).
    affiliate_id: None = of all.
    """
    columns = conversion_task.c
    query = select(columns.id, columns.item).where(columns.kind == "import", columns.created_at <= until)
    emptied = 0
    for row in conn.execute(query.with_for_update()).all():
        of_it = affiliate_id is None or row.item.get("affiliate_id") == affiliate_id
        if of_it and (row.item.get("ip") or row.item.get("ua")):
            conn.execute(
                update(conversion_task).where(columns.id == row.id).values(item={**row.item, "ip": "", "ua": ""})
            )
            emptied += 1
    return emptied


def redact_account(conn: Connection, affiliate_id: int, password_hash: str, now_ms: int) -> bool:
    """Empty the personal data of an affiliate; its number, status and money stay.

    Its keys end, mail to it is not sent, and its sign-ins are forgotten. The audit log keeps which fields were changed
    when, but not their values.
    password_hash: the hash of a random password.
    Returns whether the affiliate exists.
    """
    email = conn.execute(select(affiliate.c.email).where(affiliate.c.id == affiliate_id)).scalar_one_or_none()
    if email is None:
        return False
    erased_name = f"erased-{affiliate_id}{ERASED_HOST}"
    values: dict[str, Any] = dict.fromkeys(PERSONAL_COLUMNS["affiliate"])
    values |= {"email": erased_name, "login": erased_name, "notes": "", "payment_systems": [], "custom_fields": {}}
    values |= {"status_reason": "", "decision_words": "", "password_hash": password_hash, "updated_at": now_ms}
    conn.execute(update(affiliate).where(affiliate.c.id == affiliate_id).values(values))
    names = affiliate_login.c
    conn.execute(delete(affiliate_login).where((names.affiliate_id == affiliate_id) | (names.name == erased_name)))
    conn.execute(insert(affiliate_login).values(name=erased_name, affiliate_id=affiliate_id))
    owned = and_(api_key.c.owner_kind == "affiliate", api_key.c.owner_id == str(affiliate_id))
    conn.execute(delete(api_key).where(owned))
    account = Account(AccountKind.AFFILIATE, str(affiliate_id))
    known = [*persons.list_members(conn, account), *persons.list_places(conn, account)]
    places.remove_company(conn, account)
    sessions.remove_sessions(conn, account)
    second_factors.remove_factor(conn, account)
    preferences.remove_preferences(conn, account)
    news.forget_seen(conn, account)
    receivers.forget_account(conn, account)
    threads.remove_company(conn, account)
    messages.forget_accounts(conn, [account, *(Account(AccountKind.MEMBER, place.id) for place in known)])
    bell.remove_items(conn, account)
    choices.remove_choices(conn, account)
    events.redact_affiliate(conn, affiliate_id)
    saved_reports.remove_reports(conn, account)
    report_mails.remove_mails(conn, account)
    sign_in_links.remove_links(conn, account)
    email_confirmations.remove_tokens(conn, affiliate_id)
    held_changes.redact_changes(conn, affiliate_id, now_ms)
    _redact_money(conn, account)
    mail.remove_to(conn, email)
    _redact_audit_log(conn, affiliate_id)
    _redact_audit_rows(conn, affiliate.name, [str(affiliate_id)])
    _redact_audit_rows(conn, member.name, [place.id for place in known])
    signers = {place.signer.id for place in known if place.signer.kind is AccountKind.PERSON}
    _redact_audit_rows(conn, person.name, [each for each in signers if persons.find_person(conn, each) is None])
    is_own = and_(security_log.c.actor_kind == "affiliate", security_log.c.actor_id == str(affiliate_id))
    conn.execute(delete(security_log).where(is_own))
    return True


def _redact_money(conn: Connection, account: Account) -> None:
    """Empty what is personal in the money of an affiliate; amounts stay."""
    payment_requests.redact_requests(conn, int(account.id))
    affiliate_payments.redact_payments(conn, int(account.id))
    files.remove_files(conn, documents.remove_documents(conn, account))


def empty_audit_addresses(conn: Connection, until: int) -> None:
    """Empty the addresses of callers in the audit log before a moment (UTC milliseconds)."""
    old = and_(audit.c.at < until, audit.c.address != "")
    conn.execute(update(audit).where(old).values(address=""))


def _redact_audit_log(conn: Connection, affiliate_id: int) -> None:
    conn.execute(update(audit).where(audit.c.affiliate_id == affiliate_id).values(address=""))
    requests = and_(audit.c.what == payment_request.name, audit.c.affiliate_id == affiliate_id)
    conn.execute(delete(audit).where(requests))


def _redact_audit_rows(conn: Connection, what: str, keys: Sequence[str]) -> None:
    """Hide the personal values in audit rows about the rows of a table. what: a key of PERSONAL_COLUMNS."""
    own = and_(audit.c.what == what, audit.c.key.in_(keys))
    for row in conn.execute(select(audit.c.id, audit.c.changes).where(own)).all():
        hidden = {name: [SECRET, SECRET] for name in row.changes if name in PERSONAL_COLUMNS[what]}
        if hidden:
            conn.execute(update(audit).where(audit.c.id == row.id).values(changes=row.changes | hidden))
