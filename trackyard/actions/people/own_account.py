"""An affiliate's own account: reading it, a new key (docs/api/own-account.md)."""

from dataclasses import dataclass

from trackyard.actions.deps import Deps
from trackyard.actions.people.affiliates import balances_of
from trackyard.base.errors import required
from trackyard.base.ids import new_api_key
from trackyard.domain.money.ledger import Balance
from trackyard.domain.people.affiliates import Affiliate
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.permissions import EffectiveLevel, permission_tree
from trackyard.domain.people.scope import Scope
from trackyard.domain.people.staff import Staff
from trackyard.store.people import affiliates, keys, sessions, staff
from trackyard.store.platform import settings


@dataclass(frozen=True, slots=True)
class OwnAccount:
    """An affiliate's view of itself.

    balance: one item a currency.
    permissions: area to feature to level.
    """

    affiliate: Affiliate
    manager: Staff | None
    api_key: str | None
    balance: list[Balance]
    permissions: dict[str, dict[str, EffectiveLevel]]


def get_account(deps: Deps, affiliate_id: int) -> OwnAccount:
    """Return an affiliate's own account. Raises NotFound."""
    with deps.database.read() as conn:
        found = required(affiliates.find_affiliate(conn, Scope.of_affiliate(affiliate_id), affiliate_id))
        installation = settings.find_setting(conn, settings.AFFILIATE_PERMISSIONS) or {}
        return OwnAccount(
            affiliate=found,
            manager=staff.find_staff(conn, found.manager_id) if found.manager_id else None,
            api_key=keys.find_key(conn, AccountKind.AFFILIATE, affiliate_id, deps.cipher),
            balance=balances_of(deps, conn, [affiliate_id])[affiliate_id],
            permissions=permission_tree(installation, found.permissions),
        )


def renew_key(deps: Deps, affiliate_id: int, *, keep: str = "") -> str:
    """Give an affiliate a new key; the old one and its sessions end at once.

    keep: the id of the session that calls, which stays.
    """
    now, key = deps.clock.now_ms(), new_api_key()
    with deps.database.write() as conn:
        keys.remove_first_keys(conn, AccountKind.AFFILIATE, affiliate_id)
        sessions.remove_sessions(conn, Account(AccountKind.AFFILIATE, str(affiliate_id)), keep=keep)
        keys.add_key(conn, AccountKind.AFFILIATE, affiliate_id, key, deps.cipher, now)
    return key
