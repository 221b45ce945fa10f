"""An affiliate's own account: reading it, a new key, its payment systems (docs/api/own-account.md)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trackyard.actions.deps import Deps
from trackyard.actions.money.payment_systems import checked_payment_systems
from trackyard.actions.people.affiliates import balances_of, publish_payee_change
from trackyard.actions.people.credentials import check_own_password
from trackyard.actions.people.sign_in.owners import notify_owner
from trackyard.actions.platform import notices
from trackyard.base.errors import required
from trackyard.base.ids import new_api_key
from trackyard.domain.money.held_changes import HeldKind
from trackyard.domain.money.ledger import Balance
from trackyard.domain.money.payment_systems import PaymentSystem
from trackyard.domain.people.affiliates import Affiliate
from trackyard.domain.people.callers import Account, AccountKind, AffiliateCaller
from trackyard.domain.people.permissions import EffectiveLevel, permission_tree
from trackyard.domain.people.scope import Scope
from trackyard.domain.people.staff import Staff
from trackyard.store.engine.database import Connection
from trackyard.store.money import held_changes, payment_systems
from trackyard.store.people import affiliates, keys, sessions, staff, terms
from trackyard.store.platform import settings
from trackyard.store.tracking import rulesets


@dataclass(frozen=True, slots=True)
class OwnAccount:
    """An affiliate's view of itself.

    balance: one item a currency.
    permissions: area to feature to level.
    used: what it has of postbacks, requests and referrals.
    needs_terms: whether the network has terms that it has not accepted.
    """

    affiliate: Affiliate
    manager: Staff | None
    api_key: str | None
    balance: list[Balance]
    permissions: dict[str, dict[str, EffectiveLevel]]
    needs_terms: bool
    used: frozenset[str]


def get_account(deps: Deps, affiliate_id: int) -> OwnAccount:
    """Return an affiliate's own account. Raises NotFound."""
    with deps.database.read() as conn:
        found = required(affiliates.find_affiliate(conn, Scope.of_affiliate(affiliate_id), affiliate_id))
        installation = settings.find_setting(conn, settings.AFFILIATE_PERMISSIONS) or {}
        version = settings.find_network(conn).terms_version
        return OwnAccount(
            affiliate=found,
            manager=staff.find_staff(conn, found.manager_id) if found.manager_id else None,
            api_key=keys.find_key(conn, AccountKind.AFFILIATE, affiliate_id, deps.cipher),
            balance=balances_of(deps, conn, [affiliate_id])[affiliate_id],
            permissions=permission_tree(installation, found.permissions),
            used=affiliates.used_parts(conn, affiliate_id),
            needs_terms=bool(version) and terms.find_acceptance(conn, affiliate_id, version) is None,
        )


@dataclass(frozen=True, slots=True)
class OwnPaymentSystems:
    """How an affiliate is paid, and how it may be paid.

    chosen: {system_id, currency, fields} each.
    offered: every payment system of the network.
    """

    chosen: Sequence[Mapping[str, Any]]
    offered: Sequence[PaymentSystem]


def get_payment_systems(deps: Deps, affiliate_id: int) -> OwnPaymentSystems:
    """Return the payment systems of an affiliate. Raises NotFound."""
    with deps.database.read() as conn:
        return _payment_systems(conn, affiliate_id)


def set_payment_systems(
    deps: Deps,
    caller: AffiliateCaller,
    chosen: Sequence[dict[str, Any]] | None,
    password: str,
    address: str,
) -> OwnPaymentSystems:
    """Replace the payment systems of an affiliate, which gets a mail.

    chosen: None keeps them. password: of the person who calls. address: of the client.
    A change that staff asked for and that waits for a second person is replaced.
    Raises NotFound, TooManyRequests, and BadInput for a wrong password or choice.
    """
    check_own_password(deps, caller.signer, password, address)
    affiliate_id, now = caller.id, deps.clock.now_ms()
    with deps.database.write() as conn:
        scope = Scope.of_affiliate(affiliate_id)
        before = required(affiliates.find_affiliate(conn, scope, affiliate_id, lock=True))
        checked = before.payment_systems if chosen is None else checked_payment_systems(deps, conn, chosen)
        if checked != before.payment_systems:
            held_changes.replace_waiting(conn, HeldKind.PAYMENT_SYSTEMS, affiliate_id, "", now)
            affiliates.edit_affiliate(conn, affiliate_id, {"payment_systems": checked, "updated_at": now})
            rulesets.touch(conn, "affiliate", affiliate_id)
            publish_payee_change(conn, affiliate_id, now)
        return _payment_systems(conn, affiliate_id)


def _payment_systems(conn: Connection, affiliate_id: int) -> OwnPaymentSystems:
    found = required(affiliates.find_affiliate(conn, Scope.of_affiliate(affiliate_id), affiliate_id))
    return OwnPaymentSystems(found.payment_systems, payment_systems.list_payment_systems(conn))


def accept_terms(deps: Deps, affiliate_id: int) -> None:
    """Store that an affiliate accepts the present terms of the network."""
    with deps.database.write() as conn:
        version = settings.find_network(conn).terms_version
        if version:
            terms.add_acceptance(conn, affiliate_id, version, deps.clock.now_ms())


def renew_key(deps: Deps, affiliate_id: int, *, keep: str = "") -> str:
    """Give an affiliate a new key; the old one and its sessions end at once.

    keep: the id of the session that calls, which stays.
    """
    now, key = deps.clock.now_ms(), new_api_key()
    with deps.database.write() as conn:
        keys.remove_first_keys(conn, AccountKind.AFFILIATE, affiliate_id)
        sessions.remove_sessions(conn, Account(AccountKind.AFFILIATE, str(affiliate_id)), keep=keep)
        keys.add_key(conn, AccountKind.AFFILIATE, affiliate_id, key, deps.cipher, now)
        notify_owner(conn, Account(AccountKind.AFFILIATE, str(affiliate_id)), notices.KEY_MADE, now)
    return key
