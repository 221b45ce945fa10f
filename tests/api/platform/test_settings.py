"""Settings that are changed at run time, and the audit log of what staff change."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.pages import staff_visitor
from trackyard.actions.conversions.postback_codes import store_postback_code
from trackyard.actions.platform.settings import get_settings
from trackyard.domain.money.exchange_rates import BankRate
from trackyard.domain.people.roles import Role
from trackyard.domain.tracking.ruleset import RulesetPlatform
from trackyard.store.money import reference_rates
from trackyard.store.platform import personal_data, settings
from trackyard.store.tracking import rulesets

NONE = {"trafficback_url": "", "hash_password": "", "mail_from": "", "smtp_url": "", "refuse_bots": True} | {
    "statistics_revenue": "advertiser", "statistics_rows": "full", "affiliate_imports": "pending",
    "show_decline_reasons": True,
}  # fmt: skip


def test_settings_are_shown_edited_and_validated(api: Api) -> None:
    assert api.admin.get("/3.1/admin/settings")["settings"] == NONE
    edited = api.admin.post("/3.1/admin/settings", trafficback_url="https://back.example/", hash_password="code")
    assert edited["settings"] == NONE | {"trafficback_url": "https://back.example/", "hash_password": "code"}
    with api.deps.database.read() as conn:
        assert rulesets.compile_row(conn, "platform", rulesets.PLATFORM_KEY) == RulesetPlatform("https://back.example/")
        assert settings.find_setting(conn, settings.HASH_PASSWORD) == "code"
        before = rulesets.ruleset_version(conn)
    kept = api.admin.post("/3.1/admin/settings", trafficback_url="")["settings"]
    assert kept == NONE | {"hash_password": "code"}
    with api.deps.database.read() as conn:
        assert rulesets.compile_row(conn, "platform", rulesets.PLATFORM_KEY) == RulesetPlatform("")
        assert rulesets.ruleset_version(conn) == before + 1
    refused = api.admin.call("POST", "/3.1/admin/settings", data={"trafficback_url": "no url", "hash_password": "x"})
    assert refused.status_code == 400
    assert api.admin.get("/3.1/admin/settings")["settings"]["hash_password"] == "code"


def test_settings_keep_the_code_that_the_start_requires(api: Api) -> None:
    def refusal(code: str) -> str:
        refused = api.admin.call("POST", "/3.1/admin/settings", data={"hash_password": code})
        assert refused.status_code == 400
        [sentence] = refused.json()["fields"]["hash_password"]
        return str(sentence)

    store_postback_code(api.deps.database, "generate")
    for weak in ("", "short", "a" * 40):
        assert "at least 22 random characters" in refusal(weak)
    own = "0f9d8c7b6a5e4d3c2b1a0f"
    assert api.admin.post("/3.1/admin/settings", hash_password=own)["settings"]["hash_password"] == own
    store_postback_code(api.deps.database, "the-code-of-the-setting")
    for other in ("", own):
        assert "TRACKYARD_POSTBACK_CODE" in refusal(other)
    store_postback_code(api.deps.database, "none")
    assert api.admin.post("/3.1/admin/settings", hash_password="code")["settings"]["hash_password"] == "code"
    assert api.admin.post("/3.1/admin/settings", hash_password="")["settings"]["hash_password"] == ""


def test_setting_refuse_bots_is_compiled_into_ruleset(api: Api) -> None:
    def compiled() -> tuple[bool, int]:
        with api.deps.database.read() as conn:
            row = rulesets.compile_row(conn, "platform", rulesets.PLATFORM_KEY)
            assert isinstance(row, RulesetPlatform)
            return row.refuse_bots, rulesets.ruleset_version(conn)

    refusing, version = compiled()
    assert refusing
    assert api.admin.post("/3.1/admin/settings", refuse_bots=0)["settings"] == NONE | {"refuse_bots": False}
    assert compiled() == (False, version + 1)
    shown = api.admin.post("/3.1/admin/settings", refuse_bots=0, hash_password="code")["settings"]
    assert (
        shown
        == NONE | {"refuse_bots": False, "hash_password": "code"}
        == api.admin.get("/3.1/admin/settings")["settings"]
    )
    assert compiled() == (False, version + 1)
    assert api.admin.post("/3.1/admin/settings", refuse_bots=1)["settings"]["refuse_bots"] is True
    assert compiled() == (True, version + 2)
    refused = api.admin.call("POST", "/3.1/admin/settings", data={"refuse_bots": "maybe"})
    assert refused.status_code == 400 and refused.json()["fields"] == {"refuse_bots": ["This value must be 0 or 1."]}


def test_setting_smtp_password_is_masked_and_kept(api: Api) -> None:
    url = "smtp://me:quite-secret@mail.example:587"
    shown = api.admin.post("/3.1/admin/settings", smtp_url=url, mail_from="Shop <a@shop.example>")["settings"]
    assert (shown["smtp_url"], shown["mail_from"]) == ("smtp://me:***@mail.example:587", "Shop <a@shop.example>")
    api.admin.post("/3.1/admin/settings", **shown)
    assert get_settings(api.deps).smtp_url == url
    with api.deps.database.read() as conn:
        assert "quite-secret" not in str(settings.find_setting(conn, settings.SMTP_URL))
    assert "quite-secret" not in str(log(api))
    assert api.admin.post("/3.1/admin/settings", smtp_url="smtps://mail.example")["settings"]["smtp_url"] == (
        "smtps://mail.example"
    )
    assert api.admin.post("/3.1/admin/settings", smtp_url="")["settings"]["smtp_url"] == ""


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("smtp_url", "http://mail.example"),
        ("smtp_url", "smtp://"),
        ("smtp_url", "smtp://mail.example:port"),
        ("smtp_url", "smtp://[mail"),
        ("mail_from", "nobody"),
        ("mail_from", "a@b.example\r\nBcc: c@d.example"),
        ("trafficback_url", "ftp://a.example"),
    ],
)
def test_setting_with_invalid_value_is_rejected(api: Api, name: str, value: str) -> None:
    assert api.admin.refusal("POST", "/3.1/admin/settings", data={name: value}) == (400, [name])


def log(api: Api, **params: Any) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = api.admin.get("/3.1/admin/audit", **params)["audit"]
    return records


def test_audit_log_records_actor_action_and_time_of_staff_write(api: Api) -> None:
    staff_id, sales = api.add_staff(Role.MANAGER_SALES)
    made = sales.call("POST", "/3.0/admin/advertiser", data={"title": "Shop"}, headers={"X-Request-Id": "abc-1"})
    [record] = log(api, request_id="abc-1")
    assert record["user"] == {
        "id": staff_id, "email": record["user"]["email"], "first_name": "Mia", "last_name": "Manager",
    }  # fmt: skip
    assert (record["method"], record["what"]) == ("admin.advertiser.add", "advertiser")
    assert record["key"] == made.json()["advertiser"]["id"]
    assert record["created_at"] == "2023-11-14 22:13:20"
    assert record["changes"]["title"] == {"from": None, "to": "Shop"}


def test_audit_log_shows_old_and_new_values_without_secrets(api: Api) -> None:
    named = {"email": "m@staff.example", "password": "sesame", "first_name": "M", "last_name": "M"}
    user = api.admin.post("/3.0/admin/user", **named)["user"]
    api.clock.advance(1000)
    api.admin.post(f"/3.0/admin/user/{user['id']}", first_name="Maya", password="mustard")
    [edited, added] = log(api, what="staff", key=user["id"])
    assert edited["changes"] == {
        "first_name": {"from": "M", "to": "Maya"},
        "password_hash": {"from": "***", "to": "***"},
    }
    assert added["changes"]["email"] == {"from": None, "to": "m@staff.example"}
    api.admin.post(f"/3.0/admin/user/api_key/{user['id']}")
    keys = log(api, what="api_key", method="admin.user.api_key")
    assert {record["changes"]["owner_id"]["to"] for record in keys} == {user["id"], None}
    text = str(log(api, limit=1000))
    assert user["api_key"] not in text
    assert "mustard" not in text


def test_audit_log_names_the_key_that_called(api: Api) -> None:
    made = api.admin.post("/3.1/auth/keys", **{"name": "sync", "scopes[]": ["read", "write"]})["key"]
    _, session = api.open_session(api.admin)
    shops = [api.admin, api.admin.with_key(made["api_key"]), session]
    ids = [each.post("/3.1/admin/advertiser", title="Shop")["advertiser"]["id"] for each in shops]
    [first, limited, by_session] = [log(api, what="advertiser", key=each)[0] for each in ids]
    assert (limited["key_id"], limited["key_name"]) == (made["id"], "sync")
    assert (len(first["key_id"]), first["key_name"]) == (24, "")
    assert (by_session["key_id"], by_session["key_name"]) == ("", "")
    assert made["id"] in api.admin.call("GET", "/3.1/admin/audit", params={"format": "csv"}).text
    page = staff_visitor(api).read("/console/audit-log?what=advertiser").text
    assert page.count("API key: sync") == page.count("API key: first key") == 1


def test_audit_log_omits_rejected_writes(api: Api) -> None:
    api.add_affiliate(email="a@affiliate.example")
    before = len(log(api))
    refused = api.admin.call(
        "POST", "/3.0/admin/partner", data={"email": "a@affiliate.example", "password": "long-enough"}
    )
    assert refused.status_code == 409
    assert len(log(api)) == before


def test_audit_log_records_writes_of_affiliates_with_address(api: Api) -> None:
    """Who takes over an account changes where its postbacks go, and takes a key of its own."""
    pid, affiliate = api.add_affiliate(email="ann@affiliate.example", name="Ann")
    made = affiliate.post("/3.1/partner/postback", pid=pid, url="https://a.example")["postback"]
    sent = {"data": {"pid": pid, "url": "https://b.example"}, "headers": {"X-Request-Id": "mine-1"}}
    assert affiliate.call("POST", f"/3.1/partner/postback/{made['id']}", **sent).status_code == 200
    [edited] = log(api, affiliate_id=pid, request_id="mine-1")
    assert edited["changes"]["url"] == {"from": "https://a.example", "to": "https://b.example"}
    assert edited["user"] == {"id": str(pid), "email": "ann@affiliate.example", "first_name": "Ann", "last_name": ""}
    assert (edited["user_type"], edited["address"], edited["method"]) == (
        "affiliate",
        "testclient",
        "partner.postback.edit",
    )
    assert edited["client_request_id"] == "mine-1" != edited["request_id"]
    affiliate.post("/3.1/partner/api_key")
    renewed = log(api, affiliate_id=pid, what="api_key")
    assert {record["method"] for record in renewed} == {"partner.api_key.renew"}
    assert affiliate.call("POST", "/3.1/partner/api_key").status_code == 401
    assert len(log(api, affiliate_id=pid, what="api_key")) == len(renewed), "refused calls change nothing"


def test_audit_log_omits_what_follows_from_reads_of_affiliates(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    offer = api.add_offer(privacy="protected", auto_offer_connect=1)
    assert offer in [item["id"] for item in affiliate.get("/3.1/offers")["offers"]]
    assert affiliate.get("/3.1/partner/live-offers")["offers"]
    assert log(api, affiliate_id=pid) == []


def test_audit_log_forgets_addresses_of_erased_affiliate(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    affiliate.post("/3.1/partner/postback", pid=pid, url="https://a.example")
    with api.deps.database.write() as conn:
        personal_data.redact_account(conn, pid, "x", api.clock.now_ms())
    assert {record["address"] for record in log(api, affiliate_id=pid)} == {""}


def test_audit_log_forgets_old_addresses(api: Api) -> None:
    api.admin.post("/3.1/admin/settings", hash_password="code")
    api.clock.advance(24 * 3_600_000)
    api.admin.post("/3.1/admin/settings", hash_password="other")
    with api.deps.database.write() as conn:
        personal_data.empty_audit_addresses(conn, api.clock.now_ms())
    assert [record["address"] for record in log(api, what="setting")] == ["testclient", ""]


@pytest.mark.parametrize(
    ("params", "count"),
    [
        ({"method": "admin.settings.edit"}, 2),
        ({"what": "setting"}, 2),
        ({"what": "setting", "key": "hash_password"}, 1),
        ({"what": "offer"}, 0),
        ({"user_id": "f" * 24}, 0),
        ({"what": "setting", "date_from": "2023-11-15"}, 1),
        ({"what": "setting", "date_to": "2023-11-14"}, 1),
    ],
)
def test_audit_log_filters_select_matching_records(api: Api, params: dict[str, Any], count: int) -> None:
    api.admin.post("/3.1/admin/settings", trafficback_url="https://back.example/")
    api.clock.advance(24 * 3_600_000)
    api.admin.post("/3.1/admin/settings", hash_password="code")
    assert len(log(api, **params)) == count


def test_audit_log_pages_start_with_newest(api: Api) -> None:
    for number in range(3):
        api.clock.advance(1000)
        api.admin.post("/3.1/admin/settings", hash_password=f"code {number}")
    first = api.admin.get("/3.1/admin/audit", what="setting", limit=2)
    second = api.admin.get("/3.1/admin/audit", what="setting", limit=2, page=2)
    assert first["pagination"] == {"per_page": 2, "total_count": 3, "page": 1, "next_page": 2}
    times = [record["created_at"] for record in (*first["audit"], *second["audit"])]
    assert times == sorted(times, reverse=True)
    assert len({record["id"] for record in (*first["audit"], *second["audit"])}) == 3
    assert first["audit"][0]["changes"] == {"value": {"from": "***", "to": "***"}}


def test_exchange_rate_status_is_shown_in_settings(api: Api) -> None:
    unread = {"day": "", "fault": "", "read_at": "", "is_requested": False}
    assert api.admin.get("/3.1/admin/settings")["quotes"] == unread
    with api.deps.database.write() as conn:
        reference_rates.add_bank_rates(conn, [BankRate("EUR", 1, Decimal("0.9"))], date(2023, 11, 10))
        reference_rates.end_refresh(conn, "answered 500", 1_700_000_000_000)
    found = {"day": "2023-11-10", "fault": "answered 500", "read_at": "2023-11-14 22:13:20", "is_requested": False}
    assert api.admin.get("/3.1/admin/settings")["quotes"] == found
