"""Accounts of a login, and failed tries to sign in (docs/spec/callers.md#sign-in)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, case, delete, or_, select, update

from trackyard.domain.people.affiliates import EmailState
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.persons import Membership, PersonAccount
from trackyard.store.engine.dialect import upsert
from trackyard.store.people import persons
from trackyard.store.tables import advertiser, affiliate, member, person, sign_in_failure, staff

DAY_MS: Final = 86_400_000
_MAX_ACCOUNTS = 3
"""The largest number of accounts for one login, as affiliates may share a login."""

_PARTS = ("id", "email", "password_hash", "password_until", "status")
_WITH_EMAIL: Final = {
    AccountKind.PERSON: person,
    AccountKind.AFFILIATE: affiliate,
    AccountKind.ADVERTISER: advertiser,
}
_STAFF = select(*(staff.c[name] for name in _PARTS))
_ADVERTISER = select(*(advertiser.c[name] for name in _PARTS))
_AFFILIATE = select(*(affiliate.c[name] for name in (*_PARTS, "status_reason", "email_state")))


@dataclass(frozen=True, slots=True)
class SignInAccount:
    """An account that may have a password.

    reason: why it is not active, as staff said; "" = they said nothing.
    is_on_moderation: whether staff have not decided about it.
    password_until: when the password ends, UTC milliseconds; None = its owner chose it.
    waits_for_email: whether a link was sent to its e-mail address that was not used yet.
    """

    account: Account
    email: str
    password_hash: str | None
    may_sign_in: bool
    waits_for_email: bool = False
    reason: str = ""
    is_on_moderation: bool = False
    password_until: int | None = None


def list_accounts(conn: Connection, login: str) -> list[SignInAccount]:
    """Return the accounts of an e-mail address or, of affiliates, login; staff first."""
    lower = login.lower()
    users = conn.execute(_STAFF.where(staff.c.email == lower))
    columns = affiliate.c
    affiliates = conn.execute(
        _AFFILIATE.where(or_(columns.email == lower, columns.login == login))
        .order_by(case((columns.email == lower, 0), else_=1), columns.id)
        .limit(_MAX_ACCOUNTS)
    )
    found = persons.find_by_email(conn, lower)
    return [
        *(_of_staff(row) for row in users),
        *(_of_affiliate(row) for row in affiliates),
        *([] if found is None else [_of_person(conn, found)]),
    ]


def list_advertisers(conn: Connection, email: str) -> list[SignInAccount]:
    """Return the advertisers of an e-mail address that have a password, the oldest first."""
    columns = advertiser.c
    owned = _ADVERTISER.where(columns.email == email.lower(), columns.password_hash.is_not(None))
    return [_of_advertiser(row) for row in conn.execute(owned.order_by(columns.id).limit(_MAX_ACCOUNTS))]


def list_linked(conn: Connection, login: str) -> list[SignInAccount]:
    """Return the accounts of an e-mail address or login that may get a link, advertisers last.

    Advertisers without a password are among them, after advertisers with one.
    """
    columns = advertiser.c
    owned = _ADVERTISER.where(columns.email == login.lower())
    chosen = owned.order_by(case((columns.password_hash.is_not(None), 0), else_=1), columns.id).limit(_MAX_ACCOUNTS)
    return [*list_accounts(conn, login), *(_of_advertiser(row) for row in conn.execute(chosen))]


def list_everyone(conn: Connection, login: str) -> list[SignInAccount]:
    """Return the accounts of an e-mail address or login, advertisers last."""
    return [*list_accounts(conn, login), *list_advertisers(conn, login)]


def find_account(conn: Connection, account: Account) -> SignInAccount | None:
    """Return an account by its id."""
    match account.kind:
        case AccountKind.STAFF:
            user = conn.execute(_STAFF.where(staff.c.id == account.id)).one_or_none()
            return None if user is None else _of_staff(user)
        case AccountKind.AFFILIATE:
            row = conn.execute(_AFFILIATE.where(affiliate.c.id == int(account.id))).one_or_none()
            return None if row is None else _of_affiliate(row)
        case AccountKind.ADVERTISER:
            found = conn.execute(_ADVERTISER.where(advertiser.c.id == account.id)).one_or_none()
            return None if found is None else _of_advertiser(found)
        case AccountKind.PERSON:
            someone = persons.find_person(conn, account.id)
            return None if someone is None else _of_person(conn, someone)
        case AccountKind.MEMBER:
            place = persons.find_member(conn, account.id)
            return None if place is None else find_account(conn, place.signer)


def has_no_password(conn: Connection, signer: Account) -> bool:
    """Return whether who signs in has not chosen a password yet."""
    found = find_account(conn, signer)
    return found is not None and found.password_hash is None


def last_sign_in(conn: Connection, account: Account) -> int | None:
    """Return when a staff user or the owner of a company signed in last, UTC milliseconds; None = never."""
    table = {AccountKind.STAFF: staff, AccountKind.AFFILIATE: affiliate, AccountKind.ADVERTISER: advertiser}[
        account.kind
    ]
    number = int(account.id) if account.kind is AccountKind.AFFILIATE else account.id
    at: int | None = conn.execute(select(table.c.last_login_at).where(table.c.id == number)).scalar_one_or_none()
    return at


def emails_of(conn: Connection, signers: Iterable[Account]) -> dict[str, str]:
    """Return the e-mail addresses of people and owners of companies by the name of their account."""
    wanted, found = list(signers), dict[str, str]()
    for kind, table in _WITH_EMAIL.items():
        ids = [table.c.id.type.python_type(each.id) for each in wanted if each.kind is kind]
        if ids:
            rows = conn.execute(select(table.c.id, table.c.email).where(table.c.id.in_(ids)))
            found |= {Account(kind, str(row.id)).name: row.email or "" for row in rows}
    return found


def list_places(conn: Connection, signer: Account) -> list[Membership]:
    """Return the places of a person in companies of others that are active, the last used first."""
    found = [each for each in persons.list_places(conn, signer) if is_active(conn, each.company)]
    return sorted(found, key=lambda place: -(place.last_login_at or 0))


def is_active(conn: Connection, company: Account) -> bool:
    """Return whether the people of an affiliate or an advertiser may sign in."""
    found = find_account(conn, company)
    return found is not None and found.may_sign_in


def _of_person(conn: Connection, found: PersonAccount) -> SignInAccount:
    account = Account(AccountKind.PERSON, found.id)
    may_sign_in = bool(list_places(conn, account))
    return SignInAccount(account, found.email, found.password_hash, may_sign_in, password_until=found.password_until)


def _of_advertiser(row: Any) -> SignInAccount:
    account = Account(AccountKind.ADVERTISER, row.id)
    rule = row.status.rule
    return SignInAccount(
        account,
        row.email or "",
        row.password_hash,
        rule.may_sign_in,
        is_on_moderation=rule.is_undecided,
        password_until=row.password_until,
    )


def _of_staff(row: Any) -> SignInAccount:
    account = Account(AccountKind.STAFF, row.id)
    may_sign_in = row.status.rule.may_sign_in
    return SignInAccount(account, row.email, row.password_hash, may_sign_in, password_until=row.password_until)


def _of_affiliate(row: Any) -> SignInAccount:
    account = Account(AccountKind.AFFILIATE, str(row.id))
    rule, waits = row.status.rule, row.email_state is EmailState.WAITING
    return SignInAccount(
        account,
        row.email,
        row.password_hash or None,  # "" = it was invited, and has not chosen one
        rule.may_sign_in,
        waits,
        row.status_reason,
        rule.is_undecided,
        row.password_until,
    )


def count_attempt(conn: Connection, names: Iterable[str], now_ms: int, window_ms: int) -> dict[str, tuple[int, int]]:
    """Count a try against each name, before its outcome is known.

    Returns (tries, start of counting in UTC milliseconds) by name, this try included.
    A count restarts `window_ms` after it began.
    """
    columns = sign_in_failure.c
    conn.execute(delete(sign_in_failure).where(columns.since <= now_ms - window_ms))
    counts = {}
    for name in sorted(names):  # always in this order: two transactions must not wait for each other
        row = conn.execute(
            upsert(conn, sign_in_failure)
            .values(name=name, failures=1, since=now_ms)
            .on_conflict_do_update(index_elements=["name"], set_={"failures": columns.failures + 1})
            .returning(columns.failures, columns.since)
        ).one()
        counts[name] = (row.failures, row.since)
    return counts


def clear_failures(conn: Connection, name: str) -> None:
    """End the count of a name."""
    conn.execute(delete(sign_in_failure).where(sign_in_failure.c.name == name))


def forgive_attempt(conn: Connection, names: Iterable[str]) -> None:
    """Count one try less against each name."""
    columns = sign_in_failure.c
    for name in sorted(names):
        conn.execute(update(sign_in_failure).where(columns.name == name).values(failures=columns.failures - 1))


def remember_network(conn: Connection, mark: str, until_ms: int) -> None:
    """Store the mark of an account and a network from which it signed in. until_ms: UTC."""
    conn.execute(
        upsert(conn, sign_in_failure)
        .values(name=mark, failures=0, since=until_ms)
        .on_conflict_do_update(index_elements=["name"], set_={"since": until_ms})
    )


def knows_network(conn: Connection, mark: str, now_ms: int) -> bool:
    """Return whether the mark of an account and a network is stored and not over."""
    columns = sign_in_failure.c
    return conn.execute(select(columns.name).where(columns.name == mark, columns.since > now_ms)).first() is not None


def claim_notice(conn: Connection, mark: str, now_ms: int, every_ms: int = DAY_MS) -> bool:
    """Return whether the notice of a mark may be sent now: once in `every_ms`."""
    if knows_network(conn, mark, now_ms):
        return False
    remember_network(conn, mark, now_ms + every_ms)
    return True


def record_sign_in(conn: Connection, account: Account, now_ms: int) -> None:
    """Store the time of the last sign-in of an account."""
    match account.kind:
        case AccountKind.STAFF:
            owner = update(staff).where(staff.c.id == account.id)
        case AccountKind.AFFILIATE:
            owner = update(affiliate).where(affiliate.c.id == int(account.id))
        case AccountKind.ADVERTISER:
            owner = update(advertiser).where(advertiser.c.id == account.id)
        case AccountKind.MEMBER:
            owner = update(member).where(member.c.id == account.id)
        case AccountKind.PERSON:
            raise ValueError(f"{account.name} acts nowhere: its places in companies do")
    conn.execute(owner.values(last_login_at=now_ms))
