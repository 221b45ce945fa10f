"""Reports that people save."""

from tests.support.api import Api
from tests.support.client import ApiClient
from trackyard.domain.people.roles import Role

PATH = "/3.1/stats/saved-reports"


def names(client: ApiClient) -> list[tuple[str, bool]]:
    """The name of each saved report that a caller sees, and whether it is its own."""
    return [(each["name"], each["own"]) for each in client.get(PATH)["reports"]]


def test_saved_report_is_its_owners_until_staff_share_it_with_staff(api: Api) -> None:
    _, affiliate = api.add_affiliate()
    staff_id, mia = api.add_staff(Role.SECTION_STATS)
    query = "?by=country&f.offer=7&period=7d&page=3&saved=old"
    made = mia.post(PATH, name="Monday", query=query)["report"]
    assert made["query"] == "by=country&f.offer=7&period=7d"
    assert affiliate.post(PATH, name="Mine", query="by=sub1", shared="1")["report"]["shared"] is False
    assert names(api.admin) == []
    assert mia.post(f"{PATH}/{made['id']}", shared="1")["report"]["name"] == "Monday"
    assert names(api.admin) == [("Monday", False)]
    assert names(affiliate) == [("Mine", True)]
    assert api.admin.call("POST", f"{PATH}/{made['id']}", data={"name": "Hers"}).status_code == 404
    assert api.admin.call("DELETE", f"{PATH}/{made['id']}").status_code == 404
    logged = api.admin.get("/3.1/admin/audit", what="saved_report", key=made["id"])["audit"]
    assert {each["changes"]["shared"]["to"] for each in logged} == {False, True}
    api.admin.post(f"/3.1/admin/user/{staff_id}/remove")
    assert names(api.admin) == []


def test_saved_report_without_period_keeps_the_usual_relative_one(api: Api) -> None:
    saved = [api.admin.post(PATH, name=str(place), query=query)["report"] for place, query in enumerate(("by=day", ""))]
    assert [each["query"] for each in saved] == ["by=day&period=30d", "period=30d"]
    fixed = api.admin.post(PATH, name="fixed", query="from=2023-11-01&to=2023-11-14")["report"]
    assert fixed["query"] == "from=2023-11-01&to=2023-11-14"


def test_saved_report_with_taken_name_or_beyond_a_hundred_is_refused(api: Api) -> None:
    for number in range(100):
        made = api.admin.post(PATH, name=f"n{number}", query="")["report"]
    for method, path, sent in (
        ("POST", PATH, {"name": "one more", "query": ""}),
        ("POST", PATH, {"name": "n5", "query": ""}),
        ("POST", f"{PATH}/{made['id']}", {"name": "n5"}),
    ):
        refused = api.admin.call(method, path, data=sent)
        assert (refused.status_code, list(refused.json()["fields"])) == (409 if "n5" in str(sent) else 400, ["name"])
    assert api.admin.post(f"{PATH}/{made['id']}", name="n99", query="by=day")["report"]["query"].startswith("by=day")
    api.admin.call("DELETE", f"{PATH}/{made['id']}")
    assert len(names(api.admin)) == 99
