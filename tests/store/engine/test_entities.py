"""People, offers, connections, postbacks and lists of conversions on both engines."""

from typing import Any

import pytest

from tests.support.models.events import NOON
from tests.support.stores.seeds import add_advertiser, add_affiliate, add_connection, add_conversion, add_offer
from trackyard.domain.conversions.lists import ConversionFilter
from trackyard.domain.people.affiliates import Affiliate, AffiliateStatus
from trackyard.domain.people.roles import Role
from trackyard.domain.people.scope import Scope
from trackyard.domain.people.staff import Staff
from trackyard.domain.tracking.postbacks import NewPostback
from trackyard.store.conversions.lists import list_conversions
from trackyard.store.engine.database import Database
from trackyard.store.offers import connections, offers
from trackyard.store.people import advertisers, affiliates, staff
from trackyard.store.tracking import postbacks

ALL = Scope.everything()


def new_affiliate(email: str) -> Affiliate:
    return Affiliate(email=email, login=email, password_hash="x", tags=["a"], postback_secret="s")


def test_affiliate_store_email_is_unique(database: Database) -> None:
    with database.write() as conn:
        first = affiliates.add_affiliate(conn, new_affiliate("one@example.org"))
        assert first is not None
        assert affiliates.add_affiliate(conn, new_affiliate("one@example.org")) is None
        assert affiliates.find_affiliate(conn, ALL, first) is not None
        assert affiliates.find_affiliate(conn, Scope.of_affiliate(first + 1), first) is None
        assert affiliates.find_affiliate(conn, ALL, first + 1) is None
        assert affiliates.find_access(conn, first) == affiliates.AffiliateAccess(AffiliateStatus.ACTIVE, {})
        assert affiliates.names_of(conn, [first, 99])[first].login == "one@example.org"
        assert affiliates.ids_with_tags(conn, ["a", "b"]) == {first}


def test_advertiser_store_lists_and_finds(database: Database) -> None:
    with database.write() as conn:
        own = add_advertiser(conn, manager_id="1" * 24, tags=["a"])
        other = add_advertiser(conn, title="Other")
        assert advertisers.find_advertiser(conn, ALL, own) is not None
        assert advertisers.find_advertiser(conn, Scope(advertiser_ids=frozenset({own})), other) is None
        assert advertisers.ids_managed_by(conn, ["1" * 24]) == {own}
        assert advertisers.titles_of(conn, [own, other, "x"]) == {own: "Shop", other: "Other"}
        assert advertisers.ids_with_tags(conn, ["a"]) == {own}


def test_offer_store_lists_offers_and_connections(database: Database) -> None:
    with database.write() as conn:
        advertiser = add_advertiser(conn)
        open_, hidden = add_offer(conn, advertiser, tags=["a"]), add_offer(conn, advertiser, privacy="private")
        pid = add_affiliate(conn)
        assert offers.find_offer(conn, ALL, open_) is not None
        assert offers.find_offer(conn, Scope(advertiser_ids=frozenset()), open_) is None
        assert set(offers.existing_titles(conn, [open_, 999])) == {open_}
        assert offers.names_of(conn, [open_])[open_].title == "Offer"
        assert offers.ids_with_tags(conn, ["a"]) == {open_}
        visible = [offers.is_visible(conn, number, pid) for number in (open_, hidden, 999)]
        assert visible == [True, False, False]
        assert offers.is_visible(conn, hidden, None)
        add_connection(conn, hidden, pid, enabled=False)
        assert not offers.is_visible(conn, hidden, pid)
        connections.connect(conn, pid, [hidden, open_, hidden], 5)
        assert offers.is_visible(conn, hidden, pid)
        assert affiliates.count_offers(conn, pid) == 2
        new = NewPostback(pid, open_, "https://a.example", None, None, False, 1, 1)
        assert postbacks.add_postback(conn, new) != postbacks.add_postback(conn, new)


def test_staff_store_finds_first_administrator(database: Database) -> None:
    with database.write() as conn:
        assert staff.find_first_administrator(conn) is None
        for number, role in enumerate((Role.SECTION_NEWS, Role.ADMIN, Role.ADMIN)):
            row = Staff(id=f"{number:024x}", email=f"{number}@x.example", roles=[role], created_at=number)
            staff.add_staff(conn, row)
        first = staff.find_first_administrator(conn)
        assert first is not None
        assert first.id == f"{1:024x}"
        assert staff.find_staff(conn, "x") is None


@pytest.mark.parametrize(
    ("scope", "chosen", "found"),
    [
        (ALL, {}, [3, 2, 1]),
        (Scope.of_affiliate(1), {}, [1]),
        (Scope(advertiser_ids=frozenset({"b"})), {}, [3]),
        (Scope(affiliate_ids=frozenset()), {}, []),
        (ALL, {"subs": {1: frozenset({"s2"})}}, [2]),
        (ALL, {"custom_fields": {1: frozenset({"x"})}}, [3, 2, 1]),
        (ALL, {"custom_fields": {2: frozenset({"x"})}}, []),
        (ALL, {"statuses": frozenset({"hold"})}, [2]),
        (ALL, {"statuses": frozenset()}, []),
        (ALL, {"updated_since": NOON + 3}, [3]),
        (ALL, {"until": NOON + 3}, [2, 1]),
        (ALL, {"affiliates": frozenset({1, 9})}, [1]),
    ],
)
def test_conversion_store_lists_with_filters_and_pages(
    database: Database, scope: Scope, chosen: dict[str, Any], found: list[int]
) -> None:
    with database.write() as conn:
        add_conversion(conn, 1)
        add_conversion(conn, 2, affiliate_id=2, status="hold")
        add_conversion(conn, 3, affiliate_id=3, advertiser_id="b")
        filters = ConversionFilter(**{"since": NOON, "until": NOON + 10} | chosen)
        items, total = list_conversions(conn, scope, filters, page=1, limit=10)
        assert ([int(item.id, 16) for item in items], total) == (found, len(found))
        pages = [list_conversions(conn, scope, filters, page=page, limit=1)[0] for page in (1, 2, 3)]
        assert [int(item.id, 16) for page in pages for item in page] == found


def test_conversion_store_listed_row_has_typed_values(database: Database) -> None:
    with database.write() as conn:
        add_conversion(conn, 1)
        [item], _ = list_conversions(conn, ALL, ConversionFilter(since=0, until=2 * NOON), page=1, limit=1)
    assert str(item.charge) == "2.0000"
    assert item.click["sub1"] == "s1"
