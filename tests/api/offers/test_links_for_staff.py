"""Links of affiliates that staff make, and who may send clicks to an offer."""

from urllib.parse import parse_qs, urlsplit

from tests.support.api import Api
from trackyard.domain.people.roles import Role


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
