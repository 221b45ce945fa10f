"""The audit log has the changes of a staff user's transaction by any statement."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import Table, bindparam, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from tests.support.stores.seeds import add_advertiser, add_affiliate, add_connection, add_offer, add_postback
from trackyard.base.secrets import SecretCipher, digest
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.audit_actor import AuditActor, current_actor
from trackyard.store.engine.audit_writer import differences
from trackyard.store.engine.database import Database
from trackyard.store.engine.encrypted import ENCRYPTED_COLUMNS, ENCRYPTED_SETTINGS
from trackyard.store.money import exchange_rates
from trackyard.store.people import affiliates, keys
from trackyard.store.platform import settings
from trackyard.store.tables import advertiser, affiliate, audit, connection, currency
from trackyard.store.tables.credentials import SECRET_COLUMNS, SECRET_SETTINGS
from trackyard.store.tables.schema import metadata
from trackyard.store.tracking import rulesets

AT = 1_700_000_000_000
WHO = AuditActor("5" * 24, "admin.thing.edit", "request-1", AT)


@contextmanager
def acting_staff() -> Iterator[None]:
    token = current_actor.set(WHO)
    try:
        yield
    finally:
        current_actor.reset(token)


def list_audit_rows(database: Database) -> list[Any]:
    with database.read() as conn:
        return list(conn.execute(select(audit).order_by(audit.c.what, audit.c.key)))


def changes(database: Database) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row.what, row.key): row.changes for row in list_audit_rows(database)}


def test_audit_writer_records_actor_and_old_and_new_values(database: Database) -> None:
    with database.write() as conn:
        shop = add_advertiser(conn, title="Shop", tags=["a"])
    with acting_staff(), database.write() as conn:
        conn.execute(update(advertiser).where(advertiser.c.id == shop).values(title="New", tags=["b"], updated_at=9))
    [row] = list_audit_rows(database)
    assert (row.staff_id, row.method, row.request_id, row.at) == (WHO.staff_id, WHO.method, WHO.request_id, AT)
    assert (row.what, row.key) == ("advertiser", shop)
    assert row.changes == {"title": ["Shop", "New"], "tags": [["a"], ["b"]]}


def test_audit_writer_ignores_writes_without_actor(database: Database) -> None:
    with database.write() as conn:
        add_advertiser(conn)
    assert list_audit_rows(database) == []


def test_audit_writer_records_generated_key_of_new_row(database: Database) -> None:
    with database.write() as conn:
        add_affiliate(conn)
    with acting_staff(), database.write() as conn:
        first, second = add_affiliate(conn, login="one"), add_affiliate(conn, login="two")
        add_postback(conn, first, "https://a.example")
    found = changes(database)
    assert found["affiliate", str(first)]["login"] == [None, "one"]
    assert found["affiliate", str(second)]["login"] == [None, "two"]
    assert found["affiliate", str(first)]["password_hash"] == [None, "***"]
    assert [key[0] for key in found] == ["affiliate", "affiliate", "affiliate_postback"]


def test_audit_writer_ignores_insert_without_effect(database: Database) -> None:
    with database.write() as conn:
        taken = affiliates.find_affiliate(conn, Scope.everything(), add_affiliate(conn, email="a@example.com"))
        assert taken is not None
    with acting_staff(), database.write() as conn:
        assert affiliates.add_affiliate(conn, taken) is None
    assert list_audit_rows(database) == []


def test_audit_writer_records_each_row_of_a_statement(database: Database) -> None:
    with database.write() as conn:
        shop = add_advertiser(conn)
        offer = add_offer(conn, shop)
        one, two = add_affiliate(conn, level=1), add_affiliate(conn, level=1)
    with acting_staff(), database.write() as conn:
        conn.execute(
            insert(connection),
            [{"offer_id": offer, "affiliate_id": n, "enabled": True, "changed_at": 1} for n in (one, two)],
        )
        conn.execute(
            update(affiliate).where(affiliate.c.id == bindparam("b_id")).values(level=bindparam("b_level")),
            [{"b_id": one, "b_level": 2}, {"b_id": two, "b_level": 3}],
        )
        rows = [
            {"code": code, "active": True, "min_payment": Decimal("1.5"), "updated_at": 1} for code in ("EUR", "GBP")
        ]
        conn.execute(insert(currency).values(rows))
    found = changes(database)
    assert found["affiliate", str(one)] == {"level": [1, 2]}
    assert found["affiliate", str(two)] == {"level": [1, 3]}
    assert found["connection", f"{offer}/{two}"]["enabled"] == [None, True]
    assert found["currency", "EUR"]["min_payment"] == [None, "1.5000"]
    assert len(found) == 6


def test_audit_writer_records_removal_and_omits_unchanged_rows(database: Database) -> None:
    with database.write() as conn:
        offer = add_offer(conn, add_advertiser(conn))
        pid = add_affiliate(conn)
        add_connection(conn, offer, pid)
        settings.edit_setting(conn, settings.TRAFFICBACK_URL, "https://a.example")
    with acting_staff(), database.write() as conn:
        conn.execute(delete(connection))
        settings.edit_setting(conn, settings.TRAFFICBACK_URL, "https://a.example")  # deletes and inserts
        rulesets.touch(conn, "offer", offer)
    found = changes(database)
    assert set(found) == {("connection", f"{offer}/{pid}")}
    assert found["connection", f"{offer}/{pid}"]["enabled"] == [True, None]


def test_audit_writer_masks_secrets(database: Database) -> None:
    with acting_staff(), database.write() as conn:
        settings.edit_setting(conn, settings.HASH_PASSWORD, "quite-secret")
        keys.add_key(conn, "staff", "5" * 24, "f" * 40, SecretCipher(Fernet.generate_key().decode()), AT)
        exchange_rates.add_rate(conn, "EUR", AT, Decimal("0.5"))
    found = changes(database)
    assert found["setting", "hash_password"]["value"] == [None, "***"]
    [key] = [value for (what, _), value in found.items() if what == "api_key"]
    assert key["sealed"] == [None, "***"]
    assert found["currency_rate", f"EUR/{AT}"]["rate"] == [None, "0.5000000000"]
    assert "quite-secret" not in str(found)


NO_SECRETS = {
    "alert_choice": {"digest", "digest_hour", "digest_at"},  # a mail of findings
    "offer": {"hash"},  # its id in addresses
    "inbox": {"offer_hash"},  # of its number, for the order
}
"""Columns with the name of a secret that hold none."""
SECRET_NAMES = re.compile(r"(^|_)(digest|hash|sealed|secret|password|token)($|_)(?!until|confirmed)|^hash_")


def test_audit_writer_masks_every_column_with_the_name_of_a_secret() -> None:
    named = {
        (table.name, column.name)
        for table in metadata.tables.values()
        for column in table.columns
        if SECRET_NAMES.search(column.name) and column.name not in NO_SECRETS.get(table.name, set())
    }
    masked = {(table, column) for table, columns in SECRET_COLUMNS.items() for column in columns}
    assert named - masked == set()
    assert masked <= {(table.name, column.name) for table in metadata.tables.values() for column in table.columns}
    encrypted = {(column.table.name, column.name) for _, column in ENCRYPTED_COLUMNS}
    assert encrypted <= masked
    assert set(ENCRYPTED_SETTINGS) <= SECRET_SETTINGS
    assert (len(named), len(masked), len(encrypted)) == (17, 22, 6)


@pytest.mark.parametrize("table", [table for table in metadata.tables.values() if table.name in SECRET_COLUMNS])
def test_audit_writer_hides_secrets_of_a_new_and_of_a_removed_row(table: Table) -> None:
    row = {column.name: f"value of {column.name}" for column in table.columns} | {"subject": ""}
    for first, last in ((None, row), (row, None)):
        changes = differences(table, first, last)
        for column in SECRET_COLUMNS[table.name]:
            assert "***" in changes[column] and f"value of {column}" not in changes[column]


def test_audit_writer_names_keys_by_their_ids(database: Database) -> None:
    """They are found by their digests, which the log does not show."""
    secret = "f" * 40
    with acting_staff(), database.write() as conn:
        keys.add_key(conn, "staff", "5" * 24, secret, SecretCipher(Fernet.generate_key().decode()), AT)
    [(what, key)] = changes(database)
    assert what == "api_key" and len(key) == 24
    assert digest(secret) not in str(list_audit_rows(database))


def test_audit_writer_ignores_rolled_back_writes(database: Database) -> None:
    with database.write() as conn:
        shop = add_advertiser(conn)
    with pytest.raises(IntegrityError), acting_staff(), database.write() as conn:
        conn.execute(update(advertiser).where(advertiser.c.id == shop).values(title="New"))
        add_advertiser(conn, id=shop)
    assert list_audit_rows(database) == []
