"""Migration 0004: address lists of offers move to targeting, with labels of its countries."""

from decimal import Decimal
from typing import Any

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import Column, MetaData, Table, insert, select, text

from tests.support.stores import seeds
from trackyard.base.ids import new_id
from trackyard.domain.offers.offers import AllowDeny, Offer, OsVersion, TargetingGroup, labels_of, stored_columns
from trackyard.domain.tracking.ip_lists import AddressLists, split_entries
from trackyard.store.engine.database import Connection, Database
from trackyard.store.engine.schema import _config, upgrade
from trackyard.store.offers import lists as offer_lists
from trackyard.store.tables import offer, offer_label
from trackyard.store.tracking import rulesets

REVISION = "0004"
BEFORE = "192.0.2.0/24\n198.51.100.7\n2001:db8::/32"

PLAIN = TargetingGroup(device_type=("tv",))
OWN = TargetingGroup(device_type=("tv",), affiliate_id=(7,))


def filled(database: Database, **fields: Any) -> int:
    """Migrate to the version before, add one offer, and return its id."""
    with database.write() as conn:
        config = _config(conn)
        before = ScriptDirectory.from_config(config).get_revision(REVISION).down_revision
        command.upgrade(config, str(before))
    with database.write() as conn:
        return add(conn, seeds.add_advertiser(conn), **fields)


def add(conn: Connection, advertiser: str, **fields: Any) -> int:
    """Add an offer in the form of an earlier version, and return its id."""
    made = Offer(
        id=0, hash=new_id(1), advertiser_id=advertiser, title="T", url="https://u.example/",
        created_at=1, updated_at=1, **fields,
    )  # fmt: skip
    columns = stored_columns({name: getattr(made, name) for name in Offer.__struct_fields__ if name != "id"})
    values = columns | dict.fromkeys(("top_payout", "cr", "epc", "week_epc"), Decimal(0))
    table = Table("offer", MetaData(), autoload_with=conn)
    known = {column.name: column for column in offer.columns}
    own = Table("offer", MetaData(), *(Column(name, known[name].type) for name in table.columns.keys() & known.keys()))
    statement = insert(own).values({name: values[name] for name in own.columns.keys() & values.keys()})
    conn.execute(statement)
    return int(conn.execute(text("SELECT max(id) FROM offer")).scalar_one())


def found(database: Database, offer_id: int) -> Offer:
    with database.read() as conn:
        [item] = offer_lists.list_by_ids(conn, [offer_id])
    return item.offer


def lists_of(offer_: Offer) -> AddressLists:
    return AddressLists(split_entries(offer_.allowed_ip), split_entries(offer_.disallowed_ip))


SAMPLES = (
    *("192.0.2.1", "192.0.2.200", "198.51.100.7", "198.51.100.8", "203.0.113.5", "::ffff:192.0.2.1"),
    *("2001:db8::1", "2001:db8:1::1", "2001:db9::1"),
)


@pytest.mark.long_on_postgresql
@pytest.mark.parametrize(
    ("allow", "deny"),
    [
        ((), ()),
        (("192.0.2.128-192.0.2.255", "203.0.113.0/24"), ()),
        (("192.0.2.1", "2001:db8:1::/48"), ("192.0.2.1",)),
        (("203.0.113.0/24",), ()),
        (("::/0",), ("198.51.100.7",)),
        (("::ffff:192.0.2.1",), ()),
    ],
)
def test_address_list_migration_moves_offer_lists_to_each_group(
    empty_database: Database, allow: tuple[str, ...], deny: tuple[str, ...]
) -> None:
    group = TargetingGroup(device_type=("tv",), ip=AllowDeny(allow=allow, deny=deny))
    number = filled(
        empty_database, allowed_ip=BEFORE, disallowed_ip="192.0.2.200\n2001:db8::1", targeting=(group, PLAIN)
    )
    upgrade(empty_database)
    after = found(empty_database, number)
    assert lists_of(after) == AddressLists(split_entries(BEFORE), ("192.0.2.200", "2001:db8::1"))
    assert [each.device_type for each in after.targeting] == [("tv",), ("tv",)]
    for address in SAMPLES:
        for each, own in zip(after.targeting, (AddressLists(allow, deny), AddressLists()), strict=True):
            wanted = lists_of(after).permits(address) and own.permits(address)
            assert (address, AddressLists(each.ip.allow, each.ip.deny).permits(address)) == (address, wanted)


def test_address_list_migration_adds_group_to_offer_without_targeting(empty_database: Database) -> None:
    number = filled(empty_database, allowed_ip=BEFORE)
    upgrade(empty_database)
    after = found(empty_database, number)
    assert after.consider_personal_targeting_only is False
    assert [(each.ip.allow, each.ip.deny) for each in after.targeting] == [(split_entries(BEFORE), ())]


def test_address_list_migration_keeps_rejections_of_personal_groups(empty_database: Database) -> None:
    number = filled(empty_database, disallowed_ip="192.0.2.1", targeting=(OWN,))
    upgrade(empty_database)
    after = found(empty_database, number)
    assert after.consider_personal_targeting_only is True
    assert [(each.affiliate_id, each.ip.deny) for each in after.targeting] == [
        ((7,), ("192.0.2.1",)),
        ((), ("192.0.2.1",)),
    ]


def test_address_list_migration_touches_changed_offers_only(empty_database: Database) -> None:
    number = filled(empty_database, disallowed_ip="192.0.2.1")
    with empty_database.write() as conn:
        add(conn, seeds.add_advertiser(conn, title="Other"), targeting=(PLAIN,))
        rulesets.touch(conn, "offer", number)
        version = rulesets.ruleset_version(conn)
    upgrade(empty_database)
    with empty_database.read() as conn:
        changes = rulesets.changes_since(conn, version, 10)
        assert [(each.kind, each.key, each.version) for each in changes] == [("offer", str(number), version + 1)]
        assert rulesets.ruleset_version(conn) == version + 1


def test_address_list_migration_files_offers_under_targeting_countries(empty_database: Database) -> None:
    groups = TargetingGroup(country=AllowDeny(allow=("DE", "FR")), os=(OsVersion(name="iOS"),))
    number = filled(empty_database, countries=("DE", "AT"), targeting=(groups,), allowed_ip="192.0.2.1")
    with empty_database.write() as conn:
        conn.execute(
            insert(offer_label), [{"kind": "country", "value": code, "offer_id": number} for code in ("DE", "AT")]
        )
    upgrade(empty_database)
    with empty_database.read() as conn:
        rows = conn.execute(select(offer_label.c.kind, offer_label.c.value).where(offer_label.c.offer_id == number))
        filed = {(row.kind, row.value) for row in rows}
    assert filed == {("country", "DE"), ("country", "FR"), ("os", "ios")}
    assert filed <= labels_of(found(empty_database, number))
