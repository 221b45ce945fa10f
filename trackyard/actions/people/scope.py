"""The scope of a caller for the permission it uses (docs/spec/callers.md#roles-of-staff)."""

from collections.abc import Iterable
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.domain.people.callers import (
    Access,
    Account,
    AccountKind,
    AdvertiserCaller,
    AffiliateCaller,
    Caller,
    StaffCaller,
)
from trackyard.domain.people.key_limits import may_write
from trackyard.domain.people.roles import ROLE_PERMISSIONS, Permission, Role
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.database import Connection
from trackyard.store.people import advertisers, affiliates

_BY_MANAGER = frozenset({Role.MANAGER_AFFILIATE, Role.MANAGER_SALES})
_NEVER_CONFINED = frozenset({Permission.OFFERS_READ})  # managers read all offers


def scope_of(conn: Connection, access: Access) -> Scope:
    """Return the scope that a caller may see with its permission.

    A role other than a manager's gives everything that it lists. Managers see what they manage; a manager of both
    kinds sees the rows of which it manages both sides. The dashboard role does not widen the scope of another role.
    """
    caller = access.caller
    if isinstance(caller, AffiliateCaller):
        return Scope.of_affiliate(caller.id)
    if isinstance(caller, AdvertiserCaller):
        return Scope.of_advertiser(caller.id)
    giving = _giving(caller.roles, access.permission)
    if not giving or access.permission in caller.withheld:
        return Scope(affiliate_ids=frozenset(), advertiser_ids=frozenset())
    if giving - _BY_MANAGER or access.permission in _NEVER_CONFINED:
        return Scope.everything()
    own = [caller.id]
    return Scope(
        affiliate_ids=affiliates.ids_managed_by(conn, own) if Role.MANAGER_AFFILIATE in giving else None,
        advertiser_ids=advertisers.ids_managed_by(conn, own) if Role.MANAGER_SALES in giving else None,
    )


def writable_scope(deps: Deps, caller: Caller, permission: Permission) -> Scope:
    """Return the scope that a permission gives a caller to write; nothing if its key may not."""
    if not may_write(caller.key, permission):
        return Scope.nothing()
    return scope_for(deps, caller, permission)


def scope_for(deps: Deps, caller: Caller, permission: Permission) -> Scope:
    """Return the scope of a caller for a permission other than the method's; nothing without it."""
    with deps.database.read() as conn:
        return scope_of(conn, Access(caller, permission))


COMPANY_WRITES: Final = {
    AccountKind.AFFILIATE: Permission.AFFILIATES_WRITE,
    AccountKind.ADVERTISER: Permission.ADVERTISERS_WRITE,
}
"""The permission of staff to write a company, by its kind."""


def company_scope(conn: Connection, caller: StaffCaller, kind: AccountKind) -> Scope:
    """Return the scope of the companies of a kind that a staff user may write."""
    permission = COMPANY_WRITES[kind]
    return scope_of(conn, Access(caller, permission)) if caller.may(permission) else Scope.nothing()


def is_confined(caller: StaffCaller, permission: Permission) -> bool:
    """Return whether a staff user has the permission only for what it manages."""
    return not _giving(caller.roles, permission) - _BY_MANAGER


def refused_permissions(conn: Connection, caller: StaffCaller, account: Account) -> frozenset[Permission]:
    """Return the permissions that a staff user does not have for an affiliate or an advertiser.

    account: one that the user may see with some permission.
    """
    is_affiliate = account.kind is AccountKind.AFFILIATE
    managed = (
        int(account.id) in affiliates.ids_managed_by(conn, [caller.id])
        if is_affiliate
        else account.id in advertisers.ids_managed_by(conn, [caller.id])
    )
    confining = Role.MANAGER_AFFILIATE if is_affiliate else Role.MANAGER_SALES

    def has(permission: Permission) -> bool:
        giving = _giving(caller.roles, permission)
        confined = not giving - _BY_MANAGER and permission not in _NEVER_CONFINED and confining in giving
        return caller.may(permission) and (managed or not confined)

    return frozenset(
        permission for permission in Permission if permission is not Permission.NONE and not has(permission)
    )


def _giving(roles: Iterable[Role], permission: Permission) -> set[Role]:
    giving = {role for role in roles if permission in ROLE_PERMISSIONS[role]}
    return giving - {Role.SECTION_DASHBOARD} or giving
