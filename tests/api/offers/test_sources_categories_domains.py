"""Sources, categories, SmartLink categories and domains.

See docs/api/sources.md, docs/api/categories.md, docs/api/smartlinks.md and docs/api/domains.md.
"""

from typing import Any

import pytest

from tests.support.api import Api, installed
from tests.support.client import ApiClient
from tests.support.offers import store_offer
from trackyard.analytics.engine.connection import Analytics
from trackyard.domain.people.roles import Role
from trackyard.store.engine.database import Database
from trackyard.store.offers import offers


def remove(client: ApiClient, path: str) -> Any:
    return client.call("DELETE", path)


def add_source(api: Api, **titles: str) -> str:
    body = api.admin.post("/3.0/admin/offer/source", **{f"title_lang[{code}]": text for code, text in titles.items()})
    return str(body["source"]["id"])


def add_smartlink(api: Api, **params: Any) -> dict[str, Any]:
    made: dict[str, Any] = api.admin.post("/3.0/admin/smartlink/category", **{"name": "Summer"} | params)["data"]
    return made


def add_domain(api: Api, **params: Any) -> dict[str, Any]:
    made: dict[str, Any] = api.admin.post("/3.1/admin/domains", **{"url": "go.example.org"} | params)["domain"]
    return made


class TestSources:
    def test_source_titles_are_stored_by_language(self, api: Api) -> None:
        source = add_source(api, ru="Поиск", vi="Tìm kiếm")
        shown = {"id": source, "title": "Поиск", "title_lang": {"ru": "Поиск", "vi": "Tìm kiếm"}, "allowed": 1}
        assert api.admin.get("/3.0/admin/offer/sources")["sources"] == [shown]
        edited = api.admin.post(
            f"/3.0/admin/offer/source/{source}", **{"title_lang[en]": "Search", "title_lang[vi]": ""}
        )
        assert edited["source"] == shown | {"title": "Search", "title_lang": {"ru": "Поиск", "en": "Search"}}
        assert api.admin.get("/3.0/admin/offer/sources")["sources"] == [edited["source"]]

    def test_source_title_is_required_in_known_languages(self, api: Api) -> None:
        source = add_source(api, en="Search")
        for path in ("/3.0/admin/offer/source", f"/3.0/admin/offer/source/{source}"):
            for data in ({}, {"title_lang[xx]": "Search"}, {"title_lang[en]": " "}, {"title_lang": "Search"}):
                refused = api.admin.call("POST", path, data=data)
                assert refused.status_code == 400, data
                assert all(name.startswith("title_lang") for name in refused.json()["fields"])
        assert [one["title"] for one in api.admin.get("/3.0/admin/offer/sources")["sources"]] == ["Search"]

    def test_source_removal_clears_it_from_offers(self, database: Database, analytics: Analytics) -> None:
        api = installed(database, analytics)
        gone, kept = add_source(api, en="Gone"), add_source(api, en="Kept")
        offer = store_offer(api, sources=(gone, kept))
        other = store_offer(api, sources=(kept,))
        api.clock.advance(1000)
        body = remove(api.admin, f"/3.0/admin/offer/source/{gone}").json()
        assert body["source"]["title"] == "Gone"
        assert remove(api.admin, f"/3.0/admin/offer/source/{gone}").status_code == 404
        assert (
            api.admin.call("POST", f"/3.0/admin/offer/source/{gone}", data={"title_lang[en]": "x"}).status_code == 404
        )
        shown = [api.admin.get(f"/3.1/offer/{number}")["offer"] for number in (offer.id, other.id)]
        assert [one["sources"] for one in shown] == [[kept], [kept]]
        assert shown[0]["updated_at"] > shown[1]["updated_at"]
        with database.read() as conn:
            assert (offers.offers_with(conn, "source", gone), offers.offers_with(conn, "source", kept)) == (
                [],
                [offer.id, other.id],
            )


class TestCategories:
    def test_category_list_is_readable_by_every_caller_in_pages(self, api: Api) -> None:
        _, affiliate = api.add_affiliate()
        for number in range(3):
            api.clock.advance(1000)
            api.admin.post("/3.0/admin/category", title=f"C{number}")
        body = affiliate.get("/3.0/offer/categories", page=2, limit=2)
        assert [one["title"] for one in body["categories"]] == ["C2"]
        assert body["pagination"] == {"per_page": 2, "total_count": 3, "page": 2}
        first = api.admin.get("/3.0/offer/categories", limit=1)
        assert (first["categories"][0]["title"], first["pagination"]["next_page"]) == ("C0", 2)

    def test_category_list_is_filtered_by_id_and_sorted(self, api: Api) -> None:
        made = {}
        for title in ("B", "C", "A"):
            made[title] = api.admin.post("/3.0/admin/category", title=title)["category"]["id"]
            api.clock.advance(1)

        def titles(**params: Any) -> list[str]:
            body = api.admin.get("/3.1/offer/categories", **params)
            assert body["pagination"]["total_count"] == len(body["categories"])
            return [one["title"] for one in body["categories"]]

        assert titles() == titles(order="id") == titles(order="_id", orderType="asc") == ["B", "C", "A"]
        assert titles(orderType="desc") == ["A", "C", "B"]
        assert (titles(order="title"), titles(order="title", orderType="desc")) == (["A", "B", "C"], ["C", "B", "A"])
        assert titles(**{"ids[]": [made["A"], made["B"].upper()]}, order="title") == ["A", "B"]
        assert titles(ids=made["C"]) == ["C"]
        assert titles(ids="no-such-category") == []

    def test_offers_of_categories_and_sources_are_counted_in_every_status(self, api: Api) -> None:
        _, manager = api.add_staff(Role.MANAGER_SALES)
        games, sport = (
            str(api.admin.post("/3.1/admin/category", title=title)["category"]["id"]) for title in ("Games", "Sport")
        )
        mail = add_source(api, en="Mail")
        api.add_offer(**{"categories[]": games, "sources[]": mail})
        api.add_offer(status="stopped", **{"categories[]": [games, sport]})
        removed = api.add_offer(**{"categories[]": sport})
        api.admin.post("/3.1/admin/offer/delete", **{"offer_id[]": removed})

        def counts(asked: ApiClient, by: str, *ids: str) -> dict[str, int]:
            return dict(asked.get("/3.1/admin/offers/counts", **{"by": by, "ids[]": ids})["counts"])

        assert counts(api.admin, "categories", games, sport, "f" * 24) == {games: 2, sport: 1, "f" * 24: 0}
        assert counts(manager, "categories", games, sport) == {games: 2, sport: 1}
        assert counts(api.admin, "sources", mail, games) == {mail: 1, games: 0}
        assert counts(api.admin, "sources") == {}

    def test_category_rename_is_shown_in_offers(self, api: Api) -> None:
        category = api.admin.post("/3.0/admin/category", title="Finance")["category"]
        offer = store_offer(api, categories=(category["id"],))
        body = api.admin.post(f"/3.0/admin/category/{category['id']}", title="Money")
        assert body["category"] == {"id": category["id"], "title": "Money"}
        shown = api.admin.get(f"/3.0/offer/{offer.id}")["offer"]
        assert shown["full_categories"] == [body["category"]]
        for path in ("/3.0/admin/category", f"/3.0/admin/category/{category['id']}"):
            assert api.admin.call("POST", path, data={"title": ""}).json()["fields"].keys() == {"title"}


class TestSmartLinkCategories:
    def test_smartlink_category_is_added_edited_and_removed(self, database: Database, analytics: Analytics) -> None:
        api = installed(database, analytics)
        domain = add_domain(api, url="sl.example.org", use_https=0)
        made = add_smartlink(api, description="Hot", domain_id=domain["id"])
        assert made == {
            "_id": made["_id"], "name": "Summer", "domain": "sl.example.org", "domain_id": domain["id"],
            "use_https": False, "description": "Hot", "count_offer": 0,
            "created_at": "2023-11-14 22:13:20", "updated_at": "2023-11-14 22:13:20",
        }  # fmt: skip
        path = f"/3.0/admin/smartlink/category/{made['_id']}"
        offer = store_offer(api, smartlink_categories=(made["_id"],))
        api.clock.advance(1000)
        edited = api.admin.post(path, name="Winter")
        assert edited["data"] == edited["category"]
        changed = {"name": "Winter", "count_offer": 1, "updated_at": "2023-11-14 22:13:21"}
        assert edited["data"] == made | changed
        cleared = api.admin.post(path, domain_id="", description="")["data"]
        assert (cleared["domain_id"], cleared["domain"], cleared["description"]) == (None, "track.example", None)
        removed = api.admin.post(f"{path}/remove")
        assert removed["category"] == removed["data"] == cleared
        assert api.admin.call("POST", f"{path}/remove").status_code == 404
        assert api.admin.get(f"/3.1/offer/{offer.id}")["offer"]["smartlink_categories"] == []
        assert api.admin.get("/3.0/admin/smartlink/categories")["data"] == []

    def test_smartlink_category_list_is_filtered_by_id(self, api: Api) -> None:
        first, second = add_smartlink(api, name="A"), add_smartlink(api, name="B")
        path = "/3.0/admin/smartlink/categories"
        assert {one["_id"] for one in api.admin.get(path)["data"]} == {first["_id"], second["_id"]}
        assert api.admin.get(path, **{"id[]": [second["_id"], "f" * 24]})["data"] == [second]
        assert api.admin.get(path, id="nothing")["data"] == []

    def test_smartlink_category_with_invalid_value_is_rejected(self, api: Api) -> None:
        made = add_smartlink(api)
        edit = f"/3.0/admin/smartlink/category/{made['_id']}"
        for path, data, field in (
            ("/3.0/admin/smartlink/category", {"name": ""}, "name"),
            ("/3.0/admin/smartlink/category", {"name": "A", "domain_id": 99}, "domain_id"),
            (edit, {"domain_id": 99}, "domain_id"),
            (edit, {"name": ""}, "name"),
        ):
            assert api.admin.call("POST", path, data=data).json()["fields"].keys() == {field}
        assert api.admin.get("/3.0/admin/smartlink/categories")["data"] == [made]

    def test_smartlink_category_counts_offers_visible_to_affiliate(self, api: Api) -> None:
        pid, affiliate = api.add_affiliate()
        made = add_smartlink(api)
        group = (made["_id"],)
        store_offer(api, smartlink_categories=group)
        store_offer(api, smartlink_categories=group, status="stopped")
        private = store_offer(api, smartlink_categories=group, privacy="private")
        store_offer(api, smartlink_categories=group, privacy="protected")
        [shown] = affiliate.get("/3.0/partner/smartlink/categories")["data"]
        names = ("_id", "name", "domain", "use_https", "description", "created_at")
        assert shown == {name: made[name] for name in names}
        count = f"/3.0/partner/smartlink/category/{made['_id']}/offers-count"
        assert affiliate.get(count)["data"] == {"count": 2}
        api.admin.post("/3.0/offer/enable-affiliate", offer_id=private.id, pid=pid)
        assert affiliate.get(count)["data"] == {"count": 3}
        assert api.admin.get(f"/3.0/admin/smartlink/category/{made['_id']}/offers-count")["data"] == {"count": 4}
        assert affiliate.call("GET", "/3.0/admin/smartlink/categories").status_code == 403


class TestDomains:
    def test_domain_is_added_edited_and_removed(self, database: Database, analytics: Analytics) -> None:
        api = installed(database, analytics)
        made = add_domain(api, url="https://GO.example.org/")
        assert made == {"id": made["id"], "url": "go.example.org", "use_https": True}
        edited = api.admin.post(f"/3.1/admin/domains/{made['id']}", use_https=0)["domain"]
        assert edited == made | {"use_https": False}
        assert api.admin.get("/3.0/admin/domains")["domains"] == {str(made["id"]): edited}
        offer = store_offer(api, domain_id=made["id"])
        assert api.admin.get(f"/3.1/offer/{offer.id}")["offer"]["domain_url"] == "go.example.org"
        used = api.admin.call("POST", f"/3.1/admin/domains/{made['id']}/remove")
        assert (used.status_code, used.json()["fields"].keys()) == (409, {"id"})
        free = add_domain(api, url="free.example.org:8443")
        assert api.admin.post(f"/3.1/admin/domains/{free['id']}/remove")["domain"] == free
        assert api.admin.call("POST", f"/3.1/admin/domains/{free['id']}/remove").status_code == 404

    def test_domain_host_must_be_unique(self, api: Api) -> None:
        first, second = add_domain(api), add_domain(api, url="b.example.org")
        for path in ("/3.1/admin/domains", f"/3.1/admin/domains/{second['id']}"):
            refused = api.admin.call("POST", path, data={"url": "GO.example.org"})
            assert (refused.status_code, refused.json()["fields"].keys()) == (409, {"url"})
        assert api.admin.post(f"/3.1/admin/domains/{first['id']}", url="go.example.org")["domain"] == first

    @pytest.mark.parametrize(
        "url", ["", "a b", "-a.example", "a.example:0", "a.example:70000", "a/b", "a..b", "ftp://a"]
    )
    def test_domain_with_invalid_host_is_rejected(self, api: Api, url: str) -> None:
        assert api.admin.call("POST", "/3.1/admin/domains", data={"url": url}).json()["fields"].keys() == {"url"}


class TestOrders:
    def test_sources_are_listed_in_the_order_of_a_request(self, api: Api) -> None:
        for titles in ({"en": "video"}, {"es": "Correo"}, {"en": "Banners", "ru": "Баннеры"}):
            add_source(api, **titles)
            api.clock.advance(1)

        def titles_by(**sent: str) -> list[str]:
            return [each["title"] for each in api.admin.get("/3.1/admin/offer/sources", **sent)["sources"]]

        assert titles_by() == ["video", "Correo", "Banners"]
        assert titles_by(orderType="desc") == ["Banners", "Correo", "video"]
        assert titles_by(order="title") == ["Banners", "Correo", "video"]
        assert titles_by(order="languages", orderType="desc") == ["Correo", "Banners", "video"]

    def test_smartlinks_are_listed_in_the_order_of_a_request(self, api: Api) -> None:
        domain = add_domain(api, url="a.example")
        oldest = add_smartlink(api, name="winter")
        for params in ({"name": "Autumn"}, {"name": "Summer", "domain_id": domain["id"], "description": "Hot"}):
            api.clock.advance(1)
            add_smartlink(api, **params)
        store_offer(api, smartlink_categories=(oldest["_id"],))

        def names_by(order: str, direction: str = "asc") -> list[str]:
            found = api.admin.get("/3.1/admin/smartlink/categories", order=order, orderType=direction)["data"]
            return [each["name"] for each in found]

        assert names_by("_id") == names_by("created_at") == ["winter", "Autumn", "Summer"]
        assert names_by("created_at", "desc") == ["Summer", "Autumn", "winter"]
        assert names_by("name") == ["Autumn", "Summer", "winter"]
        assert names_by("domain") == ["Summer", "winter", "Autumn"]
        assert names_by("description", "desc") == ["Summer", "winter", "Autumn"]
        assert names_by("count_offer", "desc") == ["winter", "Autumn", "Summer"]

    def test_domains_are_listed_in_the_order_of_a_request(self, api: Api) -> None:
        for url, use_https in (("b.example", 1), ("c.example", 0), ("a.example", 1)):
            add_domain(api, url=url, use_https=use_https)

        def hosts_by(**sent: str) -> list[str]:
            return [each["url"] for each in api.admin.get("/3.1/admin/domains", **sent)["domains"].values()]

        assert hosts_by() == ["b.example", "c.example", "a.example"]
        assert hosts_by(order="url") == ["a.example", "b.example", "c.example"]
        assert hosts_by(order="use_https") == ["c.example", "b.example", "a.example"]
        assert hosts_by(order="id", orderType="desc") == ["a.example", "c.example", "b.example"]

    @pytest.mark.parametrize(
        "path", ["admin/offer/sources", "admin/smartlink/categories", "admin/domains", "offer/categories"]
    )
    def test_order_by_what_a_list_has_not_is_refused_by_name(self, api: Api, path: str) -> None:
        for sent in ({"order": "color"}, {"orderType": "up"}):
            refused = api.admin.call("GET", f"/3.1/{path}", params=sent)
            assert (refused.status_code, refused.json()["fields"].keys()) == (400, sent.keys())


READS = ("/3.0/admin/offer/sources", "/3.0/admin/domains", "/3.0/admin/smartlink/categories", "/3.0/offer/categories")
WRITES: tuple[tuple[str, dict[str, str]], ...] = (
    ("/3.0/admin/offer/source", {"title_lang[en]": "Search"}),
    ("/3.0/admin/smartlink/category", {"name": "Summer"}),
    ("/3.0/admin/category", {"title": "Finance"}),
    ("/3.1/admin/domains", {"url": "a.example"}),
)


@pytest.mark.parametrize(
    ("role", "reads", "writes"),
    [
        (Role.SECTION_OFFER, [200, 200, 200, 200], [200, 200, 403, 403]),
        (Role.SECTION_CATEGORY, [403, 403, 403, 200], [403, 403, 200, 403]),
        (Role.MANAGER_SALES, [200, 200, 200, 200], [403, 403, 403, 403]),
        (Role.MANAGER_AFFILIATE, [200, 200, 200, 200], [403, 403, 403, 403]),
        (Role.SECTION_PARTNER, [403, 403, 403, 403], [403, 403, 403, 403]),
        (Role.ADMIN, [200, 200, 200, 200], [200, 200, 200, 200]),
    ],
)
def test_catalogue_reads_and_writes_follow_roles(api: Api, role: Role, reads: list[int], writes: list[int]) -> None:
    _, client = api.add_staff(role)
    assert [client.call("GET", path).status_code for path in READS] == reads
    assert [client.call("POST", path, data=data).status_code for path, data in WRITES] == writes


def test_smartlink_categories_are_filtered_by_id_and_name(api: Api) -> None:
    summer = add_smartlink(api, name="Sommer")["_id"]
    api.clock.advance(1000)
    winter = add_smartlink(api, name="Winter ÄRA")["_id"]

    def found(**params: Any) -> list[str]:
        return [each["_id"] for each in api.admin.get("/3.0/admin/smartlink/categories", **params)["data"]]

    assert found(id=summer) == [summer] and found(**{"id[]": [summer, winter.upper()]}) == [summer, winter]
    assert found(name="SOM") == [summer] and found(name="ära") == [winter] and found(name="er") == [summer, winter]
    assert found(**{"name[]": ["som", "nothing"]}) == [summer] and found(name="nothing") == []
    assert found(name="er", id=winter) == [winter] and found(name="") == [summer, winter]
