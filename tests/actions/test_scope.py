"""The scope of each kind of caller."""

import pytest

from tests.support.stores.seeds import add_advertiser, add_affiliate
from trackyard.actions.people.scope import is_confined, scope_of
from trackyard.domain.people.callers import Access, AffiliateCaller, StaffCaller
from trackyard.domain.people.roles import Permission, Role
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.database import Database

ME, OTHER = "1" * 24, "2" * 24
NOTHING = Scope(affiliate_ids=frozenset(), advertiser_ids=frozenset())


@pytest.mark.parametrize(
    ("roles", "permission", "affiliates", "advertisers"),
    [
        ({Role.ADMIN}, Permission.STATS_COMMON, False, False),
        ({Role.SECTION_STATS}, Permission.STATS_COMMON, False, False),
        ({Role.MANAGER_AFFILIATE}, Permission.STATS_COMMON, True, False),
        ({Role.MANAGER_SALES}, Permission.STATS_COMMON, False, True),
        ({Role.MANAGER_AFFILIATE, Role.MANAGER_SALES}, Permission.STATS_COMMON, True, True),
        ({Role.MANAGER_AFFILIATE, Role.STATS_COMMON}, Permission.STATS_COMMON, False, False),
        ({Role.MANAGER_AFFILIATE, Role.STATS_COMMON}, Permission.STATS_OFFER, True, False),
        ({Role.MANAGER_SALES}, Permission.OFFERS_READ, False, False),
        ({Role.MANAGER_SALES}, Permission.OFFERS_WRITE, False, True),
    ],
)
def test_staff_scope_follows_roles(
    sqlite_database: Database, roles: set[Role], permission: Permission, affiliates: bool, advertisers: bool
) -> None:
    with sqlite_database.write() as conn:
        own = frozenset({add_affiliate(conn, manager_id=ME)})
        add_affiliate(conn, manager_id=OTHER)
        mine = frozenset({add_advertiser(conn, manager_id=ME)})
        add_advertiser(conn)
        scope = scope_of(conn, Access(StaffCaller(ME, frozenset(roles)), permission))
    assert scope == Scope(own if affiliates else None, mine if advertisers else None)


def test_scope_of_role_without_permission_is_empty(sqlite_database: Database) -> None:
    caller = StaffCaller(ME, frozenset({Role.SECTION_NEWS}))
    with sqlite_database.read() as conn:
        assert scope_of(conn, Access(caller, Permission.STATS_COMMON)) == NOTHING
    assert is_confined(caller, Permission.STATS_COMMON)


def test_affiliate_scope_is_itself_without_charges_and_costs(sqlite_database: Database) -> None:
    with sqlite_database.read() as conn:
        assert scope_of(conn, Access(AffiliateCaller(7), Permission.STATS_COMMON)) == Scope(
            frozenset({7}), None, sees_charge=False, sees_costs=False
        )
