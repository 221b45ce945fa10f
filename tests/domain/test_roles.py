"""The table of roles: what docs/spec/callers.md#roles-of-staff says of it."""

import pytest

from trackyard.domain.people.callers import StaffCaller
from trackyard.domain.people.roles import TABLE, Permission, Role, permissions_of, roles_giving


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
def test_a_role(role: Role, may: Permission, may_not: Permission | None) -> None:
    caller = StaffCaller("0" * 24, frozenset({role}))
    assert caller.may(may)
    assert may_not is None or not caller.may(may_not)


def test_the_administrator_alone_edits_users() -> None:
    assert roles_giving(Permission.USERS_WRITE) == (Role.ADMIN,)
    assert TABLE[Role.ADMIN] == frozenset(Permission)
    assert permissions_of([]) == {Permission.NEWS_READ}


def test_who_writes_a_thing_reads_the_lists_that_it_names_values_of() -> None:
    for role, given in TABLE.items():
        for write, read in (
            (Permission.INVOICES_WRITE, Permission.CURRENCIES_READ),
            (Permission.AFFILIATES_WRITE, Permission.PAYMENT_SYSTEMS_READ),
            (Permission.TICKETS_WRITE, Permission.TICKETS_READ),
        ):
            assert write not in given or read in given, role
