"""Postbacks of affiliates: rules of both versions, owners, and removal."""

from typing import Any

import pytest
from sqlalchemy import select

from tests.support.api import Api
from tests.support.client import ApiClient
from tests.support.models.history import add_conversion
from trackyard.domain.people.roles import Role
from trackyard.jobs.conversions.edits import ConversionEditor
from trackyard.store.tables import delivery

URL = "https://affiliate.example/?c={clickid}"
REMOVE = ("DELETE", "/3.1/partner/postback/{}/remove")


def add(client: ApiClient, version: str = "3.0", **params: Any) -> Any:
    return client.post(f"/{version}/partner/postback", **{"url": URL} | params)["postback"]


def listed(api: Api, pid: int) -> list[int]:
    body = api.admin.get("/3.0/admin/postbacks", partner_id=pid)
    return [postback["id"] for postback in body["postbacks"]]


def test_postback_edit_changes_sent_fields_only(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    offer = api.add_offer()
    made = add(affiliate, offer_id=offer, status="hold", goal="2")
    api.clock.advance(5_000)
    path = f"/3.0/partner/postback/{made['id']}"
    moved = affiliate.post(path, url="https://b.example/")["postback"]
    assert moved == made | {"url": "https://b.example/", "updated_at": moved["updated_at"]}
    assert moved["updated_at"] > made["updated_at"]
    assert affiliate.post(path, url=URL, status="confirmed")["postback"]["status"] == "confirmed"
    cleared = affiliate.post(path, url=URL, status="", goal="")["postback"]
    assert (cleared["status"], cleared["goal"], cleared["offer_id"]) == (None, None, str(offer))
    assert affiliate.call("POST", path, data={"status": "hold"}).json()["fields"].keys() == {"url"}
    assert listed(api, pid) == [made["id"]]


def test_postback_status_not_found_is_declined_under_3_1(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    old = add(affiliate, status="not_found")
    assert old["status"] == "not_found"
    for version, shown in (("3.0", "not_found"), ("3.1", "declined")):
        [postback] = api.admin.get(f"/{version}/admin/postbacks", partner_id=pid)["postbacks"]
        assert postback["status"] == shown
    new = affiliate.post(f"/3.1/partner/postback/{old['id']}", url=URL, status="not_found")["postback"]
    assert new["status"] == "declined"
    [postback] = api.admin.get("/3.0/admin/postbacks", partner_id=pid)["postbacks"]
    assert postback["status"] == "declined"


def test_postback_status_in_offer_links_depends_on_version(api: Api) -> None:
    _, affiliate = api.add_affiliate()
    offer = api.add_offer(privacy="public")
    add(affiliate, offer_id=offer, status="not_found")
    for version, shown in (("3.0", "not_found"), ("3.1", "declined")):
        [one] = affiliate.get(f"/{version}/partner/offers")["offers"]
        assert [postback["status"] for postback in one["links"][0]["postbacks"]] == [shown]


@pytest.mark.parametrize(("method", "path"), [("POST", "/3.1/partner/postback/{}"), REMOVE])
def test_postback_of_another_affiliate_is_404(api: Api, method: str, path: str) -> None:
    pid, affiliate = api.add_affiliate()
    _, other = api.add_affiliate()
    made = add(affiliate)
    assert other.call(method, path.format(made["id"]), data={"url": URL}).status_code == 404
    assert listed(api, pid) == [made["id"]]
    assert affiliate.call(method, path.format(made["id"]), data={"url": URL}).status_code == 200


def test_postback_can_be_moved_to_another_affiliate_by_staff(api: Api) -> None:
    (pid, affiliate), (other, _) = api.add_affiliate(), api.add_affiliate()
    made = add(affiliate)
    path = f"/3.1/partner/postback/{made['id']}"
    assert api.admin.post(path, url=URL, pid=other)["postback"]["pid"] == str(other)
    assert (listed(api, pid), listed(api, other)) == ([], [made["id"]])
    unknown = api.admin.call("POST", path, data={"url": URL, "pid": 999})
    assert (unknown.status_code, unknown.json()["fields"].keys()) == (400, {"pid"})
    ignored = add(affiliate)
    answer = affiliate.call("POST", f"/3.1/partner/postback/{ignored['id']}", data={"url": URL, "pid": other})
    assert answer.headers["x-ignored-parameters"] == "pid"
    assert answer.json()["postback"]["pid"] == str(pid)


def test_postback_removed_is_no_longer_listed(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    made, kept = add(affiliate, goal="2"), add(affiliate)
    path = f"/3.0/partner/postback/{made['id']}/remove"
    assert affiliate.call("DELETE", path).json()["postback"] == made
    assert affiliate.call("DELETE", path).status_code == 404
    assert listed(api, pid) == [kept["id"]]


def test_postback_removal_by_affiliates_respects_scope(api: Api) -> None:
    (pid, affiliate), (other, _) = api.add_affiliate(), api.add_affiliate()
    add(affiliate), add(affiliate, offer_id=api.add_offer())
    foreign = add(api.admin, pid=other)["id"]
    path = "/3.0/partner/postbacks/by-affiliates"
    refused = affiliate.call("DELETE", path, params={"ids": f"{pid},{other}"})
    assert (refused.status_code, refused.json()["fields"].keys()) == (400, {"ids"})
    assert len(listed(api, pid)) == 2
    assert affiliate.call("DELETE", path, params={"ids": pid}).json()["message"] == "2 postbacks were removed"
    assert affiliate.call("DELETE", path, data={"ids": pid}).json()["message"] == "No postbacks were removed"
    assert (listed(api, pid), listed(api, other)) == ([], [foreign])
    for nothing in ({}, {"ids": ""}):
        assert api.admin.call("DELETE", path, params=nothing).json()["message"] == "No postbacks were removed"
    assert api.admin.call("DELETE", path, params={"ids": f"{pid},999"}).status_code == 400
    assert listed(api, other) == [foreign]
    assert (
        api.admin.call("DELETE", path, params={"ids": f"{pid},{other}"}).json()["message"] == "1 postback was removed"
    )


def test_postback_removal_by_offers_respects_scope(api: Api) -> None:
    (pid, affiliate), (other, _) = api.add_affiliate(), api.add_affiliate()
    first, second, hidden = api.add_offer(), api.add_offer(), api.add_offer(privacy="private")
    everywhere, kept = add(affiliate)["id"], add(affiliate, offer_id=second)["id"]
    add(affiliate, offer_id=first)
    foreign = add(api.admin, pid=other, offer_id=first)["id"]
    path = "/3.1/partner/postbacks/by-offers"
    assert affiliate.call("DELETE", path, params={"ids": f"{first},{hidden}"}).status_code == 400
    assert len(listed(api, pid)) == 3
    assert affiliate.call("DELETE", path, params={"ids": first}).json()["message"] == "1 postback was removed"
    assert affiliate.call("DELETE", path, params={"ids": first}).json()["message"] == "No postbacks were removed"
    assert (listed(api, pid), listed(api, other)) == ([everywhere, kept], [foreign])
    assert api.admin.call("DELETE", path, params={"ids": "999"}).status_code == 400
    assert api.admin.call("DELETE", path, params={"ids": f"{first},{second}"}).json()["status"] == 1
    assert (listed(api, pid), listed(api, other)) == ([everywhere], [])


def test_postback_of_removed_offer_can_be_removed(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    offer = api.add_offer()
    add(affiliate, offer_id=offer)
    api.admin.post("/3.0/admin/offer/delete", offer_id=offer)
    for client, status in ((affiliate, 200), (affiliate, 400), (api.admin, 400)):
        assert client.call("DELETE", "/3.0/partner/postbacks/by-offers", params={"ids": offer}).status_code == status
    assert listed(api, pid) == []


def test_postback_removal_by_manager_covers_own_affiliates_only(api: Api) -> None:
    manager, client = api.add_staff(Role.MANAGER_AFFILIATE)
    (own, _), (foreign, _) = api.add_affiliate(manager_id=manager), api.add_affiliate()
    offer = api.add_offer()
    mine, theirs = (add(api.admin, pid=pid, offer_id=offer)["id"] for pid in (own, foreign))
    for method, path in (("POST", "/3.1/partner/postback/{}"), REMOVE):
        assert client.call(method, path.format(theirs), data={"url": URL}).status_code == 404
    path = f"/3.0/partner/postback/{mine}"
    assert client.call("POST", path, data={"url": URL, "pid": foreign}).json()["fields"].keys() == {"pid"}
    assert client.call("GET", f"/3.0/admin/postbacks?partner_id={foreign}").json()["fields"].keys() == {"partner_id"}
    by_affiliates = client.call("DELETE", "/3.0/partner/postbacks/by-affiliates", params={"ids": f"{own},{foreign}"})
    assert by_affiliates.json()["fields"] == {"ids": [f"An affiliate {foreign} does not exist."]}
    client.call("DELETE", "/3.0/partner/postbacks/by-offers", params={"ids": offer})
    assert (listed(api, own), listed(api, foreign)) == ([], [theirs])


def test_postback_list_has_pages(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    ids = [add(affiliate)["id"] for _ in range(3)]
    first = api.admin.get("/3.0/admin/postbacks", partner_id=pid, limit=2)
    assert [postback["id"] for postback in first["postbacks"]] == ids[:2]
    assert first["pagination"] == {"per_page": 2, "total_count": 3, "page": 1, "next_page": 2}
    second = api.admin.get("/3.0/admin/postbacks", partner_id=pid, limit=2, page=2)
    assert [postback["id"] for postback in second["postbacks"]] == ids[2:]
    assert api.admin.call("GET", "/3.0/admin/postbacks").json()["fields"].keys() == {"partner_id"}


@pytest.mark.parametrize("stored", ["not_found", "declined"])
def test_postback_shown_as_declined_is_sent_for_declined_conversions(api: Api, stored: str) -> None:
    pid, affiliate = api.add_affiliate()
    offer = api.add_offer()
    made = add(affiliate, "3.0", status=stored)
    add(affiliate, "3.0", status="hold")
    [shown, _] = api.admin.get("/3.1/admin/postbacks", partner_id=pid)["postbacks"]
    assert (shown["id"], shown["status"]) == (made["id"], "declined")
    first, second, third = (add_conversion(api.deps, n, offer_id=offer, affiliate_id=pid) for n in (1, 2, 3))
    editor = ConversionEditor(api.deps.database, api.deps.currency, api.deps.zone, api.clock)
    for conversion, status in ((first, "declined"), (second, "not_found"), (third, "pending"), (first, "not_found")):
        api.admin.post("/3.0/admin/conversion/edit", ids=conversion.id, status=status)
        while editor.step():
            pass
    declined = api.admin.get("/3.1/stats/conversions", status=3, date_from="2023-11-14", date_to="2023-11-16")
    with api.deps.database.read() as conn:
        called = conn.execute(select(delivery.c.postback_id, delivery.c.subject_id).order_by(delivery.c.id)).all()
    assert {item["id"] for item in declined["conversions"]} == {first.id, second.id}
    assert sorted(tuple(row) for row in called) == [(made["id"], first.id), (made["id"], second.id)]


def test_postbacks_are_filtered_by_offer_id_and_affiliate(api: Api) -> None:
    (one, _), (two, _) = api.add_affiliate(), api.add_affiliate()
    shoes, hats = api.add_offer(), api.add_offer()
    given = ((one, None), (one, shoes), (one, hats), (two, shoes))
    ids = [
        add(api.admin, pid=pid, url="https://a.example", **({} if offer is None else {"offer_id": offer}))["id"]
        for pid, offer in given
    ]

    def found(**params: Any) -> list[int]:
        answer = api.admin.get("/3.0/admin/postbacks", **params)
        assert answer["pagination"]["total_count"] == len(answer["postbacks"])
        return [row["id"] for row in answer["postbacks"]]

    assert found(partner_id=one) == ids[:3] and found(**{"partner_id[]": [one, two]}) == ids
    assert found(partner_id=one, offer_ids=shoes) == [ids[1]]
    assert found(partner_id=one, offer_ids=f"{shoes},{hats}") == ids[1:3]
    assert found(partner_id=one, **{"offer_ids[]": [hats, 99]}) == [ids[2]]
    assert found(partner_id=one, only_global=1) == ids[:1] and found(partner_id=one, only_global=0) == ids[:3]
    assert found(partner_id=one, after_id=ids[0]) == ids[1:3] and found(partner_id=one, after_id=ids[2]) == []
    assert found(partner_id=one, only_global=1, offer_ids=shoes) == []
    assert api.admin.refusal("GET", "/3.0/admin/postbacks", params={"partner_id": [one, 99]}) == (400, ["partner_id"])


def test_postback_beyond_50_of_affiliate_is_a_clear_400(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    for _ in range(50):
        made = add(affiliate)
    refused = affiliate.call("POST", "/3.0/partner/postback", data={"url": URL})
    assert refused.status_code == 400
    assert "There are 50 postbacks already: remove one first" in refused.json()["fields"]["url"][0]
    add(api.admin, pid=pid)  # staff may add more
    assert len(api.admin.get("/3.0/admin/postbacks", partner_id=pid, limit=100)["postbacks"]) == 51
    other, _ = api.add_affiliate()
    api.admin.post(f"/3.0/partner/postback/{made['id']}", url=URL, pid=other)
    api.admin.call("DELETE", "/3.0/partner/postbacks/by-affiliates", data={"ids": pid})
    add(affiliate)


@pytest.mark.parametrize("host", ["track.example", "api.example", "go.brand.example"])
def test_postback_to_own_host_is_refused_when_written(api: Api, host: str) -> None:
    _, affiliate = api.add_affiliate()
    api.admin.post("/3.1/admin/domains", url="go.brand.example")
    loop = f"http://{host}/postback?clickid={{clickid}}&action_id={{transactionid}}-{{rand}}"
    made, offer = add(affiliate), api.add_offer()
    for path, name, client in (
        ("/3.0/partner/postback", "url", affiliate),
        (f"/3.0/partner/postback/{made['id']}", "url", affiliate),
        ("/3.0/partner/postback/test", "url", affiliate),
        (f"/3.0/admin/offer/{offer}", "cross_postback_url", api.admin),
        (f"/3.0/admin/offer/{offer}", "parallel_tracking_url", api.admin),
    ):
        refused = client.call("POST", path, data={name: loop})
        assert refused.status_code == 400, path
        assert refused.json()["fields"][name] == ["This URL belongs to the platform: use a URL of another server."]
