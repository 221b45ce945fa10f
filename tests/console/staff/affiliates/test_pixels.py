"""Staff see the pixels of affiliates, and accept or reject them."""

from tests.support.api import Api
from tests.support.pages import staff_visitor
from tests.support.people_pages import HOSTILE, desk_of
from trackyard.domain.people.roles import Role

PATH = "/console/pixels"
CODE = '<img src="https://pixel.example/?c={clickid}">'


def test_staff_accept_and_reject_pixels_of_affiliates(api: Api) -> None:
    offer = api.add_offer(title="Shoes", privacy="public")
    pid, affiliate = api.add_affiliate(name="Harbour")
    sent = {"offer_id": offer, "code_type": "image", "code": CODE}
    made = [affiliate.post("/3.1/partner/pixel", name=name, **sent)["pixel"] for name in (HOSTILE, "Two")]
    first, second = (each["id"] for each in made)

    def states() -> dict[str, str]:
        found = api.admin.get("/3.1/partner/pixels")["pixel"]
        return {str(each["id"]): each["moderation_status"] for each in found.values()}

    visitor = staff_visitor(api)
    assert "2 pixels wait for a check" in visitor.read("/console/").text
    page = visitor.read(PATH)
    assert "2 pixels wait for a check." in page.text and CODE in page.text and HOSTILE in page.text
    assert "<script>alert" not in visitor.get(PATH).text
    assert {f"/console/affiliates/{pid}", f"/console/offers/{offer}"} <= set(page.links)
    back = f"{PATH}?state=0"
    assert visitor.post(f"{PATH}/{first}", do="accept", back=back).headers["location"] == back
    assert f"Pixel {first} is accepted" in visitor.read(back).text
    assert visitor.post(f"{PATH}/{second}", do="reject", back="https://a.example/").headers["location"] == PATH
    assert states() == {str(first): "1", str(second): "-1"}
    assert "Two" in visitor.read(f"{PATH}?state=-1").text and HOSTILE not in visitor.read(f"{PATH}?state=-1").text
    assert "Nothing meets these filters." in visitor.read(f"{PATH}?state=0").text
    assert len(visitor.get(f"{PATH}?format=csv").text.splitlines()) == 3


def test_managers_decide_about_pixels_of_their_affiliates_alone(api: Api) -> None:
    desk = desk_of(api, Role.MANAGER_AFFILIATE)
    offer = api.add_offer(privacy="public")
    made = {}
    for name, manager in (("own", desk.manager), ("foreign", None)):
        more = {} if manager is None else {"manager_id": manager}
        _, affiliate = api.add_affiliate(**more)
        sent = {"offer_id": offer, "name": name, "code_type": "image", "code": CODE}
        made[name] = affiliate.post("/3.1/partner/pixel", **sent)["pixel"]["id"]
    page = desk.visitor.read(PATH).text
    assert "own" in page and "foreign" not in page
    assert desk.visitor.post(f"{PATH}/{made['foreign']}", do="accept").status_code == 404
    assert desk.visitor.post(f"{PATH}/{made['own']}", do="accept").status_code == 303
    assert staff_visitor(api, Role.SECTION_NEWS, Role.STATS_COMMON).get(PATH).status_code == 403
