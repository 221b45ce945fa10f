"""Logins of affiliates have one owner each, on both engines; old shared ones are kept."""

from typing import Any

from alembic import command
from sqlalchemy import Column, MetaData, Table, insert, select

from tests.support.stores.seeds import add_affiliate
from trackyard.domain.people.affiliates import AffiliateFilter
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.database import Database
from trackyard.store.engine.schema import _config, upgrade
from trackyard.store.people import affiliates, staff
from trackyard.store.platform import personal_data
from trackyard.store.tables import affiliate, affiliate_login

FIRST: dict[str, Any] = {
    "status": "active", "password_hash": "", "postback_secret": "", "notes": "", "level": 0, "payment_systems": [],
    "custom_fields": {}, "tags": [], "sub_accounts": {}, "permissions": {}, "server_clicks": False, "server_ip": [],
    "created_at": 0, "updated_at": 0,
}  # fmt: skip
"""What an affiliate had to have in the first schema, whatever it has now."""


def owners(database: Database) -> dict[str, int]:
    with database.read() as conn:
        return {row.name: row.affiliate_id for row in conn.execute(select(affiliate_login))}


def test_login_migration_gives_shared_login_to_first_affiliate(empty_database: Database) -> None:
    columns = [Column(name, affiliate.c[name].type) for name in ("id", "email", "login", *FIRST)]
    first_table = Table("affiliate", MetaData(), *columns)
    with empty_database.write() as conn:
        command.upgrade(_config(conn), "0001")
        for number, login in enumerate(("Ann", "ann", "2@a.example", "4@a.example", "ann@b.example"), 1):
            named = {"id": number, "email": f"{number}@a.example", "login": login}
            conn.execute(insert(first_table).values(FIRST | named))
    upgrade(empty_database)
    emails = {f"{number}@a.example": number for number in range(1, 6)}
    assert owners(empty_database) == emails | {"ann": 1, "ann@b.example": 5}
    with empty_database.read() as conn:
        found = conn.execute(select(affiliate.c.login).order_by(affiliate.c.id)).scalars().all()
    assert found == ["Ann", "ann", "2@a.example", "4@a.example", "ann@b.example"]


def test_login_names_are_claimed_and_released(database: Database) -> None:
    with database.write() as conn:
        first, second = add_affiliate(conn), add_affiliate(conn)
        assert affiliates.claim_names(conn, first, "a@a.example", "Ann") == set()
        assert affiliates.claim_names(conn, second, "b@a.example", "ANN") == {"ann"}
        assert affiliates.claim_names(conn, second, "b@a.example", "A@A.example") == {"a@a.example"}
        assert affiliates.claim_names(conn, first, "a@a.example", "a@a.example") == set()
        assert affiliates.claim_names(conn, second, "b@a.example", "ann") == set()
    assert owners(database) == {"a@a.example": first, "b@a.example": second, "ann": second}
    with database.write() as conn:
        for _ in range(2):
            assert personal_data.redact_account(conn, second, "hash", 1)
    assert owners(database) == {"a@a.example": first, f"erased-{second}@erased.invalid": second}


def test_referrers_are_followed_to_end_of_ring(database: Database) -> None:
    with database.write() as conn:
        affiliates.lock_referrals(conn)
        first = add_affiliate(conn)
        second = add_affiliate(conn, ref=first)
        third = add_affiliate(conn, ref=second)
        assert affiliates.referrers_of(conn, third) == [second, first]
        affiliates.edit_affiliate(conn, first, {"ref": third})
        assert affiliates.referrers_of(conn, third) == [second, first, third]


def test_text_search_ignores_case_in_any_script(database: Database) -> None:
    with database.write() as conn:
        number = add_affiliate(conn, name="Ärlig Иван")
        add_affiliate(conn, name="100 %")
        for part in ("ÄRLIG", "иВАН"):
            found, total = affiliates.list_affiliates(
                conn, Scope.everything(), AffiliateFilter(part=part), page=1, limit=10
            )
            assert ([row.id for row in found], total) == ([number], 1)
        assert staff.list_staff(conn, "nothing", page=1, limit=10) == ([], 0)
