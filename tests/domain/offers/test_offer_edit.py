"""Edits of offers: replaced, kept, joined and counted parts."""

from decimal import Decimal
from itertools import count
from typing import Any

import pytest
from msgspec.structs import replace

from trackyard.domain.offers.edits import NewPartDefaults, changed_fields, field_errors, is_visible_change
from trackyard.domain.offers.offers import (
    Cap,
    Landing,
    Offer,
    OfferPayment,
    OfferSchedule,
    OsVersion,
    RestrictedOs,
    SubAccountList,
    TargetingGroup,
    Tier,
    labels_of,
    offer_of,
    operating_systems_of,
    sort_columns_of,
    stored_columns,
)

BLANK = Offer(id=1, hash="5" * 24, advertiser_id="a" * 24, title="T", url="u", created_at=1, updated_at=1)


def edited(before: Offer, **written: Any) -> Offer:
    numbers = count(1)
    making = NewPartDefaults(currency="USD", new_id=lambda: f"new{next(numbers)}")
    return replace(before, **changed_fields(before, written, making))


def tier(id: str, **fields: Any) -> Tier:
    given: dict[str, Any] = {
        "timeframe": "day", "type": "conversions", "value": Decimal(10), "modifier_type": "by_fix",
        "modifier_value": Decimal(1),
    }  # fmt: skip
    return Tier(id=id, **given | fields)


def cap(id: str, **fields: Any) -> Cap:
    given: dict[str, Any] = {"period": "day", "type": "conversions", "value": Decimal(5)}
    return Cap(id=id, **given | fields)


def test_offer_edit_lists_differing_fields_only() -> None:
    making = NewPartDefaults(currency="USD", new_id=str)
    assert changed_fields(BLANK, {"title": "T", "notes": "N", "tags": ()}, making) == {"notes": "N"}


@pytest.mark.parametrize(
    ("change", "keeps"),
    [
        ({}, True),
        ({"value": Decimal(20)}, True),
        ({"modifier_value": Decimal(2)}, True),
        ({"value": Decimal(20), "modifier_value": Decimal(2)}, True),
        ({"timeframe": "week"}, False),
        ({"type": "budget"}, False),
        ({"modifier_type": "by_percent"}, False),
        ({"modifier_payment_type": "total"}, False),
        ({"goals": ("1",)}, False),
        ({"target_goals": ("1",)}, False),
        ({"affiliate_type": "all"}, False),
        ({"countries": ("US",)}, False),
        ({"conversion_status": ("hold",)}, False),
    ],
)
def test_offer_edit_tier_keeps_id_while_only_values_change(change: dict[str, Any], keeps: bool) -> None:
    before = replace(BLANK, commission_tiers=(tier("t1"),))
    after = edited(before, commission_tiers=(tier("", **change),))
    assert [each.id for each in after.commission_tiers] == (["t1"] if keeps else ["new1"])


def test_offer_edit_tiers_replaced_keep_each_id_once() -> None:
    ladder = (tier("t1"), tier("t2", value=Decimal(20)))
    before = replace(BLANK, commission_tiers=ladder)
    turned = edited(before, commission_tiers=(tier("", value=Decimal(20)), tier(""), tier("", value=Decimal(30))))
    assert [(each.id, int(each.value)) for each in turned.commission_tiers] == [("t2", 20), ("t1", 10), ("new1", 30)]
    assert [each.id for each in edited(before, commission_tiers=(tier("", value=Decimal(7)),)).commission_tiers] == [
        "t1"
    ]
    assert edited(before, commission_tiers=()).commission_tiers == ()


def test_offer_edit_cap_keeps_id_while_only_value_changes() -> None:
    before = replace(BLANK, caps=(cap("c1"), cap("c2", period="all")))
    after = edited(before, caps=(cap("", period="all", value=Decimal(9)), cap("", period="month")))
    assert [(each.id, each.period) for each in after.caps] == [("c2", "all"), ("new1", "month")]


def page(number: int, url: str, title: str = "L") -> Landing:
    return Landing(id=number, title=title, url=url, url_preview="p")


def test_offer_edit_landing_keeps_number_and_none_is_reused() -> None:
    first = edited(BLANK, landings=(page(0, "a"), page(0, "b", "M")))
    assert [(each.id, each.url) for each in first.landings] == [(1, "a"), (2, "b")]
    moved = edited(first, landings=(page(0, "b2", "M"), page(0, "a", "New")))
    assert [(each.id, each.url) for each in moved.landings] == [(2, "b2"), (1, "a")]
    fewer = edited(moved, landings=(page(0, "a", "New"),))
    assert [each.id for each in edited(fewer, landings=(page(0, "a", "New"), page(0, "c", "C"))).landings] == [1, 3]
    assert edited(replace(BLANK, last_number=7), landings=(page(0, "a"),)).landings[0].id == 8


def test_offer_edit_payment_keeps_unsent_fields_for_same_goal() -> None:
    stored_ = OfferPayment(goal="1", total=Decimal(9), currency="EUR", countries=("US",), os=("iOS",))
    before = replace(BLANK, payments=(stored_,))
    assert edited(before, payments=({"revenue": Decimal(4)},)).payments == (replace(stored_, revenue=Decimal(4)),)
    assert edited(before, payments=({"goal": "1", "countries": ()},)).payments == (replace(stored_, countries=()),)
    assert edited(before, payments=({"goal": "sale"},)).payments == (OfferPayment(goal="sale", currency="USD"),)
    assert edited(before, payments=({}, {"total": Decimal(1)})).payments == (
        stored_, OfferPayment(total=Decimal(1), currency="USD"),
    )  # fmt: skip
    assert edited(before, payments=()).payments == ()


def test_offer_edit_texts_are_merged_by_language() -> None:
    before = replace(BLANK, description_lang={"en": "E", "ru": "R"})
    after = edited(before, description_lang={"en": "", "es": "S"})
    assert after.description_lang == {"ru": "R", "es": "S"}
    assert edited(before, description_lang={}).description_lang == {}


def test_offer_edit_schedule_keeps_unsent_fields() -> None:
    before = replace(BLANK, schedule=OfferSchedule(enabled=True, date_to="2024-01-01", timezone="UTC"))
    assert edited(before, schedule={"enabled": False}).schedule == OfferSchedule(date_to="2024-01-01", timezone="UTC")
    assert edited(before, schedule=None).schedule is None
    assert field_errors(before, {"schedule": {"date_start": "2024-01-02"}}) == [
        ("schedule[date_to]", "This value must not be before date_start.")
    ]


@pytest.mark.parametrize(
    ("sent", "redirect"),
    [
        ({"hide_referer": True}, "http302hidden"),
        ({"hide_referer": False}, "js"),
        ({"hide_referer": True, "redirect_type": "meta"}, "meta"),
        ({"redirect_type": "meta", "hide_referer": True}, "meta"),
    ],
)
def test_offer_edit_hide_referer_sets_redirect_type_unless_sent(sent: dict[str, Any], redirect: str) -> None:
    assert edited(replace(BLANK, redirect_type="js"), **sent).redirect_type == redirect


def test_offer_edit_hide_referer_off_restores_redirect_type() -> None:
    assert edited(replace(BLANK, redirect_type="http302hidden"), hide_referer=False).redirect_type == "http302"


def test_offer_edit_sub_accounts_are_merged() -> None:
    before = replace(BLANK, sub_accounts={"1": SubAccountList(values=("a",), exclude=True)})
    assert edited(before, sub_accounts={"2": {"values": ("b",)}}).sub_accounts == {
        "1": SubAccountList(values=("a",), exclude=True), "2": SubAccountList(values=("b",)),
    }  # fmt: skip
    assert edited(before, sub_accounts={"1": {"values": ("c",)}}).sub_accounts == {"1": SubAccountList(values=("c",))}
    assert edited(before, sub_accounts={"1": {"values": ()}}).sub_accounts == {}
    assert field_errors(before, {"sub_accounts": {"1": {"exclude": True}, "2": {"exclude": False}}}) == []
    wrong = {"1": {"exclude": False}, "2": {"exclude": True}}
    names = [name for name, _ in field_errors(before, {"sub_accounts": wrong})]
    assert names == ["sub_account_1_except", "sub_account_2_except"]


@pytest.mark.parametrize(
    ("change", "seen"),
    [
        ({"notes": "x"}, False),
        ({"title": "x"}, True),
        ({"payments": (OfferPayment(currency="USD"),)}, False),  # which has an event of its own
        ({"caps": (cap("c"),)}, True),
        ({"caps": (cap("c"),), "hide_caps": True}, False),
    ],
)
def test_offer_edit_visible_to_affiliates_is_detected(change: dict[str, Any], seen: bool) -> None:
    assert is_visible_change(BLANK, replace(BLANK, **change)) is seen


def test_offer_sort_keys_derive_from_payments_and_caps() -> None:
    payments = tuple(OfferPayment(currency="USD", revenue=Decimal(amount)) for amount in (3, 8, 5))
    caps = (cap("1"), cap("2", value=Decimal(3)), cap("3", type="clicks", value=Decimal(1)), cap("4", period="all"))
    assert sort_columns_of(replace(BLANK, payments=payments, caps=caps)) == {
        "top_payout": 8,
        "day_cap": 3,
        "total_cap": 5,
    }
    assert sort_columns_of(BLANK) == {"top_payout": 0, "day_cap": None, "total_cap": None}


@pytest.mark.parametrize(
    ("restricted", "groups", "systems"),
    [
        ((), (), set()),
        (("iOS",), (), {"ios"}),
        ((), (("iOS",), ("Android",)), {"ios", "android"}),
        ((), (("iOS",), ()), set()),
        (("iOS", "Windows"), (("iOS", "Android"),), {"ios"}),
    ],
)
def test_offer_os_labels_derive_from_targeting(
    restricted: tuple[str, ...], groups: tuple[tuple[str, ...], ...], systems: set[str]
) -> None:
    targeting = tuple(TargetingGroup(os=tuple(OsVersion(name=name) for name in names)) for names in groups)
    offer = replace(BLANK, restriction_os=tuple(RestrictedOs(os=name) for name in restricted), targeting=targeting)
    assert operating_systems_of(offer) == systems
    assert {value for kind, value in labels_of(offer) if kind == "os"} == systems


def test_offer_round_trips_through_storage() -> None:
    group = TargetingGroup(os=(OsVersion(name="iOS"),), isp={"US": ("A",)})
    whole = edited(
        BLANK, targeting=(group,), commission_tiers=(tier(""),), caps=(cap(""),), landings=(page(0, "a"),),
        payments=({"total": Decimal("1.5")},), sub_accounts={"1": {"values": ("a",)}}, schedule={"enabled": True},
    )  # fmt: skip
    row = stored_columns({name: getattr(whole, name) for name in Offer.__struct_fields__})
    assert offer_of(row) == whole


def at(before: Offer, now_ms: int, *tiers: Tier) -> Offer:
    numbers = count(1)
    making = NewPartDefaults(currency="USD", new_id=lambda: f"at{now_ms}-{next(numbers)}", now_ms=now_ms)
    return replace(before, **changed_fields(before, {"commission_tiers": tiers}, making))


@pytest.mark.parametrize(
    ("change", "since"),
    [({"value": Decimal(20), "modifier_value": Decimal(2)}, 5), ({"timeframe": "week"}, 9), ({"goals": ("1",)}, 9)],
)
def test_tier_edited_beyond_its_values_counts_from_edit(change: dict[str, Any], since: int) -> None:
    made = at(BLANK, 5, tier(""))
    [after] = at(made, 9, tier("", **change)).commission_tiers
    assert after.since == since


def test_tier_removed_and_added_again_counts_from_addition() -> None:
    again = at(at(at(BLANK, 5, tier("")), 7), 9, tier(""))
    assert [(each.id, each.since) for each in again.commission_tiers] == [("at9-1", 9)]


def test_tier_step_added_to_ladder_shares_its_counters() -> None:
    made = at(BLANK, 5, tier(""))
    more = at(made, 9, tier("", value=Decimal(20)), tier(""), tier("", timeframe="all"))
    assert [(int(each.value), each.since) for each in more.commission_tiers] == [(20, 5), (10, 5), (10, 9)]
