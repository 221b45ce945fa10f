"""Lists of affiliates, payment systems and custom fields on both engines."""

from dataclasses import replace

from tests.support.stores.seeds import add_advertiser, add_affiliate, add_connection, add_offer
from trackyard.domain.money.payment_systems import PaymentSystem
from trackyard.domain.people.affiliates import AffiliateFilter, AffiliateStatus
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.custom_fields import CustomField, CustomFieldType
from trackyard.store.engine.database import Database
from trackyard.store.money import payment_systems
from trackyard.store.people import affiliates
from trackyard.store.platform import custom_fields


def test_affiliate_store_lists_pages_in_scope(database: Database) -> None:
    with database.write() as conn:
        first = add_affiliate(conn)
        referred = [add_affiliate(conn, ref=first) for _ in range(3)]
        everyone = Scope.everything()
        found, total = affiliates.list_affiliates(conn, everyone, AffiliateFilter(), page=2, limit=3)
        assert ([row.id for row in found], total) == ([referred[2]], 4)
        assert affiliates.list_affiliates(conn, everyone, AffiliateFilter(), page=2**40, limit=1000) == ([], 4)
        found, total = affiliates.list_affiliates(conn, everyone, AffiliateFilter(ref=first), page=1, limit=2)
        assert ([row.id for row in found], total) == (referred[:2], 3)
        own = Scope(affiliate_ids=frozenset({referred[1]}))
        found, total = affiliates.list_affiliates(conn, own, AffiliateFilter(), page=1, limit=10)
        assert ([row.id for row in found], total) == ([referred[1]], 1)


def test_affiliate_store_offer_counts_omit_removed_offers(database: Database) -> None:
    with database.write() as conn:
        pid, other, advertiser = add_affiliate(conn), add_affiliate(conn), add_advertiser(conn)
        for columns in ({}, {"removed_at": 1}):
            add_connection(conn, add_offer(conn, advertiser, **columns), pid)
        add_connection(conn, add_offer(conn, advertiser), pid, enabled=False)
        assert affiliates.offer_counts(conn, [pid, other]) == {pid: 1}


def test_affiliate_store_edits_permissions(database: Database) -> None:
    with database.write() as conn:
        pid = add_affiliate(conn)
        assert affiliates.find_access(conn, pid) == affiliates.AffiliateAccess(AffiliateStatus.ACTIVE, {})
        affiliates.edit_affiliate(conn, pid, {"permissions": {"stats.slice-day": "deny"}, "status": "banned"})
        assert affiliates.find_access(conn, pid) == affiliates.AffiliateAccess(
            AffiliateStatus.BANNED, {"stats.slice-day": "deny"}
        )
        assert affiliates.find_access(conn, pid + 1) is None


def test_payment_system_store_adds_edits_and_removes(database: Database) -> None:
    fields = [{"id": 1, "lang_label": "IBAN", "required": True}]
    new = PaymentSystem(lang_label="Wire", currency=None, fields=fields, last_field=1, created_at=1, updated_at=1)
    with database.write() as conn:
        number = payment_systems.add_payment_system(conn, new)
        stored = replace(new, id=number)
        assert payment_systems.find_payment_system(conn, number, lock=True) == stored
        assert payment_systems.list_payment_systems(conn, lock=True) == [stored]
        assert not payment_systems.is_used(conn, number)
        chosen = [{"system_id": number, "currency": "USD", "fields": {"1": "EE"}}]
        add_affiliate(conn, payment_systems=chosen)
        assert payment_systems.is_used(conn, number)
        payment_systems.edit_payment_system(conn, number, {"currency": "EUR"})
        assert [row.currency for row in payment_systems.list_payment_systems(conn)] == ["EUR"]
        payment_systems.remove_payment_system(conn, number)
        assert payment_systems.find_payment_system(conn, number) is None


def test_custom_field_store_adds_edits_and_removes(database: Database) -> None:
    values = ["games", "loans"]
    new = CustomField(
        name="Vertical",
        required=True,
        field_type=CustomFieldType.SELECT,
        field_values=values,
        created_at=1,
        updated_at=1,
    )
    with database.write() as conn:
        number = custom_fields.add_custom_field(conn, new)
        assert number is not None
        stored = replace(new, id=number)
        assert custom_fields.add_custom_field(conn, new) is None
        assert custom_fields.find_custom_field(conn, number, lock=True) == stored
        assert custom_fields.find_by_name(conn, "Vertical") == stored
        custom_fields.edit_custom_field(conn, number, {"field_type": CustomFieldType.TEXT, "field_values": None})
        [edited] = custom_fields.list_custom_fields(conn)
        assert (edited.field_type, edited.field_values) == (CustomFieldType.TEXT, None)
        custom_fields.remove_custom_field(conn, number)
        assert custom_fields.list_custom_fields(conn) == []
