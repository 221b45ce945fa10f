"""Names of affiliates and advertisers, without the rest of their records."""

from tests.support.api import Api
from trackyard.domain.people.roles import Role


def test_names_of_affiliates_are_those_in_scope_by_number(api: Api) -> None:
    manager, client = api.add_staff(Role.MANAGER_AFFILIATE)
    ann, _ = api.add_affiliate(name="Ann", email="ann@a.example", login="ann", manager_id=manager)
    bob, _ = api.add_affiliate(name="Bob", email="bob@a.example", login="bob", status="banned")
    eve, _ = api.add_affiliate(name="", email="eve@a.example", login="eve")
    path = "/3.1/admin/partners/names"
    found = api.admin.get(path)
    assert found["partners"] == [
        {"id": ann, "email": "ann@a.example", "login": "ann", "name": "Ann"},
        {"id": bob, "email": "bob@a.example", "login": "bob", "name": "Bob"},
        {"id": eve, "email": "eve@a.example", "login": "eve", "name": ""},
    ]
    assert found["pagination"]["total_count"] == 3
    for sent, ids in (
        ({"status[]": "active"}, [ann, eve]),
        ({"id[]": [bob, 9999]}, [bob]),
        ({"id[]": bob, "status[]": "active"}, []),
    ):
        found = api.admin.get(path, **sent)
        assert [each["id"] for each in found["partners"]] == ids, sent
        assert found["pagination"]["total_count"] == len(ids), sent
    assert [each["id"] for each in client.get(path)["partners"]] == [ann]


def test_names_of_advertisers_are_those_in_scope_by_title(api: Api) -> None:
    manager, client = api.add_staff(Role.MANAGER_SALES)
    reef, bank = api.add_advertiser(title="Reef", manager=manager), api.add_advertiser(title="Bank")
    path = "/3.1/admin/advertisers/names"
    assert api.admin.get(path)["advertisers"] == [{"id": bank, "title": "Bank"}, {"id": reef, "title": "Reef"}]
    assert api.admin.get(path, **{"id[]": reef})["advertisers"] == [{"id": reef, "title": "Reef"}]
    assert client.get(path)["advertisers"] == [{"id": reef, "title": "Reef"}]


def test_every_page_of_a_list_says_how_many_rows_there_are(api: Api) -> None:
    ids = [api.add_affiliate()[0] for _ in range(5)]
    pages = [api.admin.get("/3.1/admin/partners/names", limit=2, page=page) for page in (1, 2, 3, 4, 9)]
    assert [[each["id"] for each in page["partners"]] for page in pages] == [ids[:2], ids[2:4], ids[4:], [], []]
    assert [page["pagination"]["total_count"] for page in pages] == [5] * 5
    assert api.admin.get("/3.1/admin/partners/names", limit=5)["pagination"]["total_count"] == 5
