"""Connecting affiliates to offers and taking them off: rules, mail, scopes (docs/api/connections.md)."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.support.api import Api, installed
from tests.support.client import ApiClient
from tests.support.processes.mails import mails
from trackyard.analytics.engine.connection import Analytics
from trackyard.domain.people.roles import Role
from trackyard.domain.tracking.ruleset import RulesetConnections
from trackyard.store.engine.database import Database
from trackyard.store.tracking import rulesets
from trackyard.store.tracking.rulesets import compile_row

ENABLE, DISABLE = "/3.0/offer/enable-affiliate", "/3.0/offer/disable-affiliate"


def version(api: Api) -> int:
    with api.deps.database.read() as conn:
        return rulesets.ruleset_version(conn)


def links(api: Api, offer: int) -> RulesetConnections:
    with api.deps.database.read() as conn:
        row = compile_row(conn, "connections", str(offer))
    assert row is None or isinstance(row, RulesetConnections)
    return row or RulesetConnections(offer=offer)


def connect(api: Api, pid: int, *offers: int) -> None:
    api.admin.post(ENABLE, **{"offer_id[]": list(offers), "pid": pid, "notice": 0})


def test_connecting_to_several_offers_mails_new_offers_only(api: Api) -> None:
    pid, _ = api.add_affiliate(email="ann@affiliate.example", login="ann")
    first, second = api.add_offer(title="Shoes {name}"), api.add_offer(title="Hats")
    connect(api, pid, first)
    assert mails(api) == []
    body = api.admin.post(ENABLE, **{"offer_id[]": [first, second], "pid": pid})
    assert str(second) in body["message"]
    [mail] = mails(api)
    assert (mail.recipient, mail.subject) == ("ann@affiliate.example", f"You are connected to #{second} Hats")
    assert f"#{second} Hats" in mail.body and "Shoes" not in mail.body and "Hello ann" in mail.body
    api.admin.post(ENABLE, offer_id=first, pid=pid)
    assert len(mails(api)) == 1
    assert links(api, second) == RulesetConnections(offer=second, affiliates=(pid,))


@pytest.mark.parametrize("path", [ENABLE, DISABLE])
def test_parallel_connections_send_one_mail(database: Database, analytics: Analytics, path: str) -> None:
    api = installed(database, analytics)
    pid, _ = api.add_affiliate()
    offer = api.add_offer()
    if path == DISABLE:
        connect(api, pid, offer)

    def call(_number: int) -> int:
        return int(api.admin.call("POST", path, data={"offer_id": offer, "pid": pid}).status_code)

    with ThreadPoolExecutor(6) as pool:
        assert set(pool.map(call, range(6))) == {200}
    assert len(mails(api)) == 1


def test_connection_mail_shows_offer_title_verbatim(api: Api) -> None:
    pid, _ = api.add_affiliate()
    offer = api.add_offer(title="50% {offers} {0}\nBcc: x")
    api.admin.post(ENABLE, offer_id=offer, pid=pid)
    assert f"#{offer} 50% {{offers}} {{0}}" in mails(api)[0].body


def test_disconnecting_affiliate_mails_disconnected_offers_only(api: Api) -> None:
    pid, _ = api.add_affiliate()
    first, second, never = api.add_offer(), api.add_offer(), api.add_offer()
    connect(api, pid, first, second)
    before = version(api)
    body = api.admin.post(DISABLE, **{"offer_id[]": [first, second, never], "pid": pid})
    assert body["message"].startswith(f"Affiliate {pid} is disconnected from offers: {first}")
    assert version(api) > before
    assert [links(api, offer).affiliates for offer in (first, second)] == [(), ()]
    [mail] = mails(api)
    assert mail.subject == f"You are disconnected from #{first} Shoes and 1 more"
    assert f"#{never} " not in mail.body
    api.admin.post(DISABLE, offer_id=first, pid=pid, notice=0)
    api.admin.post(DISABLE, offer_id=first, pid=pid)
    assert len(mails(api)) == 1


def test_public_offer_can_be_disconnected_and_connected_again(api: Api) -> None:
    pid, _ = api.add_affiliate()
    offer = api.add_offer(privacy="public")
    api.admin.post(DISABLE, offer_id=offer, pid=pid)
    assert links(api, offer) == RulesetConnections(offer=offer, disconnected=(pid,))
    assert [mail.subject for mail in mails(api)] == [f"You are disconnected from #{offer} Shoes"]
    api.admin.post(ENABLE, offer_id=offer, pid=pid)
    assert links(api, offer) == RulesetConnections(offer=offer, affiliates=(pid,))


@pytest.mark.parametrize("path", [ENABLE, DISABLE])
def test_connection_with_invalid_id_changes_nothing(api: Api, path: str) -> None:
    pid, _ = api.add_affiliate()
    offer = api.add_offer()
    before = version(api)
    for data, fields in (
        ({"offer_id[]": [offer, 99], "pid": pid}, {"offer_id"}),
        ({"offer_id": offer, "pid": 98}, {"pid"}),
        ({"offer_id": offer}, {"pid"}),
        ({"offer_id[]": [offer], "pid": pid, "notice": "maybe"}, {"notice"}),
    ):
        refused = api.admin.call("POST", path, data=data)
        assert (refused.status_code, set(refused.json()["fields"])) == (400, fields)
    assert version(api) == before
    assert mails(api) == []


def test_disconnecting_all_affiliates_from_offer_leaves_other_offers(api: Api) -> None:
    (ann, _), (ben, _) = api.add_affiliate(), api.add_affiliate()
    offer, other = api.add_offer(privacy="private"), api.add_offer()
    for pid in (ann, ben):
        connect(api, pid, offer, other)
    offer_hash = api.admin.get(f"/3.0/offer/{offer}")["offer"]["offer_id"]
    body = api.admin.post(f"/3.0/admin/offer/{offer_hash}/disable-affiliates")
    assert body["message"] == f"Affiliates disconnected from offer {offer}: 2"
    assert links(api, offer) == RulesetConnections(offer=offer, disconnected=(ann, ben))
    assert links(api, other).affiliates == (ann, ben)
    assert mails(api) == []
    before = version(api)
    again = api.admin.post(f"/3.0/admin/offer/{offer}/disable-affiliates")
    assert (again["message"][-1], version(api)) == ("0", before)


def test_public_offer_rejects_disconnecting_every_affiliate(api: Api) -> None:
    pid, _ = api.add_affiliate()
    offer = api.add_offer(privacy="public")
    connect(api, pid, offer)
    refused = api.admin.call("POST", f"/3.0/admin/offer/{offer}/disable-affiliates")
    assert (refused.status_code, set(refused.json()["fields"])) == (400, {"id"})
    assert links(api, offer).affiliates == (pid,)


def test_disconnecting_affiliate_from_all_offers_keeps_public_ones(api: Api) -> None:
    (ann, _), (ben, _) = api.add_affiliate(), api.add_affiliate()
    public, protected, private = (api.add_offer(privacy=word) for word in ("public", "protected", "private"))
    for pid in (ann, ben):
        connect(api, pid, public, protected, private)
    body = api.admin.post(f"/3.0/admin/affiliate/{ann}/disable-offers")
    assert body["message"] == f"Offers that affiliate {ann} is disconnected from: 2"
    assert [links(api, offer).affiliates for offer in (public, protected, private)] == [(ann, ben), (ben,), (ben,)]


def test_connection_to_removed_offer_is_rejected(api: Api) -> None:
    pid, _ = api.add_affiliate()
    offer = api.add_offer()
    api.admin.post("/3.0/admin/offer/delete", offer_id=offer)
    for path in (ENABLE, DISABLE):
        assert api.admin.call("POST", path, data={"offer_id": offer, "pid": pid}).status_code == 400
    assert api.admin.call("POST", f"/3.0/admin/offer/{offer}/disable-affiliates").status_code == 404


class TestConnectionRoles:
    """Roles that may connect affiliates (docs/spec/callers.md#roles-of-staff)."""

    @pytest.mark.parametrize(
        ("role", "code"),
        [
            (Role.SECTION_OFFER, 200),
            (Role.MANAGER_SALES, 403),
            (Role.SECTION_PARTNER, 403),
            (Role.SECTION_TICKET, 403),
            (Role.SECTION_STATS, 403),
        ],
    )
    def test_connection_methods_need_matching_role(self, api: Api, role: Role, code: int) -> None:
        pid, affiliate = api.add_affiliate()
        offer = api.add_offer()
        _, client = api.add_staff(role)
        for path, data in _calls(offer, pid):
            assert client.call("POST", path, data=data).status_code == code
            assert affiliate.call("POST", path, data=data).status_code == 403

    def test_affiliate_manager_connects_own_affiliates_only(self, api: Api) -> None:
        manager, client = api.add_staff(Role.MANAGER_AFFILIATE)
        own, _ = api.add_affiliate(manager_id=manager)
        foreign, _ = api.add_affiliate()
        offer = api.add_offer()
        connect(api, own, offer)
        connect(api, foreign, offer)
        assert _codes(client, offer, own) == [200, 200, 200, 200]
        connect(api, own, offer)
        refused = client.call("POST", DISABLE, data={"offer_id": offer, "pid": foreign})
        assert refused.json()["fields"].keys() == {"pid"}
        assert client.call("POST", f"/3.0/admin/affiliate/{foreign}/disable-offers").status_code == 404
        client.post(f"/3.0/admin/offer/{offer}/disable-affiliates")
        assert links(api, offer) == RulesetConnections(offer=offer, affiliates=(foreign,), disconnected=(own,))


def _calls(offer: int, pid: int) -> list[tuple[str, dict[str, Any]]]:
    pair = {"offer_id": offer, "pid": pid}
    return [
        (ENABLE, pair),
        (DISABLE, pair),
        (f"/3.0/admin/offer/{offer}/disable-affiliates", {}),
        (f"/3.0/admin/affiliate/{pid}/disable-offers", {}),
    ]


def _codes(client: ApiClient, offer: int, pid: int) -> list[int]:
    return [client.call("POST", path, data=data).status_code for path, data in _calls(offer, pid)]


class TestAutoConnect:
    """Offers that connect each viewer: `auto_offer_connect` (docs/spec/offers.md#connections)."""

    @pytest.mark.parametrize(
        "look", ["/3.0/partner/offers", "/3.0/partner/live-offers", "/3.1/offers", "/3.0/offer/{offer}"]
    )
    def test_auto_connect_offer_connects_affiliate_on_first_view(self, api: Api, look: str) -> None:
        pid, affiliate = api.add_affiliate()
        offer = api.add_offer(auto_offer_connect=1)
        api.admin.get(look.format(offer=offer), pid=pid)
        assert links(api, offer).affiliates == ()
        body = affiliate.get(look.format(offer=offer))
        [shown] = body["offers"] if "offers" in body else [body["offer"]]
        assert (shown["id"], shown["required_approval"], bool(shown["link"])) == (offer, False, True)
        assert links(api, offer).affiliates == (pid,)
        before = version(api)
        affiliate.get(look.format(offer=offer))
        assert version(api) == before
        assert mails(api) == []

    @pytest.mark.parametrize(
        "params", [{}, {"auto_offer_connect": 1, "privacy": "private"}, {"auto_offer_connect": 1, "status": "stopped"}]
    )
    def test_auto_connect_skips_offers_that_do_not_qualify(self, api: Api, params: dict[str, Any]) -> None:
        _, affiliate = api.add_affiliate()
        offer = api.add_offer(**params)
        affiliate.get("/3.0/partner/offers")
        affiliate.get("/3.0/partner/live-offers")
        affiliate.call("GET", f"/3.0/offer/{offer}")
        assert links(api, offer).affiliates == ()

    def test_auto_connect_spares_affiliates_disconnected_by_staff(self, api: Api) -> None:
        pid, affiliate = api.add_affiliate()
        offer = api.add_offer(auto_offer_connect=1)
        affiliate.get("/3.0/partner/offers")
        api.admin.post(f"/3.0/admin/affiliate/{pid}/disable-offers")
        assert affiliate.get("/3.0/partner/live-offers")["offers"] == []
        assert [one["link"] for one in affiliate.get("/3.0/partner/offers")["offers"]] == [""]
        assert links(api, offer) == RulesetConnections(offer=offer, disconnected=(pid,))

    def test_auto_connect_switched_on_later_connects_on_next_view(self, api: Api) -> None:
        pid, affiliate = api.add_affiliate()
        offer = api.add_offer()
        api.admin.post(f"/3.0/admin/offer/{offer}", auto_offer_connect=1)
        assert [one["id"] for one in affiliate.get("/3.0/partner/live-offers")["offers"]] == [offer]
        api.admin.post("/3.0/admin/offer/delete", offer_id=offer)
        _, second = api.add_affiliate()
        assert second.get("/3.0/partner/live-offers")["offers"] == []
        assert links(api, offer).affiliates == (pid,)
