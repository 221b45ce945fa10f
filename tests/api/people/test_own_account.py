"""An affiliate's own account: its record, its permissions, a new key, signing up."""

from decimal import Decimal
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.client import ApiClient
from trackyard.actions.people.credentials import WINDOW_MS
from trackyard.api.catalogue import CATALOGUE
from trackyard.domain.money.ledger import LedgerEntry
from trackyard.domain.people.permissions import FEATURES, denied_features, shown_name
from trackyard.domain.people.roles import Role
from trackyard.store.money import ledger

DAY = {"filter[date_from]": "2023-11-15", "filter[date_to]": "2023-11-15"}
SPAN = {"date_from": "2023-11-15", "date_to": "2023-11-15"}
NEW = {"email": "Ann@Affiliate.example", "password": "long enough for all"}


def test_own_record_shows_stored_fields(api: Api) -> None:
    manager, _ = api.add_staff(Role.MANAGER_AFFILIATE)
    pid, client = api.add_affiliate(email="ann@affiliate.example", manager_id=manager, city="Riga", company="Ads")
    entries = [
        LedgerEntry(
            affiliate_id=pid, kind="conversion", source_id=currency, version=1, currency=currency, hold=Decimal(3),
            available=Decimal(available), at=api.clock.now_ms(),
        )
        for currency, available in (("USD", "4.5"), ("EUR", "0"))
    ]  # fmt: skip
    with api.deps.database.write() as conn:
        ledger.add_entries(conn, entries)
    user = client.get("/3.1/partner/me")["user"]
    shown = api.admin.get(f"/3.0/admin/partner/{pid}")["partner"]
    assert (user["partner_id"], user["id"], user["api_key"]) == (pid, str(pid), shown["api_key"])
    sums = {name: value for name, value in user.items() if name.startswith(("balance_", "hold_", "available_"))}
    assert sums == {
        "balance_usd": "7.5", "hold_usd": "3", "available_usd": "4.5",
        "balance_eur": "3", "hold_eur": "3", "available_eur": "0",
        "balance_ru": "0", "hold_ru": "0", "available_ru": "0",
    }  # fmt: skip
    assert user["manager"]["name"] == "Mia Manager"
    assert set(user["manager"]) == {"name", "email", "skype", "work_hours"}
    same = ("email", "login", "name", "company", "city", "status", "sub_accounts", "created_at", "updated_at")
    assert {name: user[name] for name in same} == {name: shown[name] for name in same}
    assert (user["last_login_at"], user["needAcceptTerms"], user["timezone"]) == ("", False, "UTC")
    assert len(user["postback_secret"]) == 40
    api.admin.post("/3.1/auth", login="ann@affiliate.example", password="long-enough")
    assert client.get("/3.1/partner/me")["user"]["last_login_at"] == "2023-11-14 22:13:20"


def test_own_record_has_legacy_field_names(api: Api) -> None:
    asked = {"lang_label": "Wire", "fields[0][lang_label]": "IBAN", "fields[1][lang_label]": "BIC"}
    wire = api.admin.post("/3.1/admin/payment_systems", **asked)["payment_system"]
    pid, client = api.add_affiliate(level=3, notes="pays late", contactPerson="Ann")
    user = client.get("/3.1/partner/me")["user"]
    named = ("ref", "notes", "pay_acc", "level", "contact_person", "last_login_at")
    assert [user[name] for name in named] == ["0", "", "", "3", "Ann", ""]
    name = "payment_systems[0]"
    account = {f"{name}[system_id]": wire["id"], f"{name}[fields][2]": "x", f"{name}[fields][1]": "EE12"}
    api.admin.post(f"/3.0/admin/partner/{pid}", **account)
    assert client.get("/3.1/partner/me")["user"]["pay_acc"] == "EE12"


def test_permission_tree_has_every_area_and_feature(api: Api) -> None:
    _, client = api.add_affiliate()
    tree = client.get("/3.1/partner/me")["user"]["permissions"]
    assert set(tree) == {"automation", "general", "notificator", "stats", "users"}
    levels = {f"{area}.{name}": node["level"] for area, features in tree.items() for name, node in features.items()}
    assert levels == {shown_name(feature): level for feature, level in FEATURES.items()}
    assert not [node for features in tree.values() for node in features.values() if "default_level" in node]


def tree_param(feature: str, level: str) -> dict[str, str]:
    area, _, name = feature.partition(".")
    return {f"permissions[{area}][{name}][level]": level}


def slices(*names: str) -> dict[str, Any]:
    return DAY | {"slice[]": list(names)}


CALLS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "stats.slice-day": [("getbydate", DAY), ("getbypartnerbydate", DAY), ("custom", slices("hour", "day"))],
    "stats.slice-country": [("getbycountries", DAY), ("custom", slices("country"))],
    "stats.slice-os": [("getbyos", DAY), ("getbyversions", DAY), ("custom", slices("os_version"))],
    "stats.slice-offer_id": [("getbyprogram", DAY), ("custom", slices("offer"))],
    "stats.slice-sub1": [("getbysub", DAY | {"filter[offer]": "1"}), ("custom", slices("sub1"))],
    "stats.slice-sub2": [("find-subs", {"sub2": "a"})],
    "stats.slice-goal": [("getbygoal", DAY)],
    "stats.slice-connection-type": [("getbyconnectiontype", DAY)],
    "stats.slice-mobile-carrier": [("getbymobilecarrier", DAY)],
    "stats.slice-affiliate_manager_id": [("getbyaffiliatemanager", DAY)],
    "stats.referral": [("getreferralpayments", {"date_from": "15-11-2023", "date_to": "15-11-2023"})],
    "stats.view-retention-rate": [("retentionrate", SPAN | {"offer": "1", "base_event": "install", "events": "sale"})],
    "stats.view-custom": [("custom", slices("month"))],
    "stats.clicks-list": [("clicks", SPAN)],
    "stats.conversions-list": [("conversions", SPAN)],
    "stats.affiliate-postback": [("affiliatepostbacks", SPAN)],
}
"""Feature → calls that need it."""


@pytest.mark.parametrize("feature", CALLS)
def test_permission_denied_is_403_naming_the_feature(api: Api, feature: str) -> None:
    pid, client = api.add_affiliate()
    _, other = api.add_affiliate()

    def statuses(of: ApiClient) -> list[tuple[int, str]]:
        answers = [of.call("GET", f"/3.1/stats/{path}", params=params) for path, params in CALLS[feature]]
        return [(each.status_code, "" if each.status_code == 200 else each.json()["code"]) for each in answers]

    allowed, refused = [(200, "")] * len(CALLS[feature]), [(403, feature)] * len(CALLS[feature])
    assert statuses(client) == allowed
    tree = api.admin.post(f"/3.1/user/{pid}/permissions", **tree_param(feature, "deny"))["permissions"]["permissions"]
    area, _, name = feature.partition(".")
    assert tree[area][name] == {"level": "deny", "default_level": "read"}
    assert (statuses(client), statuses(other)) == (refused, allowed)
    assert client.get("/3.1/partner/me")["user"]["permissions"] == tree
    assert statuses(api.admin) == allowed, "staff are not affiliates"
    api.admin.post(f"/3.1/user/{pid}/permissions", **tree_param(feature, "default"))
    assert statuses(client) == allowed


def test_permission_is_checked_before_parameters(api: Api) -> None:
    pid, client = api.add_affiliate()
    api.admin.post(f"/3.1/user/{pid}/permissions", **tree_param("stats.slice-day", "deny"))
    assert client.call("GET", "/3.1/stats/getbydate").status_code == 403


def test_permission_for_rejection_reason_can_be_granted(api: Api) -> None:
    pid, client = api.add_affiliate()
    calls = [("/3.1/stats/getbytrafficback", DAY), ("/3.1/stats/custom", slices("trafficback_reason"))]
    for path, params in calls:
        assert client.refusal("GET", path, params=params) == (403, "stats.slice-trafficback_reason")
    api.admin.post(f"/3.1/user/{pid}/permissions", **tree_param("stats.slice-trafficback_reason", "read"))
    assert [client.call("GET", path, params=params).status_code for path, params in calls] == [200, 200]


def test_permission_default_for_all_is_overridden_per_affiliate(api: Api) -> None:
    pid, client = api.add_affiliate()
    _, other = api.add_affiliate()
    api.admin.post(f"/3.1/user/{pid}/permissions", **tree_param("stats.slice-day", "read"))
    assert api.admin.get("/3.1/user/permissions")["permissions"]["stats"]["slice-day"] == {"level": "read"}
    changed = api.admin.post("/3.1/user/permissions", **tree_param("stats.slice-day", "deny"))["permissions"]
    assert changed["stats"]["slice-day"] == {"level": "deny"}
    assert api.admin.get("/3.1/user/permissions")["permissions"] == changed
    codes = [each.call("GET", "/3.1/stats/getbydate", params=DAY).status_code for each in (client, other)]
    assert codes == [200, 403]
    own = client.get("/3.1/partner/me")["user"]["permissions"]["stats"]["slice-day"]
    assert own == {"level": "read", "default_level": "deny"}
    api.admin.post("/3.1/user/permissions", **tree_param("stats.slice-day", "default"))
    assert other.call("GET", "/3.1/stats/getbydate", params=DAY).status_code == 200


@pytest.mark.parametrize("path", ["/3.1/user/1/permissions", "/3.1/user/permissions"])
def test_permission_edit_with_unknown_name_is_rejected(api: Api, path: str) -> None:
    api.add_affiliate()
    for params, field in (
        (tree_param("stats.slice-moon", "deny"), "permissions[stats][slice-moon]"),
        (tree_param("stats.slice-day", "perhaps"), "permissions[stats][slice-day][level]"),
        ({}, "permissions"),
    ):
        assert api.admin.refusal("POST", path, data=params) == (400, [field])
    assert (
        api.admin.call("POST", "/3.1/user/99/permissions", data=tree_param("stats.slice-day", "deny")).status_code
        == 404
    )


def test_permission_exists_for_every_feature_methods_need() -> None:
    needed = {feature for endpoint in CATALOGUE for feature in endpoint.features}
    assert needed <= set(FEATURES)
    assert denied_features(dict.fromkeys(needed, "deny"), {}) >= needed
    assert not denied_features(dict.fromkeys(FEATURES, "deny"), dict.fromkeys(FEATURES, "write"))


def test_affiliate_new_key_replaces_old_key_at_once(api: Api) -> None:
    pid, client = api.add_affiliate(email="ann@affiliate.example")
    session = api.admin.post("/3.1/auth", login="ann@affiliate.example", password="long-enough")["api_key"]
    user = client.post("/3.1/partner/api_key")["user"]
    assert (user["id"], len(user["api_key"])) == (str(pid), 40)
    assert client.call("GET", "/3.1/partner/me").status_code == 401
    assert api.admin.with_key(session).call("GET", "/3.1/partner/me").status_code == 401
    assert api.admin.with_key(user["api_key"]).get("/3.1/partner/me")["user"]["api_key"] == user["api_key"]


def sign_up(api: Api, **params: Any) -> Any:
    return api.admin.with_key(None).call("POST", "/3.1/partner", data=NEW | params)


def test_sign_up_waits_for_moderation(api: Api) -> None:
    referrer, _ = api.add_affiliate()
    user = sign_up(api, login="ann", name="Ann", ref=referrer).json()["user"]
    pid = user["partner_id"]
    assert (user["email"], user["login"], user["status"]) == ("ann@affiliate.example", "ann", "on moderation")
    client = api.admin.with_key(user["api_key"])
    assert client.call("GET", "/3.1/partner/me").status_code == 401
    login = {"login": "ann", "password": NEW["password"]}
    assert api.admin.call("POST", "/3.1/auth", data=login).status_code == 401
    shown = api.admin.get(f"/3.0/admin/partner/{pid}")["partner"]
    assert (shown["ref"], shown["name"], shown["manager"], shown["level"]) == (str(referrer), "Ann", None, 0)
    api.admin.post(f"/3.0/admin/partner/{pid}", status="active")
    assert client.get("/3.1/partner/me")["user"]["partner_id"] == pid
    assert api.admin.call("POST", "/3.1/auth", data=login).status_code == 200


def test_sign_up_ignores_staff_parameters(api: Api) -> None:
    answer = sign_up(api, status="active", level="9", ref_percent="50", notes="VIP")
    assert answer.headers["x-ignored-parameters"] == "level,notes,ref_percent,status"
    assert answer.json()["user"]["status"] == "on moderation"


def test_sign_up_requires_custom_fields(api: Api) -> None:
    size = api.admin.post("/3.1/admin/custom_fields", name="Size", required=1)["field"]["id"]
    name = f"custom_fields[{size}]"
    for params, field in (({}, name), ({name: " "}, name), ({"custom_fields[Shape]": "x"}, "custom_fields[Shape]")):
        refused = sign_up(api, **params)
        assert refused.status_code == 400
        assert field in refused.json()["fields"]
    pid = sign_up(api, **{"custom_fields[Size]": "9"}).json()["user"]["partner_id"]
    answer = api.admin.get(f"/3.0/admin/partner/{pid}")["partner"]["customFields"]
    assert answer == [{"id": size, "name": "Size", "value": "9", "label": "9"}]


@pytest.mark.parametrize(
    ("params", "status", "field"),
    [
        ({"email": "no address"}, 400, "email"),
        ({"password": "four"}, 400, "password"),
        ({"ref": "99"}, 400, "ref"),
        ({"payment_systems[0][system_id]": "9"}, 400, "payment_systems[0][system_id]"),
    ],
)
def test_sign_up_with_invalid_value_is_rejected(api: Api, params: dict[str, str], status: int, field: str) -> None:
    refused = sign_up(api, **params)
    assert (refused.status_code, list(refused.json()["fields"])) == (status, [field])
    assert api.admin.get("/3.0/admin/partners")["pagination"]["total_count"] == 0


def test_sign_up_is_limited_per_address(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trackyard.actions.people.sign_up.sign_ups.SIGN_UPS_PER_NETWORK", 3)
    for number in range(2):
        assert sign_up(api, email=f"{number}@affiliate.example").status_code == 200
    assert sign_up(api, email="0@affiliate.example").status_code == 200, "tries in vain are counted too"
    refused = sign_up(api)
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_requests")
    assert int(refused.headers["retry-after"]) == WINDOW_MS // 1000
    api.clock.advance(WINDOW_MS)
    assert sign_up(api).status_code == 200


NEEDED = {
    "stats.clicks": "stats.clicks-list",
    "stats.conversions": "stats.conversions-list",
    "stats.conversionsbyid": "stats.conversions-list",
    "stats.affiliatepostbacks": "stats.affiliate-postback",
    "stats.getbyaffiliatemanager": "stats.slice-affiliate_manager_id",
    "stats.getreferralpayments": "stats.referral",
    "stats.retentionrate": "stats.view-retention-rate",
}
"""Method → the feature that names it."""


@pytest.mark.parametrize("endpoint", [each for each in CATALOGUE if each.id in NEEDED], ids=lambda each: each.id)
def test_endpoint_needs_the_feature_named_after_it(endpoint: Any) -> None:
    assert endpoint.features == (NEEDED[endpoint.id],)


@pytest.mark.parametrize("email", ["a@=?utf-8?q?x=0Abcc:_v=40example.org=0A=0AHello?=", "a@[bad", "a\x01b@x.example"])
def test_sign_up_with_address_that_changes_mails_is_400(api: Api, email: str) -> None:
    refused = sign_up(api, email=email)
    assert refused.status_code == 400
    assert refused.json()["fields"].keys() == {"email"}
