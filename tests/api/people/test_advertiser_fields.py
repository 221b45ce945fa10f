"""The newer fields of advertisers and what they change (docs/spec/people.md#advertisers)."""

from decimal import Decimal
from typing import Any

import pytest

from tests.api.statistics.test_exports import csv_rows
from tests.support.api import Api
from tests.support.client import ApiClient
from tests.support.models.history import add_conversion
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.roles import Role
from trackyard.domain.tracking.ruleset import RulesetAdvertiser
from trackyard.domain.tracking.subs import encrypted_sub
from trackyard.store.tracking import rulesets

PERIOD = {"date_from": "2023-11-14", "date_to": "2023-11-17"}


def edit(api: Api, advertiser: str, **params: Any) -> dict[str, Any]:
    changed: dict[str, Any] = api.admin.post(f"/3.0/admin/advertiser/{advertiser}", **params)["advertiser"]
    return changed


def live_offers(affiliate: ApiClient) -> set[int]:
    return {offer["id"] for offer in affiliate.get("/3.0/partner/live-offers")["offers"]}


def ruleset_row(api: Api, advertiser: str) -> RulesetAdvertiser:
    with api.deps.database.read() as conn:
        row = rulesets.compile_row(conn, "advertiser", advertiser)
    assert isinstance(row, RulesetAdvertiser)
    return row


def test_enabled_affiliates_alone_may_use_the_offers_of_an_advertiser(api: Api) -> None:
    advertiser = api.add_advertiser()
    mine, other = api.add_offer(advertiser=advertiser, privacy="public"), api.add_offer(privacy="public")
    (first, chosen), (second, refused) = api.add_affiliate(name="Ann"), api.add_affiliate()
    changed = edit(api, advertiser, **{"affiliates_enabled[]": [first]})
    assert changed["affiliates_enabled"] == [{"id": first, "name": "Ann"}]
    assert changed["affiliates_disabled"] == []
    assert (live_offers(chosen), live_offers(refused)) == ({mine, other}, {other})
    assert (ruleset_row(api, advertiser).enabled, ruleset_row(api, advertiser).blacklist) == (
        frozenset({first}),
        frozenset(),
    )
    checked = api.admin.post("/3.1/admin/click-check", **{"params[offer_id]": mine, "params[pid]": second})["check"]
    assert (checked["reason"], checked["detail"]) == ("disabled-affiliate", "not enabled by the advertiser")
    edit(api, advertiser, affiliates_enabled="")
    assert live_offers(refused) == {mine, other}


def test_encrypted_subs_of_an_advertiser_are_codes_in_targets_of_clicks(api: Api) -> None:
    advertiser, (pid, _) = api.add_advertiser(subaccounts_encryption=1), api.add_affiliate()
    offer = api.add_offer(advertiser=advertiser, privacy="public", url="https://shop.example/{sub1}")
    key = ruleset_row(api, advertiser).subs_key
    params = {"params[offer_id]": offer, "params[pid]": pid, "params[sub1]": "news"}

    def target() -> str:
        return str(api.admin.post("/3.1/admin/click-check", **params)["check"]["target"])

    assert target() == f"https://shop.example/{encrypted_sub('news', key, pid)}"
    edit(api, advertiser, subaccounts_encryption=0)
    assert target() == "https://shop.example/news"


def test_disabled_affiliates_are_the_blacklist_and_leave_the_other_list(api: Api) -> None:
    advertiser = api.add_advertiser()
    (first, _), (second, _) = api.add_affiliate(), api.add_affiliate()
    edit(api, advertiser, **{"affiliates_enabled[]": [first, second]})
    changed = edit(api, advertiser, **{"affiliates_disabled[]": [second]})
    assert [[each["id"] for each in changed[f"affiliates_{name}"]] for name in ("enabled", "disabled")] == [
        [first],
        [second],
    ]
    assert ruleset_row(api, advertiser).blacklist == {second}
    api.admin.post("/3.0/admin/advertiser/disable-affiliate", advertisers_id=advertiser, pid=first)
    assert ruleset_row(api, advertiser) == RulesetAdvertiser(id=advertiser, blacklist=frozenset({first, second}))


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        ({"affiliates_enabled[]": [999]}, "affiliates_enabled"),
        ({"affiliates_enabled[]": [1], "affiliates_disabled[]": [1]}, "affiliates_disabled"),
        ({"custom_fields[99]": "x"}, "custom_fields[99]"),
        ({"host_uniqueness_time_frame": 49}, "host_uniqueness_time_frame"),
    ],
)
def test_advertiser_field_that_is_wrong_changes_nothing(api: Api, sent: dict[str, Any], name: str) -> None:
    assert api.add_affiliate()[0] == 1
    advertiser = api.add_advertiser()
    before = api.admin.get(f"/3.0/admin/advertiser/{advertiser}")
    assert api.admin.refusal("POST", f"/3.0/admin/advertiser/{advertiser}", data=sent) == (400, [name])
    assert api.admin.get(f"/3.0/admin/advertiser/{advertiser}") == before


def test_listed_affiliate_has_no_name_for_staff_who_may_not_read_it(api: Api) -> None:
    advertiser = api.add_advertiser()
    pid, _ = api.add_affiliate(name="Ann")
    edit(api, advertiser, **{"affiliates_disabled[]": [pid]})
    _, supplier = api.add_staff(Role.SECTION_SUPPLIER)
    shown = supplier.get(f"/3.0/admin/advertiser/{advertiser}")["advertiser"]
    assert shown["affiliates_disabled"] == [{"id": pid, "name": ""}]


def test_custom_fields_of_an_advertiser_change_one_by_one(api: Api) -> None:
    first, second = (
        api.admin.post("/3.1/admin/custom_fields", name=name, type="text")["field"]["id"] for name in ("Skype", "Team")
    )
    advertiser = api.add_advertiser(
        **{f"custom_fields[{first}]": "ann", f"custom_fields[{second}]": "b", "host_uniqueness_time_frame": 24}
    )
    changed = edit(api, advertiser, **{f"custom_fields[{second}]": ""})
    assert (changed["custom_fields"], changed["host_uniqueness_time_frame"]) == ({str(first): "ann"}, 24)


def test_hidden_status_of_conversions_is_pending_for_affiliates_only(api: Api) -> None:
    hiding, open_one = api.add_advertiser(hide_conversion_status=1), api.add_advertiser()
    offers = {each: api.add_offer(advertiser=each) for each in (hiding, open_one)}
    pid, affiliate = api.add_affiliate()
    for number, advertiser in ((1, hiding), (2, open_one)):
        of: dict[str, Any] = {"offer_id": offers[advertiser], "affiliate_id": pid, "advertiser_id": advertiser}
        add_conversion(api.deps, number, **of, status=Status.DECLINED, comment="fraud", payout=Decimal(1))

    def listed(caller: ApiClient, **filters: Any) -> list[tuple[str, str]]:
        found = caller.get("/3.1/stats/conversions", **PERIOD, **filters)["conversions"]
        return [(each["status"], each["comment"]) for each in found]

    shown, hidden = ("declined", "fraud"), ("pending", "")
    assert listed(affiliate) == [shown, hidden]
    assert listed(api.admin) == [shown, shown]
    assert (listed(affiliate, status=3), listed(affiliate, status=2)) == ([shown], [hidden])
    assert listed(affiliate, decline_reason="fraud") == listed(affiliate, comment="fraud") == [shown]
    rows = csv_rows(affiliate, "/3.1/stats/conversions", **PERIOD)
    assert [(row["status"], row["comment"]) for row in rows] == [shown, hidden]
    of_hiding = affiliate.get("/3.1/stats/conversions", **PERIOD, offer=offers[hiding])["conversions"][0]["id"]
    assert affiliate.get("/3.1/stats/conversionsbyid", id=of_hiding)["conversion"]["status"] == 2
