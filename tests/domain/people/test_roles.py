"""The table of roles agrees with docs/spec/callers.md#roles-of-staff."""

import pytest

from trackyard.domain.people.callers import StaffCaller
from trackyard.domain.people.roles import ROLE_PERMISSIONS, Permission, Role, permissions_of, roles_with


@pytest.mark.parametrize(
    ("role", "may", "may_not"),
    [
        (Role.ADMIN, Permission.USERS_WRITE, None),
        (Role.MANAGER_AFFILIATE, Permission.OFFERS_CONNECT, Permission.ADVERTISERS_READ),
        (Role.MANAGER_SALES, Permission.INVOICES_WRITE, Permission.AFFILIATES_READ),
        (Role.SECTION_PAYMENT, Permission.BALANCES_READ, Permission.STATS_COMMON),
        (Role.SECTION_STATS, Permission.STATS_CLICKS, Permission.OFFERS_READ),
        (Role.STATS_CONVERSION, Permission.STATS_CONVERSION, Permission.STATS_COMMON),
        (Role.SECTION_NEWS, Permission.NEWS_WRITE, Permission.TICKETS_WRITE),
    ],
)
def test_role_has_its_permissions_only(role: Role, may: Permission, may_not: Permission | None) -> None:
    caller = StaffCaller("0" * 24, frozenset({role}))
    assert caller.may(may)
    assert may_not is None or not caller.may(may_not)


def test_users_are_edited_by_administrator_role_only() -> None:
    assert roles_with(Permission.USERS_WRITE) == (Role.ADMIN,)
    assert ROLE_PERMISSIONS[Role.ADMIN] == frozenset(Permission)
    assert permissions_of([]) == {Permission.NEWS_READ, Permission.ACCOUNT}


def test_role_that_writes_may_read_referenced_lists() -> None:
    for role, given in ROLE_PERMISSIONS.items():
        for write, read in (
            (Permission.INVOICES_WRITE, Permission.CURRENCIES_READ),
            (Permission.AFFILIATES_WRITE, Permission.PAYMENT_SYSTEMS_READ),
            (Permission.TICKETS_WRITE, Permission.TICKETS_READ),
        ):
            assert write not in given or read in given, role
