"""Ruleset rows: versions in order, current rows, tombstones, snapshots."""

from decimal import Decimal
from hashlib import sha256

import msgspec
import pytest
from sqlalchemy import delete, insert, update

from tests.support.stores.seeds import add_advertiser, add_affiliate, add_connection, add_offer
from trackyard.decision.routes import restrictions_of
from trackyard.domain.offers.offers import AllowDeny, Interval, OfferSchedule, SubAccountList, TargetingGroup
from trackyard.domain.tracking.ruleset import (
    ROW_TYPES,
    SCHEMA_VERSION,
    ClickCap,
    Restrictions,
    RulesetAdvertiser,
    RulesetAffiliate,
    RulesetConnections,
    RulesetLanding,
    RulesetOffer,
    RulesetPlatform,
    RulesetSmartLink,
    RulesetSmartLinkOffer,
)
from trackyard.store.engine.database import Database
from trackyard.store.platform import settings
from trackyard.store.tables import affiliate, offer_label, smartlink_category
from trackyard.store.tracking import rulesets


def test_ruleset_changes_come_in_version_order_once_per_row(database: Database) -> None:
    with database.write() as conn:
        assert rulesets.ruleset_version(conn) == 0
        rulesets.touch(conn, "offer", 7)
        rulesets.touch(conn, "affiliate", 3)
        rulesets.touch(conn, "offer", 7)
        assert rulesets.ruleset_version(conn) == 3
        found = rulesets.changes_since(conn, 0, 10)
        assert [(change.version, change.kind, change.key) for change in found] == [
            (2, "affiliate", "3"),
            (3, "offer", "7"),
        ]
        assert rulesets.changes_since(conn, 3, 10) == []
        assert len(rulesets.changes_since(conn, 0, 1)) == 1


@pytest.mark.parametrize("name", ["", None])
def test_ruleset_affiliate_without_name_does_not_show_its_login(database: Database, name: str | None) -> None:
    with database.write() as conn:
        pid = add_affiliate(conn, name=name, login="ann@mail.example")
        row = rulesets.compile_row(conn, "affiliate", str(pid))
        assert row == RulesetAffiliate(id=pid, name="")


def test_ruleset_rows_equal_stored_records(database: Database) -> None:
    with database.write() as conn:
        supplier = add_advertiser(conn)
        pid = add_affiliate(conn, name="Ann")
        number = add_offer(
            conn,
            supplier,
            hash="5" * 24,
            title="Shoes",
            url="https://shop.example/",
            url_preview="https://shop.example/p",
            privacy="private",
            landings=[{"id": 4, "url": "https://shop.example/l", "title": "L", "type": "landing"}],
            macro_url="&aff={pid}",
            allowed_ip="192.0.2.1",
            disallowed_ip="192.0.2.2",
        )
        add_connection(conn, number, pid)
        settings.edit_setting(conn, settings.TRAFFICBACK_URL, "https://back.example/")
        everything = {(kind, key): row for kind, key, row in rulesets.each_row(conn)}
        assert everything == {
            ("platform", "platform"): RulesetPlatform(trafficback_url="https://back.example/"),
            ("advertiser", supplier): RulesetAdvertiser(id=supplier),
            ("affiliate", str(pid)): RulesetAffiliate(id=pid, name="Ann"),
            ("connections", str(number)): RulesetConnections(offer=number, affiliates=(pid,)),
            ("offer", str(number)): RulesetOffer(
                id=number,
                hash="5" * 24,
                title="Shoes",
                advertiser=supplier,
                url="https://shop.example/",
                active=True,
                open=False,
                preview_url="https://shop.example/p",
                landings=(RulesetLanding(4, "https://shop.example/l"),),
                macro_url="&aff={pid}",
                private=True,
            ),
        }
        for (kind, key), row in everything.items():
            assert rulesets.compile_row(conn, kind, key) == row


def test_ruleset_removed_record_is_a_tombstone(database: Database) -> None:
    with database.write() as conn:
        pid = add_affiliate(conn)
        conn.execute(update(affiliate).values(status="banned"))
        row = rulesets.compile_row(conn, "affiliate", str(pid))
        assert isinstance(row, RulesetAffiliate) and row.rejection == "inactive-affiliate"
        conn.execute(delete(affiliate))
        assert rulesets.compile_row(conn, "affiliate", str(pid)) is None
        assert rulesets.compile_row(conn, "connections", "9") is None


def test_ruleset_touch_of_many_rows_numbers_versions_in_order(database: Database) -> None:
    keys = [str(number) for number in range(1, 1201)]
    with database.write() as conn:
        rulesets.touch(conn, "offer", 1200)
        before = rulesets.ruleset_version(conn)
        rulesets.touch_all(conn, "offer", [*keys, "7"])
        rulesets.touch_all(conn, "offer", [])
        changes = rulesets.changes_since(conn, before, 5000)
        assert [(change.version, change.key) for change in changes] == [
            (before + place, key) for place, key in enumerate(keys, start=1)
        ]
        assert rulesets.ruleset_version(conn) == before + len(keys)


def test_ruleset_connections_include_disconnected_affiliates(database: Database) -> None:
    with database.write() as conn:
        number = add_offer(conn, add_advertiser(conn))
        connected, off = add_affiliate(conn), add_affiliate(conn)
        add_connection(conn, number, connected)
        add_connection(conn, number, off, enabled=False)
        row = rulesets.compile_row(conn, "connections", str(number))
    assert row == RulesetConnections(offer=number, affiliates=(connected,), disconnected=(off,))


def test_ruleset_offer_includes_restrictions_and_caps(database: Database) -> None:
    groups = [{"country": {"allow": ["EE"], "deny": []}, "affiliate_id": [4]}]
    caps = [
        {"id": "c" * 24, "period": "day", "type": "clicks", "value": "10", "affiliate_type": "each", "affiliates": []}
        | {"country_type": "exact", "country": ["EE"], "goal_type": "all", "goals": []},
        {"id": "d" * 24, "period": "day", "type": "conversions", "value": "5", "affiliate_type": "all"}
        | {"affiliates": [], "country_type": "all", "country": [], "goal_type": "all", "goals": []},
    ]
    with database.write() as conn:
        supplier = add_advertiser(conn, sub_accounts={"1": {"value": "a,b", "except": True}})
        number = add_offer(
            conn,
            supplier,
            targeting=groups,
            countries=["EE", "LV"],
            strictly_country=True,
            uniq_ip_only=True,
            host_uniqueness_type="sub3",
            hosts_only=True,
            sub_accounts={"2": {"values": ["x"], "exclude": False}},
            schedule={"enabled": True, "intervals": [{"day_of_week": 0, "start": 22, "end": 3}]},
            caps=caps,
            is_redirect_overcap=True,
        )
        plain = add_offer(conn, supplier, hash="6" * 24, countries=["EE"])
        row, bare, advertiser = (
            rulesets.compile_row(conn, kind, str(key))
            for kind, key in (("offer", number), ("offer", plain), ("advertiser", supplier))
        )
    assert isinstance(row, RulesetOffer) and isinstance(bare, RulesetOffer)
    assert restrictions_of(row) == Restrictions(
        schedule=OfferSchedule(enabled=True, intervals=(Interval(day_of_week=0, start=22, end=3),)),
        countries=("EE", "LV"),
        sub_accounts={"2": SubAccountList(values=("x",))},
        groups=(TargetingGroup(country=AllowDeny(allow=("EE",)), affiliate_id=(4,)),),
        unique_only=True,
        by_sub3=True,
        hosts_only=True,
    )
    assert row.click_caps == (ClickCap("c" * 24, "day", 10, "each", (), "exact", ("EE",)),)
    assert bare.restrictions == b"" and bare.click_caps == ()
    assert advertiser == RulesetAdvertiser(
        id=supplier, sub_accounts={"1": SubAccountList(values=("a", "b"), exclude=True)}
    )


def test_ruleset_advertiser_has_its_unique_clicks_and_hours(database: Database) -> None:
    own = {"host_uniqueness_number_unique_clicks": 3, "host_uniqueness_time_frame": 48}
    with database.write() as conn:
        supplier = add_advertiser(conn, **own)
        row = rulesets.compile_row(conn, "advertiser", supplier)
    assert row == RulesetAdvertiser(id=supplier, unique_clicks=3, unique_hours=48)


def test_ruleset_forms_change_only_with_their_version() -> None:
    """After an upgrade edges go on with the rows of the earlier program, unless the version is another."""
    _, forms = msgspec.json.schema_components([*ROW_TYPES.values(), Restrictions])
    undescribed = {
        name: {key: value for key, value in form.items() if key != "description"} for name, form in forms.items()
    }
    digest = sha256(msgspec.json.encode(undescribed, order="deterministic")).hexdigest()
    found = SCHEMA_VERSION, digest[:16]
    assert found == (11, "4dcaf957424e04d9"), "raise SCHEMA_VERSION when a row has another form, and write both here"


def test_ruleset_offer_omits_click_caps_limited_by_goal(database: Database) -> None:
    cap = {"id": "c" * 24, "period": "day", "type": "clicks", "value": 1, "affiliate_type": "all", "affiliates": []}
    cap |= {"country_type": "all", "country": [], "goal_type": "all", "goals": []}
    with database.write() as conn:
        number = add_offer(conn, add_advertiser(conn), caps=[cap], is_redirect_overcap=True, caps_goal_overcap="sale")
        row = rulesets.compile_row(conn, "offer", str(number))
    assert isinstance(row, RulesetOffer) and row.click_caps == ()


def test_ruleset_smartlink_lists_best_offer_first(database: Database) -> None:
    key = "9" * 24
    with database.write() as conn:
        supplier = add_advertiser(conn)
        now = {"created_at": 1, "updated_at": 1}
        conn.execute(insert(smartlink_category).values(id=key, name="S", **now))
        numbers = [
            add_offer(conn, supplier, hash=str(place) * 24, week_epc=Decimal(epc))
            for place, epc in ((1, 0), (2, "0.5"))
        ]
        conn.execute(insert(offer_label), [{"kind": "smartlink", "value": key, "offer_id": each} for each in numbers])
        row = rulesets.compile_row(conn, "smartlink", key)
        assert ("smartlink", key) in {(kind, each) for kind, each, _ in rulesets.each_row(conn)}
    assert row == RulesetSmartLink(key, (RulesetSmartLinkOffer(numbers[1], 0.5), RulesetSmartLinkOffer(numbers[0])))


def test_ruleset_offer_with_unknown_redirect_type_is_not_compiled(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    with database.write() as conn:
        number = add_offer(conn, add_advertiser(conn), redirect_type="teleport")
        assert rulesets.compile_rows(conn, "offer", [str(number)]) == {}
    (record,) = [each for each in caplog.records if each.message == "offer not compiled"]
    assert (record.__dict__["offer"], record.__dict__["redirect_type"]) == (number, "teleport")
