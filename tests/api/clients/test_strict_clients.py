"""Answers that a published client decodes with strict types.

Each field is there and has the type that it reads. The types are those of the models of the PHP client
(docs/compatibility.md#clients-and-settings).
"""

from typing import Any

import pytest

from tests.api.conversions.edit_setup import PERIOD, ConversionEditSetup, world
from tests.api.conversions.test_postback_logs import affiliate_log
from trackyard.domain.people.roles import Role

__all__ = ["world"]

TEXT, NUMBER, SUM, FLAG, MAP, LIST = (str,), (int,), (int, float), (bool,), (dict,), (list,)
TEXT_OR_NULL, ARRAY = (str, type(None)), (dict, list)

OFFER_IN_LIST: dict[str, tuple[type, ...]] = {
    "id": NUMBER, "offer_id": TEXT, "title": TEXT, "preview_url": TEXT, "logo": TEXT, "logo_source": TEXT,
    "required_approval": FLAG, "is_cpi": FLAG, "use_https": FLAG, "use_http": FLAG, "hold_period": NUMBER,
    "uniq_ip_only": FLAG, "link": TEXT, "click_session": TEXT, "minimal_click_session": TEXT,
    "consider_personal_targeting_only": FLAG, "hosts_only": FLAG, "links": LIST,
}  # fmt: skip
LINK = {
    "id": TEXT_OR_NULL, "title": TEXT_OR_NULL, "hash": TEXT_OR_NULL, "url": TEXT, "postbacks": LIST,
    "created": TEXT_OR_NULL,
}  # fmt: skip
OFFER_BY_ID = OFFER_IN_LIST | {
    "caps_timezone": TEXT, "disabled_choice_postback_status": FLAG, "ticket_created": FLAG, "goals": ARRAY,
    "sub_restrictions": LIST, "strictly_devices": LIST, "caps_status": LIST,
}  # fmt: skip
ACCOUNT: dict[str, tuple[type, ...]] = {
    "partner_id": NUMBER, "sub_accounts": ARRAY, "permissions": ARRAY,
    **dict.fromkeys(("login", "name", "company", "timezone", "level", "address_2", "zip_code", "phone"), TEXT_OR_NULL),
    **dict.fromkeys(
        (
            "id", "api_key", "created_at", "email", "status", "updated_at", "ref", "lang", "manager_id", "notes",
            "ref_percent", "pay_acc", "pay_acc_wmz", "balance_ru", "hold_ru", "available_ru", "balance_usd", "hold_usd",
            "available_usd", "address_1", "city", "country", "tipalti_info", "contact_person", "type", "work_hours",
            "last_login_at",
        ),
        TEXT,
    ),
}  # fmt: skip
PIXEL: dict[str, tuple[type, ...]] = {
    "id": NUMBER, "name": TEXT, "code": TEXT, "code_type": TEXT, "offer": MAP, "created_at": TEXT, "updated_at": TEXT,
}  # fmt: skip
PAGE = {"per_page": NUMBER, "total_count": NUMBER, "page": NUMBER}
DELIVERY: dict[str, tuple[type, ...]] = {
    "pid": NUMBER, "lead_id": TEXT, "http_code": NUMBER, "postback_url": TEXT, "offer_id": NUMBER, "goal": TEXT,
    "status": NUMBER, "payouts": SUM, "revenue": SUM, "currency": NUMBER, "date": MAP,
}  # fmt: skip

READ: list[tuple[str, str, dict[str, tuple[type, ...]]]] = [
    ("/3.0/offers", "offers", OFFER_IN_LIST),
    ("/3.0/partner/offers", "offers", OFFER_IN_LIST),
    ("/3.0/partner/live-offers", "offers", OFFER_IN_LIST),
    ("/3.0/offers", "offers.links", LINK),
    ("/3.0/partner/live-offers", "offers.links", LINK),
    ("/3.0/offer/OPEN", "offer", OFFER_BY_ID),
    ("/3.0/offer/CLOSED", "offer", OFFER_BY_ID),
    ("/3.0/offer/OPEN", "offer.links", LINK),
    ("/3.1/partner/me", "user", ACCOUNT),
    ("/3.0/partner/pixels", "pixel", PIXEL),
    ("/3.0/partner/pixels", "pagination", PAGE),
    ("/3.0/stats/affiliatepostbacks", "postbacks", DELIVERY),
]
"""A path that an affiliate calls, the place of a record in the answer, and its fields with their types."""


def records(value: Any, place: str) -> list[Any]:
    """Return the records at a place; lists, and maps by id, are entered."""
    found = [value]
    for name in place.split("."):
        found = [each[name] for each in found]
        found = [item for each in found for item in (each if isinstance(each, list) else [each])]
    by_id = [item for each in found if all(key.isdigit() for key in each) for item in each.values()]
    return by_id or found


def wrong(record: dict[str, Any], fields: dict[str, tuple[type, ...]]) -> dict[str, Any]:
    """Return the fields that are absent or of another type."""
    return {name: record.get(name, "absent") for name, kinds in fields.items() if type(record.get(name)) not in kinds}


def test_answers_of_affiliates_have_types_of_strict_clients(world: ConversionEditSetup) -> None:
    api, client = world.api, world.affiliate
    landing = {
        "landings[0][title]": "L",
        "landings[0][url]": "https://l.example/",
        "landings[0][url_preview]": "https://l.example/",
    }
    opened = api.add_offer(advertiser=world.advertiser, status="active", privacy="public", **landing)
    closed = api.add_offer(advertiser=world.advertiser, status="active", privacy="protected")
    client.post("/3.0/partner/activation/offer", offer_id=closed, comment="please")
    client.post("/3.0/partner/pixel", offer_id=opened, name="P", code="<script>1</script>", code_type="javascript")
    affiliate_log(world, 1)
    affiliate_log(world, 2, conversion_id="f" * 24)
    seen = 0
    for path, place, fields in READ:
        path = path.replace("OPEN", str(opened)).replace("CLOSED", str(closed))
        found = records(client.get(path, **(PERIOD if "stats" in path else {})), place)
        assert found, (path, place)
        for record in found:
            assert (path, place, wrong(record, fields)) == (path, place, {})
        seen += 1
    assert seen == 12
    asked, free = (client.get(f"/3.0/offer/{number}")["offer"] for number in (closed, opened))
    assert (asked["ticket_created"], free["ticket_created"]) == (True, False)
    assert (asked["link"], asked["links"]) == ("", [])
    assert [each["id"] for each in free["links"]] == [None, "1"]


def test_account_without_anything_has_types_of_strict_clients(world: ConversionEditSetup) -> None:
    assert wrong(world.affiliate.get("/3.1/partner/me")["user"], ACCOUNT) == {}
    manager, _ = world.api.add_staff(Role.MANAGER_AFFILIATE)
    full = {"manager_id": manager, "level": 3, "ref_percent": "5", "city": "Riga", "contactPerson": "Ann"}
    _, client = world.api.add_affiliate(**full)
    user = client.get("/3.1/partner/me")["user"]
    assert wrong(user, ACCOUNT) == {}
    assert (user["level"], user["ref_percent"], user["manager_id"]) == ("3", "5", manager)


def test_permissions_of_a_staff_user_have_contacts(world: ConversionEditSetup) -> None:
    number, _ = world.api.add_staff(Role.MANAGER_AFFILIATE)
    world.api.admin.post(f"/3.0/admin/user/{number}", telegram="mia_t", skype="mia.s")
    sent = {"permissions[stats][slice-day][level]": "read"}
    shown = world.api.admin.post(f"/3.1/user/{number}/permissions", **sent)["permissions"]
    assert {name: text for name, text in shown["contacts"].items() if text} == {"telegram": "mia_t", "skype": "mia.s"}
    assert {"id", "email", "type", "first_name", "last_name", "api_key"} <= {key for key, text in shown.items() if text}


@pytest.mark.parametrize(("switch", "shown"), [("full", ""), ("plain", None)])
def test_advertiser_without_a_manager_follows_the_switch(world: ConversionEditSetup, switch: str, shown: Any) -> None:
    world.api.admin.post("/3.1/admin/settings", statistics_rows=switch)
    listed = world.api.admin.get("/3.0/admin/advertisers")["advertisers"]
    alone = world.api.admin.get(f"/3.0/admin/advertiser/{world.advertiser}")["advertiser"]
    assert [each["manager_obj"] for each in (*listed, alone)] == [shown] * (len(listed) + 1)
