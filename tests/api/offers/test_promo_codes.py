"""Promo codes over the API: making, listing, changing, and the conversions that they made."""

from typing import Any

import pytest

from tests.support.api import NOW, Api
from tests.support.client import ApiClient
from tests.support.models.history import add_conversion
from trackyard.base.ids import new_id
from trackyard.domain.people.roles import Role

TIMES = {"date_from": "2023-01-09T00:00:00Z", "date_to": "2033-01-29T02:00:00.250+02:00"}
ZONELESS = "This value must be a time with its zone as in RFC 3339, such as 2026-01-31T23:59:59Z."


def code(offer: int, pid: int, text: str, **more: Any) -> dict[str, Any]:
    return {"type": "manual", "code": text, "offer_id": offer, "affiliate_id": pid, **TIMES, **more}


def sent(*codes: dict[str, Any]) -> dict[str, Any]:
    return {f"promocodes[{place}][{name}]": each[name] for place, each in enumerate(codes) for name in each}


def made(client: ApiClient, *codes: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.post("/3.1/offers/promocodes/bulk", **sent(*codes))["data"]["promocodes"]
    return found


def test_promo_codes_are_made_and_listed(api: Api) -> None:
    offer, (pid, _) = api.add_offer(), api.add_affiliate()
    first, second = made(
        api.admin, code(offer, pid, "Black-1", description="Spring", usage_limit=100), code(offer, pid, "{a}+=/:~_.b")
    )
    assert first == {
        "id": first["id"], "type": "manual", "code": "Black-1", "code_template": "", "description": "Spring",
        "offer_id": offer, "affiliate_id": pid, "usage_limit": 100, "usage_value": 0,
        "date_from": "2023-01-09T00:00:00Z", "date_to": "2033-01-29T00:00:00.250Z",
        "created_at": first["created_at"], "updated_at": first["created_at"],
    }  # fmt: skip
    assert second["usage_limit"] is None
    listed = api.admin.get("/3.1/offers/promocodes", offer_id=f"{offer},987654")["data"]
    assert {each["code"] for each in listed.pop("promocodes")} == {"Black-1", "{a}+=/:~_.b"}
    assert listed == {"total_count": 2, "per_page": 100, "page": 1}
    for chosen in ({"search": "LACK"}, {"code": "black-1"}, {"limit": 1, "page": 1, "code": "BLACK-1"}):
        [found] = api.admin.get("/3.0/offers/promocodes", **chosen)["data"]["promocodes"]
        assert found == first
    for other in ({"code": "black"}, {"affiliate_id": 987654}, {"search": "%"}):
        assert api.admin.get("/3.1/offers/promocodes", **other)["data"]["promocodes"] == []


@pytest.mark.parametrize(
    ("wrong", "field", "fault"),
    [
        ({"code": "ab"}, "code", "This value must have at least 3 characters."),
        ({"code": "a" * 37}, "code", "This value must have at most 36 characters."),
        ({"code": "a b c"}, "code", "This value must match [a-zA-Z0-9\\-_.{}+=/:~]{3,36}."),
        ({"code": "TAKEN"}, "code", "The code TAKEN exists already; letter case does not count."),
        ({"offer_id": 987654}, "offer_id", "An offer 987654 does not exist."),
        ({"affiliate_id": 987654}, "affiliate_id", "An affiliate 987654 does not exist."),
        ({"date_to": "2022-01-01T00:00:00Z"}, "date_to", "This time must not lie before date_from."),
        ({"date_to": "2024-01-01"}, "date_to", ZONELESS),
        ({"description": "x" * 131}, "description", "This value must have at most 130 characters."),
    ],
)  # fmt: skip
def test_wrong_promo_code_makes_none(api: Api, wrong: dict[str, Any], field: str, fault: str) -> None:
    offer, (pid, _) = api.add_offer(), api.add_affiliate()
    made(api.admin, code(offer, pid, "taken"))
    both = sent(code(offer, pid, "fine"), code(offer, pid, "other") | wrong)
    refused = api.admin.call("POST", "/3.1/offers/promocodes/bulk", data=both)
    assert refused.status_code == 400
    assert refused.json()["fields"] == {f"promocodes[1][{field}]": [fault]}
    assert api.admin.get("/3.1/offers/promocodes", offer_id=offer)["data"]["total_count"] == 1


def test_promo_code_occurs_once_in_a_request(api: Api) -> None:
    offer, (pid, _) = api.add_offer(), api.add_affiliate()
    twice = sent(code(offer, pid, "same"), code(offer, pid, "SAME"))
    refused = api.admin.call("POST", "/3.1/offers/promocodes/bulk", data=twice)
    assert list(refused.json()["fields"]) == ["promocodes[1][code]"]


def test_promo_code_shows_and_filters_its_conversions(api: Api) -> None:
    offer, (pid, affiliate) = api.add_offer(), api.add_affiliate()
    [promo] = made(api.admin, code(offer, pid, "Black-1"))
    add_conversion(api.deps, 1, offer_id=offer, affiliate_id=pid, promo_code="Black-1")
    add_conversion(api.deps, 2, offer_id=offer, affiliate_id=pid)
    assert api.admin.get("/3.1/offers/promocodes")["data"]["promocodes"][0]["usage_value"] == 1
    period = {"date_from": "2023-11-15", "date_to": "2023-11-15"}
    for client in (api.admin, affiliate):
        [listed] = client.get("/3.1/stats/conversions", **period, promo_code="BLACK-1")["conversions"]
        assert client.get("/3.1/stats/conversionsbyid", id=listed["id"])["conversion"]["promo_code"] == "Black-1"
    other = api.admin.get("/3.1/stats/conversionsbyid", id=f"{2:024x}")["conversion"]
    assert other["promo_code"] is None
    changed = api.admin.post(f"/3.1/offers/promocodes/{promo['id']}", usage_limit=5, date_to="2030-01-01T00:00:00Z")
    assert (changed["data"]["usage_limit"], changed["data"]["usage_value"]) == (5, 1)
    assert changed["data"]["date_to"] == "2030-01-01T00:00:00Z"
    freed = api.admin.post(f"/3.1/offers/promocodes/{promo['id']}", usage_limit="")
    assert freed["data"]["usage_limit"] is None


def test_managers_reach_promo_codes_of_their_own(api: Api) -> None:
    seller, sales = api.add_staff(Role.MANAGER_SALES)
    keeper, both = api.add_staff(Role.MANAGER_AFFILIATE, Role.MANAGER_SALES)
    _, affiliates = api.add_staff(Role.MANAGER_AFFILIATE)
    own, foreign = api.add_offer(advertiser=api.add_advertiser(manager=seller)), api.add_offer()
    pid, other = api.add_affiliate(manager_id=keeper)[0], api.add_affiliate()[0]
    made(api.admin, code(own, pid, "first"), code(foreign, pid, "second"), code(own, other, "third"))
    found = sales.get("/3.1/offers/promocodes")["data"]
    assert ({each["code"] for each in found["promocodes"]}, found["total_count"]) == ({"first", "third"}, 2)
    assert both.get("/3.1/offers/promocodes")["data"]["promocodes"] == []
    refused = sales.call("POST", "/3.1/offers/promocodes/bulk", data=sent(code(foreign, pid, "fourth")))
    assert refused.json()["fields"] == {"promocodes[0][offer_id]": [f"An offer {foreign} does not exist."]}
    assert (
        affiliates.call("POST", "/3.1/offers/promocodes/bulk", data=sent(code(own, pid, "fourth"))).status_code == 403
    )


def test_postback_check_explains_promo_code(api: Api) -> None:
    offer, (pid, _) = api.add_offer(minimal_click_session="1h"), api.add_affiliate()
    made(api.admin, code(offer, pid, "Black-1", usage_limit=1))
    path, about = "/3.1/admin/postback-check", {"params[promo_code]": "black-1", "params[action_id]": new_id(NOW)}
    good = api.admin.post(path, ip="192.0.2.9", **about)["check"]
    assert (good["response"], good["offer_id"], good["pid"]) == ("", offer, pid)
    missing = api.admin.post(path, ip="192.0.2.9", **{"params[promo_code]": "Black-2"})["check"]
    assert missing["response"] == "Promo code does not exist"
    add_conversion(api.deps, 1, offer_id=offer, affiliate_id=pid, promo_code="Black-1")
    used = api.admin.post(path, ip="192.0.2.9", **about)["check"]
    assert used["response"] == "Promo code limit is reached"
