"""Pixels of affiliates: both forms of their methods, and who moderates what."""

from typing import Any

import pytest

from tests.support.api import Api
from tests.support.client import ApiClient
from trackyard.domain.people.roles import Role
from trackyard.store.tracking import rulesets

IMAGE = {"name": "Count", "code": '<img src="https://a.example/{clickid}.gif">', "code_type": "image"}
OTHER_IMAGE = '<img src="https://b.example/">'


def add(client: ApiClient, offer: int, **params: Any) -> Any:
    return client.post("/3.0/partner/pixel", offer_id=offer, **IMAGE | params)["pixel"]


def listed(client: ApiClient, pid: int | None = None) -> Any:
    return client.get("/3.0/partner/pixels" + ("" if pid is None else f"/{pid}"))["pixel"]


def test_pixel_of_affiliate_waits_for_moderation(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    offer = api.add_offer()
    made = add(affiliate, offer)
    assert {name: made[name] for name in IMAGE} == IMAGE
    assert (made["offer_id"], made["pid"], made["is_active"]) == (str(offer), str(pid), "1")
    assert made["moderation_status"] == "0"
    full = api.admin.get(f"/3.0/offer/{offer}")["offer"]
    assert made["offer"] == {name: full[name] for name in ("id", "offer_id", "title", "preview_url")}
    assert listed(affiliate) == listed(api.admin, pid) == {str(made["id"]): made}


def test_pixel_moderation_is_ignored_from_affiliates(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    other, _ = api.add_affiliate()
    own_words = IMAGE | {"is_active": "0", "moderation_status": "1", "pid": other, "offer_id": api.add_offer()}
    answer = affiliate.call("POST", "/3.1/partner/pixel", data=own_words)
    assert answer.headers["x-ignored-parameters"] == "is_active,moderation_status,pid"
    made = answer.json()["pixel"]
    assert (made["pid"], made["is_active"], made["moderation_status"]) == (str(pid), "1", "0")
    path = f"/3.1/partner/pixel/{made['id']}"
    answer = affiliate.call("POST", path, data={"moderation_status": "1", "is_active": "0"})
    assert answer.headers["x-ignored-parameters"] == "is_active,moderation_status"
    assert answer.json()["pixel"]["moderation_status"] == "0"


def test_pixel_beyond_50_of_affiliate_is_a_clear_400(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    offer = api.add_offer()
    for _ in range(50):
        made = add(affiliate, offer)
    refused = affiliate.call("POST", "/3.0/partner/pixel", data=IMAGE | {"offer_id": offer})
    assert refused.status_code == 400
    assert "There are 50 pixels already: remove one first" in refused.json()["fields"]["code"][0]
    add(api.admin, offer, pid=pid)  # staff may add more
    affiliate.post(f"/3.0/partner/pixel/{made['id']}", name="Sales")
    for number in (made["id"], made["id"] - 1):
        affiliate.call("DELETE", f"/3.0/partner/pixel/{number}/remove")
    add(affiliate, offer)


def test_pixel_code_changed_by_affiliate_needs_new_moderation(api: Api) -> None:
    _, affiliate = api.add_affiliate()
    made = add(affiliate, api.add_offer())
    path = f"/3.0/partner/pixel/{made['id']}"
    assert api.admin.post(path, moderation_status=1)["pixel"]["moderation_status"] == "1"
    assert affiliate.post(path, name="Sales")["pixel"] == made | {"name": "Sales", "moderation_status": "1"}
    assert affiliate.post(path, code=IMAGE["code"])["pixel"]["moderation_status"] == "1"
    assert affiliate.post(path, code=OTHER_IMAGE)["pixel"]["moderation_status"] == "0"
    assert api.admin.post(path, moderation_status=1, is_active=0)["pixel"]["is_active"] == "0"
    assert api.admin.post(path, code=IMAGE["code"])["pixel"]["moderation_status"] == "1"


def test_pixel_added_by_staff_needs_affiliate_id(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    offer = api.add_offer()
    assert add(api.admin, offer, pid=pid)["moderation_status"] == "1"
    held = add(api.admin, offer, pid=pid, moderation_status=2, is_active=0)
    assert (held["moderation_status"], held["is_active"]) == ("2", "0")
    assert len(listed(affiliate)) == 2
    for params, names in (
        ({}, {"pid"}),
        ({"pid": 999}, {"pid"}),
        ({"pid": pid, "moderation_status": 3}, {"moderation_status"}),
    ):
        answer = api.admin.call("POST", "/3.0/partner/pixel", data=IMAGE | {"offer_id": offer} | params)
        assert (answer.status_code, answer.json()["fields"].keys()) == (400, names)


@pytest.mark.parametrize(
    ("params", "names"),
    [
        ({}, {"offer_id", "name", "code", "code_type"}),
        (IMAGE | {"offer_id": 999}, {"offer_id"}),
        (IMAGE | {"offer_id": "private"}, {"offer_id"}),
        (IMAGE | {"offer_id": "public", "code_type": "javascript"}, {"code"}),
        (IMAGE | {"offer_id": "public", "code": "https://a.example"}, {"code"}),
        (IMAGE | {"offer_id": "public", "name": ""}, {"name"}),
    ],
)
def test_pixel_with_invalid_value_is_rejected(api: Api, params: dict[str, Any], names: set[str]) -> None:
    _, affiliate = api.add_affiliate()
    offers = {privacy: api.add_offer(privacy=privacy) for privacy in ("public", "private")}
    sent = params | {name: offers.get(str(value), value) for name, value in params.items() if name == "offer_id"}
    answer = affiliate.call("POST", "/3.0/partner/pixel", data=sent)
    assert (answer.status_code, answer.json()["fields"].keys()) == (400, names)
    assert listed(affiliate) == {}


def test_pixel_edit_checks_code_against_type(api: Api) -> None:
    _, affiliate = api.add_affiliate()
    made = add(affiliate, api.add_offer())
    path = f"/3.0/partner/pixel/{made['id']}"
    assert affiliate.call("POST", path, data={"code_type": "iframe"}).json()["fields"].keys() == {"code"}
    both = affiliate.post(path, code_type="iframe", code='<iframe src="https://a.example"></iframe>')["pixel"]
    assert both["code_type"] == "iframe"
    assert listed(affiliate) == {str(made["id"]): both}


def test_pixel_removed_is_404(api: Api) -> None:
    _, affiliate = api.add_affiliate()
    _, other = api.add_affiliate()
    offer = api.add_offer()
    made, kept = add(affiliate, offer), add(affiliate, offer)
    for method, path in (("POST", "/3.0/partner/pixel/{}"), ("DELETE", "/3.0/partner/pixel/{}/remove")):
        assert other.call(method, path.format(made["id"])).status_code == 404
    path = f"/3.1/partner/pixel/{made['id']}/remove"
    assert affiliate.call("DELETE", path).json()["pixel"] == made
    assert affiliate.call("DELETE", path).status_code == 404
    assert listed(affiliate) == {str(kept["id"]): kept}


def test_pixel_list_of_manager_covers_own_affiliates_only(api: Api) -> None:
    manager, client = api.add_staff(Role.MANAGER_AFFILIATE)
    (own, _), (foreign, _) = api.add_affiliate(manager_id=manager), api.add_affiliate()
    offer = api.add_offer()
    mine, theirs = (add(api.admin, offer, pid=pid)["id"] for pid in (own, foreign))
    assert set(listed(client)) == {str(mine)}
    assert set(listed(client, own)) == {str(mine)}
    assert set(listed(api.admin)) == {str(mine), str(theirs)}
    assert client.call("GET", f"/3.0/partner/pixels/{foreign}").status_code == 404
    assert client.call("POST", f"/3.0/partner/pixel/{theirs}", data={"name": "x"}).status_code == 404
    assert client.call("DELETE", f"/3.0/partner/pixel/{theirs}/remove").status_code == 404
    refused = client.call("POST", "/3.0/partner/pixel", data=IMAGE | {"offer_id": offer, "pid": foreign})
    assert refused.json()["fields"].keys() == {"pid"}
    assert client.call("POST", f"/3.0/partner/pixel/{mine}", data={"is_active": 0}).json()["pixel"]["is_active"] == "0"


def test_pixel_ruleset_has_active_accepted_pixels_only(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    offer = api.add_offer()
    key = f"{offer}-{pid}"

    def shown(since: int) -> tuple[str, ...] | None:
        """What the rule says, which must have been touched since the version `since`."""
        with api.deps.database.read() as conn:
            assert key in [change.key for change in rulesets.changes_since(conn, since, 100) if change.kind == "pixels"]
            row = rulesets.compile_row(conn, "pixels", key)
            assert (key in {each for kind, each, _ in rulesets.each_row(conn) if kind == "pixels"}) == (row is not None)
        return None if row is None else row.codes  # type: ignore[union-attr]

    def version() -> int:
        with api.deps.database.read() as conn:
            return rulesets.ruleset_version(conn)

    before = version()
    path = f"/3.0/partner/pixel/{add(affiliate, offer)['id']}"
    assert shown(before) is None
    before = version()
    api.admin.post(path, moderation_status=1)
    api.admin.post("/3.0/partner/pixel", pid=pid, offer_id=offer, **IMAGE | {"code": OTHER_IMAGE})
    api.admin.post("/3.0/partner/pixel", pid=pid, offer_id=api.add_offer(), **IMAGE)
    assert shown(before) == (IMAGE["code"], OTHER_IMAGE)
    before = version()
    api.admin.post(path, is_active=0)
    assert shown(before) == (OTHER_IMAGE,)
    api.admin.post(path, is_active=1)
    before = version()
    assert affiliate.call("DELETE", path + "/remove").status_code == 200
    assert shown(before) == (OTHER_IMAGE,)


def test_pixel_rejected_status_is_minus_one_and_accepts_legacy_number(api: Api) -> None:
    pid, affiliate = api.add_affiliate()
    offer = api.add_offer()
    made = add(affiliate, offer)
    path = f"/3.0/partner/pixel/{made['id']}"
    for status in ("-1", "2"):
        assert api.admin.post(path, moderation_status=status)["pixel"]["moderation_status"] == status
        assert listed(affiliate)[str(made["id"])]["moderation_status"] == status
        with api.deps.database.read() as conn:
            assert rulesets.compile_row(conn, "pixels", f"{offer}-{pid}") is None
    refused = api.admin.call("POST", path, data={"moderation_status": "-2"})
    assert list(refused.json()["fields"]) == ["moderation_status"]


def test_pixels_are_filtered_by_affiliate_and_moderation_status(api: Api) -> None:
    (one, affiliate), (other, _) = api.add_affiliate(), api.add_affiliate()
    offer = api.add_offer()
    ids = [add(api.admin, offer, pid=one, moderation_status=status)["id"] for status in (0, 1, 2, -1)]
    foreign = add(api.admin, offer, pid=other, moderation_status=1)["id"]

    def found(client: ApiClient = api.admin, path: str = "", **params: Any) -> list[int]:
        return [int(number) for number in client.get(f"/3.0/partner/pixels{path}", **params)["pixel"]]

    assert found(pid=other) == [foreign] and found(**{"pid[]": [one, other]}) == [*ids, foreign]
    assert found(moderation_status=1) == [ids[1], foreign]
    assert found(moderation_status=-1) == found(moderation_status=2) == ids[2:]
    assert found(pid=one, **{"moderation_status[]": [0, 1]}) == ids[:2]
    assert found(path=f"/{one}", moderation_status=0) == ids[:1]
    assert found(affiliate, moderation_status=1) == ids[1:2]
    answer = affiliate.call("GET", "/3.0/partner/pixels", params={"pid": other})
    assert list(answer.json()["pixel"]) == [str(number) for number in ids]
    assert answer.headers["x-ignored-parameters"] == "pid" and answer.json()["warnings"]
