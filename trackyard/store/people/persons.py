"""People of companies who own none, and places in companies (docs/spec/people.md#people-of-a-company)."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, delete, func, insert, or_, select, update

from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.persons import Membership, PersonAccount
from trackyard.store.engine.in_lists import among_values
from trackyard.store.engine.rows import Rows, has_rows
from trackyard.store.tables import member, person

_PEOPLE: Final = Rows[PersonAccount, str](person, PersonAccount)
add_person = _PEOPLE.add
edit_person = _PEOPLE.edit
find_person = _PEOPLE.find


def find_by_email(conn: Connection, email: str) -> PersonAccount | None:
    """Return the person with an e-mail address, or None."""
    return _PEOPLE.find_where(conn, person.c.email == email.lower())


def add_member(conn: Connection, new: Membership) -> None:
    """Store a new place in a company."""
    values = {"signer": new.signer.name, "company": new.company.name, "role": new.role, "name": new.name}
    conn.execute(insert(member).values(id=new.id, last_login_at=None, created_at=new.created_at, **values))


def find_member(
    conn: Connection, member_id: str, company: Account | None = None, *, lock: bool = False
) -> Membership | None:
    """Return a place in a company by its id, or None.

    company: of this company only. lock: no other transaction changes it until the end of this one.
    """
    query = select(member).where(member.c.id == member_id)
    if company is not None:
        query = query.where(member.c.company == company.name)
    row = conn.execute(query.with_for_update() if lock else query).one_or_none()
    return None if row is None else _membership(row)


def find_member_in(
    conn: Connection, member_id: str, affiliate_ids: frozenset[int] | None, advertiser_ids: frozenset[str] | None
) -> Membership | None:
    """Return a place in a company of a scope by its id, or None. ids: None is every company of the kind."""
    allowed = [
        _is_company(AccountKind.AFFILIATE, affiliate_ids),
        _is_company(AccountKind.ADVERTISER, advertiser_ids),
    ]
    row = conn.execute(select(member).where(member.c.id == member_id, or_(*allowed))).one_or_none()
    return None if row is None else _membership(row)


def _is_company(kind: AccountKind, ids: Iterable[object] | None) -> ColumnElement[bool]:
    if ids is None:
        return member.c.company.startswith(f"{kind}:", autoescape=True)
    return member.c.company.in_([Account(kind, str(each)).name for each in ids])


def list_members(conn: Connection, company: Account) -> list[Membership]:
    """Return the places in a company, the oldest first. Its owner has none."""
    return _read(conn, member.c.company == company.name)


def list_members_of(conn: Connection, companies: Iterable[Account]) -> list[Membership]:
    """Return the places in several companies, the oldest first."""
    return _read(conn, among_values(member.c.company, [each.name for each in companies]))


def list_places(conn: Connection, signer: Account) -> list[Membership]:
    """Return the places of a person in companies of others, the oldest first."""
    return _read(conn, member.c.signer == signer.name)


def has_place(conn: Connection, signer: Account, company: Account | None = None) -> bool:
    """Return whether a person has a place in a company of others. company: None = in any."""
    query = select(member.c.id).where(member.c.signer == signer.name)
    return has_rows(conn, query if company is None else query.where(member.c.company == company.name))


def count_members(conn: Connection, company: Account) -> int:
    """Return the number of places in a company."""
    query = select(func.count()).select_from(member).where(member.c.company == company.name)
    return int(conn.execute(query).scalar_one())


def edit_member(conn: Connection, member_id: str, values: Mapping[str, Any]) -> None:
    """Change the role or the name of a person in a company."""
    conn.execute(update(member).where(member.c.id == member_id).values(**values))


def remove_member(conn: Connection, found: Membership) -> bool:
    """Remove a place, and the person who has no other; return whether the person is removed."""
    conn.execute(delete(member).where(member.c.id == found.id))
    if found.signer.kind is not AccountKind.PERSON or has_place(conn, found.signer):
        return False
    conn.execute(delete(person).where(person.c.id == found.signer.id))
    return True


def rename_signers(conn: Connection, before: Account, after: Account, but: str) -> None:
    """Give the places of one signer to another. but: the id of a place that stays."""
    own = update(member).where(member.c.signer == before.name, member.c.id != but)
    conn.execute(own.values(signer=after.name))


def _read(conn: Connection, condition: ColumnElement[bool]) -> list[Membership]:
    query = select(member).where(condition).order_by(member.c.created_at, member.c.id)
    return [_membership(row) for row in conn.execute(query)]


def _membership(row: Any) -> Membership:
    return Membership(
        id=row.id,
        signer=Account.of_name(row.signer),
        company=Account.of_name(row.company),
        role=row.role,
        name=row.name,
        last_login_at=row.last_login_at,
        created_at=row.created_at,
    )
