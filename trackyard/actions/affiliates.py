"""Affiliates: making them, and their balances."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from trackyard.actions.deps import Deps
from trackyard.actions.people import named_manager
from trackyard.actions.scope import scope_of
from trackyard.base.errors import BadInput, Conflict
from trackyard.base.ids import new_api_key
from trackyard.base.secrets import hash_password
from trackyard.domain.callers import AffiliateCaller, Caller
from trackyard.domain.roles import Permission
from trackyard.domain.scope import Scope
from trackyard.store import affiliates, keys, ledger, rules, staff
from trackyard.store.affiliates import Affiliate
from trackyard.store.engine import Connection
from trackyard.store.ledger import Balance
from trackyard.store.staff import Staff


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAffiliate:
    """What staff say of a new affiliate. manager: the id of a staff user or None · ref: the referrer's id."""

    email: str
    password: str
    login: str | None
    status: str
    notes: str
    level: int
    ref_percent: Decimal | None
    ref: int | None
    manager: str | None
    payment_systems: list[dict[str, Any]]
    custom_fields: dict[str, str]


@dataclass(frozen=True, slots=True)
class AffiliateRecord:
    """An affiliate with what the admin view shows beside it. balance: a currency each."""

    affiliate: Affiliate
    manager: Staff | None
    api_key: str | None
    balance: list[Balance]
    offers: int


def add_affiliate(deps: Deps, caller: Caller, new: NewAffiliate) -> AffiliateRecord:
    """Makes an affiliate with a key of its own. Raises BadInput, and Conflict for a taken e-mail address."""
    now = deps.clock.now_ms()
    password_hash = hash_password(new.password)  # takes long on purpose: before the transaction
    with deps.database.write() as conn:
        manager = named_manager(conn, caller, Permission.AFFILIATES_WRITE, new.manager, "manager_id")
        scope = scope_of(conn, caller, Permission.AFFILIATES_WRITE)
        if new.ref is not None and affiliates.find_affiliate(conn, scope, new.ref) is None:
            raise BadInput({"ref": [f"An affiliate {new.ref} does not exist."]})
        affiliate_id = affiliates.add_affiliate(conn, _row(new, password_hash, manager, now))
        if affiliate_id is None:
            raise Conflict({"email": ["This e-mail address is taken."]})
        keys.add_key(conn, "affiliate", affiliate_id, new_api_key(), deps.seal, now)
        rules.touch(conn, "affiliate", affiliate_id)
        return _record(deps, conn, affiliate_id, manager)


def get_balances(deps: Deps, caller: Caller, affiliate_id: int | None) -> list[Balance]:
    """The balance by currency, of the caller or, for staff, of an affiliate in scope. Raises BadInput."""
    with deps.database.read() as conn:
        scope = scope_of(conn, caller, Permission.BALANCES_READ)
        if isinstance(caller, AffiliateCaller):
            affiliate_id = affiliate_id or caller.id
        if affiliate_id is None or affiliates.find_affiliate(conn, scope, affiliate_id) is None:
            raise BadInput({"pid": [f"An affiliate {affiliate_id} does not exist."]})
        return ledger.list_balances(conn, [affiliate_id])


def nested_records(conn: Connection, ids: Iterable[int]) -> dict[int, AffiliateRecord]:
    """Affiliates as other records show them, by id: without their keys, in a constant number of statements."""
    found = affiliates.affiliates_of(conn, ids)
    managers = staff.staff_of(conn, {row.manager_id for row in found.values() if row.manager_id})
    counts = affiliates.offer_counts(conn, found)
    balances: dict[int, list[Balance]] = {}
    for item in ledger.list_balances(conn, list(found)):
        balances.setdefault(item.affiliate_id, []).append(item)
    return {
        number: AffiliateRecord(
            affiliate=row,
            manager=managers.get(row.manager_id or ""),
            api_key=None,
            balance=balances.get(number, []),
            offers=counts.get(number, 0),
        )
        for number, row in found.items()
    }


def _record(deps: Deps, conn: Connection, affiliate_id: int, manager: Staff | None) -> AffiliateRecord:
    scope = Scope.of_affiliate(affiliate_id)
    found = affiliates.find_affiliate(conn, scope, affiliate_id)
    assert found is not None
    return AffiliateRecord(
        affiliate=found,
        manager=manager,
        api_key=keys.key_of(conn, "affiliate", affiliate_id, deps.seal),
        balance=ledger.list_balances(conn, [affiliate_id]),
        offers=affiliates.count_offers(conn, affiliate_id),
    )


def _row(new: NewAffiliate, password_hash: str, manager: Staff | None, now: int) -> affiliates.NewAffiliate:
    values = asdict(new)
    del values["password"], values["manager"]
    values["login"] = new.login or new.email
    return affiliates.NewAffiliate(
        **values,
        password_hash=password_hash,
        manager_id=manager.id if manager else None,
        name=None,
        contact_person=None,
        tags=[],
        sub_accounts={},
        postback_secret=new_api_key(),
        address_1=None,
        address_2=None,
        city=None,
        country=None,
        zip_code=None,
        phone=None,
        created_at=now,
        updated_at=now,
    )
