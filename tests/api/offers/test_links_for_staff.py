"""Tracking links, privacy and the newer fields of an offer, for staff."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.support.api import Api
from trackyard.domain.people.roles import Role

SENT_AND_SHOWN: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"hold_type": "hours", "hold_period": "2"}, {"hold_type": "hours", "hold_period": 2}),
    ({"cross_postback_method": "post", "cross_postback_body": "a={goal}"},
     {"cross_postback_method": "post", "cross_postback_body": "a={goal}"}),
    ({"additional_impression_destination_urls[0][url]": "https://i.example",
      "additional_impression_destination_urls[0][weight]": "30"},
     {"additional_impression_destination_urls": [{"url": "https://i.example", "weight": 30}]}),
    ({"duplicate_clicks_threshold": "3"}, {"duplicate_clicks_threshold": 3}),
    ({"is_impression_overcap": "1"}, {"is_impression_overcap": True}),
    ({"privacy_level": "5"}, {"privacy_level": 5}),
    ({"quality": "hold"}, {"quality": "hold"}),
    ({"freshness": "exclusive"}, {"freshness": "exclusive"}),
    ({"hosts_only": "1", "host_uniqueness_type": "sub3"}, {"hosts_only": True, "host_uniqueness_type": "sub3"}),
    ({"sign_clicks_integration": "kochava"}, {"sign_clicks_integration": "kochava"}),
    ({"skad_app_id": "1", "redirect_param": "r"},
     {"skad_app_id": "1", "redirect_param": "r"}),
    ({"macros_replacement[sub1][]": "a", "macros_replacement_enabled[]": "sub1"},
     {"macros_replacement": {"sub1": ["a"]}, "macros_replacement_enabled": ["sub1"]}),
]  # fmt: skip
REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("cross_postback_body", {"cross_postback_method": "post"}),
    ("managers", {"managers[]": ["f" * 24] * 11}),
    ("managers[0]", {"managers[]": "f" * 24}),
    ("tracking_domain", {"tracking_domain": "nowhere.example"}),
    ("privacy_level", {"privacy_level": "7"}),
    ("duplicate_clicks_threshold", {"duplicate_clicks_threshold": "101"}),
    ("macros_replacement[sub11]", {"macros_replacement[sub11][]": "a"}),
    ("additional_impression_destination_urls", {
        "additional_impression_destination_urls[0][url]": "https://a.example",
        "additional_impression_destination_urls[0][weight]": "60",
        "additional_impression_destination_urls[1][url]": "https://b.example",
        "additional_impression_destination_urls[1][weight]": "41",
    }),
]  # fmt: skip


@pytest.mark.parametrize(("sent", "shown"), SENT_AND_SHOWN, ids=[next(iter(sent)) for sent, _ in SENT_AND_SHOWN])
def test_newer_offer_field_is_shown_after_create_and_edit(
    shared_api: Api, sent: dict[str, Any], shown: dict[str, Any]
) -> None:
    made = shared_api.add_offer(**sent)
    edited = shared_api.add_offer()
    shared_api.admin.post(f"/3.1/admin/offer/{edited}", **sent)
    for number in (made, edited):
        offer = shared_api.admin.get(f"/3.1/offer/{number}")["offer"]
        assert {name: offer[name] for name in shown} == shown


@pytest.mark.parametrize(("name", "sent"), REFUSED, ids=[name for name, _ in REFUSED])
def test_newer_offer_field_with_invalid_value_is_rejected_by_name(
    shared_api: Api, name: str, sent: dict[str, Any]
) -> None:
    assert shared_api.admin.refusal("POST", f"/3.1/admin/offer/{shared_api.add_offer()}", data=sent) == (400, [name])


def test_offer_tracking_domain_is_the_domain_of_its_host(shared_api: Api) -> None:
    admin, number = shared_api.admin, shared_api.add_offer()
    admin.post("/3.0/admin/domains", url="go.example")
    assert admin.post(f"/3.1/admin/offer/{number}", tracking_domain="go.example")["offer"]["domain_url"] == "go.example"
    assert admin.get(f"/3.1/offer/{number}")["offer"]["tracking_domain"] == "go.example"
    assert admin.post(f"/3.1/admin/offer/{number}", tracking_domain="")["offer"]["tracking_domain"] == ""


def test_offer_privacy_level_is_forgotten_with_another_privacy(shared_api: Api) -> None:
    admin, number = shared_api.admin, shared_api.add_offer(privacy="public", privacy_level="5")
    level = f"/3.1/offers/{number}/privacy"
    assert admin.get(level)["privacy_level"] == 5
    assert admin.post(f"/3.1/admin/offer/{number}", privacy="private")["offer"]["privacy_level"] == 2
    admin.post(f"/3.1/admin/offer/{number}", privacy_level="6")
    admin.post("/3.0/admin/offer/mass-update", **{"offer_id[]": number, "privacy": "private"})
    assert admin.get(level)["privacy_level"] == 6
    admin.post("/3.0/admin/offer/mass-update", **{"offer_id[]": number, "privacy": "public"})
    assert admin.get(level)["privacy_level"] == 0


def test_offer_managers_are_staff_users(shared_api: Api) -> None:
    admin, number = shared_api.admin, shared_api.add_offer()
    own = admin.get("/3.1/user/me")["user"]["id"]
    assert admin.post(f"/3.1/admin/offer/{number}", **{"managers[]": own})["offer"]["managers"] == [own]


def test_tracking_link_of_connected_affiliate_carries_subs(api: Api) -> None:
    offer, (pid, client) = api.add_offer(privacy="protected"), api.add_affiliate()
    path = f"/3.0/admin/offer/{offer}/tracking-link"
    refused = api.admin.call("POST", path, data={"affiliate_id": pid})
    assert refused.json()["fields"] == {
        "affiliate_id": [f"Affiliate {pid} may not send clicks to offer {offer}: connect it first."]
    }
    api.admin.post("/3.0/offer/enable-affiliate", offer_id=offer, pid=pid)
    made = api.admin.post(path, affiliate_id=pid, sub1="a b&c", sub8="x")
    assert made["status"] == 1
    parts = urlsplit(made["tracking_link"])
    assert parse_qs(parts.query) == {"pid": [str(pid)], "offer_id": [str(offer)], "sub1": ["a b&c"], "sub8": ["x"]}
    [own] = client.get("/3.0/partner/offers")["offers"]
    assert made["tracking_link"].startswith(own["link"])


def test_tracking_link_of_foreign_affiliate_is_refused(api: Api) -> None:
    _, manager = api.add_staff(Role.MANAGER_AFFILIATE)
    offer, (pid, _) = api.add_offer(privacy="public"), api.add_affiliate()
    answer = manager.call("POST", f"/3.0/admin/offer/{offer}/tracking-link", data={"affiliate_id": pid})
    assert answer.json()["fields"] == {"affiliate_id": [f"An affiliate {pid} does not exist."]}


def test_offer_privacy_shows_decided_affiliates_in_scope(api: Api) -> None:
    offer = api.add_offer(privacy="private")
    manager, client = api.add_staff(Role.MANAGER_AFFILIATE)
    connected, removed = api.add_affiliate(manager_id=manager)[0], api.add_affiliate()[0]
    api.add_affiliate()
    path = f"/3.1/offers/{offer}/privacy"
    api.admin.post("/3.0/offer/enable-affiliate", offer_id=offer, pid=connected)
    api.admin.post("/3.0/offer/disable-affiliate", offer_id=offer, pid=removed)
    assert api.admin.get(path) == {
        "status": 1, "affiliates_disabled": [removed], "affiliates_enabled": [connected], "privacy_level": 2,
    }  # fmt: skip
    assert client.get(path)["affiliates_disabled"] == []
    assert client.get(path)["affiliates_enabled"] == [connected]
    for level, privacy in enumerate(("public", "protected", "private")):
        api.admin.post(f"/3.0/admin/offer/{offer}", privacy=privacy)
        assert api.admin.get(path)["privacy_level"] == level


def test_affiliates_of_several_offers_are_counted_in_scope(api: Api) -> None:
    manager, client = api.add_staff(Role.MANAGER_AFFILIATE)
    own, other = api.add_affiliate(manager_id=manager)[0], api.add_affiliate()[0]
    closed, opened, quiet = (api.add_offer(privacy=privacy) for privacy in ("private", "public", "public"))
    api.admin.post("/3.1/offer/enable-affiliate", **{"offer_id[]": closed, "pid": own})
    api.admin.post("/3.1/offer/enable-affiliate", **{"offer_id[]": closed, "pid": other})
    api.admin.post("/3.1/offer/disable-affiliate", **{"offer_id[]": opened, "pid": other})
    asked = {"offer_id[]": [opened, closed, quiet, 9999]}
    assert api.admin.get("/3.1/admin/offers/affiliates", **asked)["offers"] == [
        {"offer_id": closed, "enabled": 2, "disabled": 0},
        {"offer_id": opened, "enabled": 0, "disabled": 1},
        {"offer_id": quiet, "enabled": 0, "disabled": 0},
    ]
    counted = client.get("/3.1/admin/offers/affiliates", **asked)["offers"]
    assert {each["offer_id"]: (each["enabled"], each["disabled"]) for each in counted} == {
        closed: (1, 0),
        opened: (0, 0),
        quiet: (0, 0),
    }
    api.admin.post("/3.1/admin/offer/delete", **{"offer_id[]": quiet})
    assert len(api.admin.get("/3.1/admin/offers/affiliates", **asked)["offers"]) == 2
