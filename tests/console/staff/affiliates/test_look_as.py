"""Staff look at the portal as an affiliate sees it."""

import httpx2
import pytest

from tests.support.api import Api
from tests.support.pages import PageReader, Visitor, staff_visitor
from trackyard.actions.people.callers import LOOK_MS
from trackyard.domain.people.roles import Role

ENDED = "The look at the portal has ended"


def begin(visitor: Visitor, pid: int) -> httpx2.Response:
    """Press the button on the page of the affiliate."""
    answer: httpx2.Response = visitor.post(f"/console/affiliates/{pid}/look-as")
    return answer


def test_look_shows_the_portal_of_the_affiliate_and_changes_nothing(api: Api) -> None:
    joins = api.add_offer(title="Joins itself", status="active", privacy="protected", auto_offer_connect="1")
    pid, affiliate = api.add_affiliate(status="active", contactPerson="Blue Harbor")
    visitor = staff_visitor(api)
    assert visitor.get("/portal/").status_code == 403
    assert f"/console/affiliates/{pid}/look-as" in visitor.get(f"/console/affiliates/{pid}").text
    begun = begin(visitor, pid)
    assert (begun.status_code, begun.headers["location"]) == (303, "/portal/")
    for path in ("/portal/", "/portal/offers", f"/portal/offers/{joins}", "/portal/payments", "/portal/postbacks"):
        seen = visitor.get(path)
        assert seen.status_code == 200, (path, seen.text)
        assert f"You see the portal as Blue Harbor (#{pid}) sees it." in seen.text
        assert affiliate.key is not None
        assert affiliate.key not in seen.text
    assert "Joins itself" in visitor.get("/portal/offers").text
    own = api.admin.get("/3.1/partner/live-offers", pid=pid)["offers"]
    assert own == []  # a look connects to nothing
    for path in ("/portal/postbacks/new", "/portal/profile/password", f"/portal/offers/{joins}/request"):
        refused = visitor.post(path, url="https://affiliate.example/")
        assert (refused.status_code, "nothing can be changed here" in refused.text) == (403, True), path
    assert visitor.get("/portal/profile").status_code == 403
    assert visitor.get(f"/console/affiliates/{pid}").status_code == 200
    logged = api.admin.get("/3.1/admin/audit", what="affiliate", key=str(pid), method="admin.partner.look_as")["audit"]
    assert [each["changes"]["portal_seen_until_at"]["from"] for each in logged] == [None]
    ended = visitor.post("/console/end-look", affiliate=str(pid))
    assert ended.headers["location"] == f"/console/affiliates/{pid}"
    assert visitor.get("/portal/").status_code == 403


def test_look_ends_after_half_an_hour_and_with_its_session(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    pid, _ = api.add_affiliate(status="active")
    visitor = staff_visitor(api)
    begin(visitor, pid)
    sealed = visitor.client.cookies["trackyard-look"]
    other = staff_visitor(api)
    other.client.cookies["trackyard-look"] = sealed
    assert other.get("/portal/").status_code == 403
    api.admin.post(f"/3.1/admin/partner/{pid}", status="banned")
    gone = visitor.get("/portal/")
    assert (gone.status_code, gone.headers["location"]) == (303, f"/console/affiliates/{pid}")
    assert ENDED in visitor.read(gone.headers["location"]).text
    assert "not active" in begin(visitor, pid).text
    api.admin.post(f"/3.1/admin/partner/{pid}", status="active")
    begin(visitor, pid)
    assert visitor.get("/portal/").status_code == 200
    later = api.clock.now_ms() + LOOK_MS + 1
    monkeypatch.setattr(type(api.clock), "now_ms", lambda _clock: later)
    assert visitor.get("/portal/").headers["location"] == f"/console/affiliates/{pid}"


def test_look_is_for_staff_who_may_change_the_affiliate(api: Api) -> None:
    manager, _ = api.add_staff(Role.MANAGER_AFFILIATE)
    foreign, _ = api.add_affiliate(status="active", manager_id=manager)
    for roles, status in (((Role.MANAGER_AFFILIATE,), 404), ((Role.SECTION_STATS,), 403)):
        visitor = staff_visitor(api, *roles)
        assert begin(visitor, foreign).status_code == status
        assert visitor.get("/portal/").status_code == 403
        assert "look-as" not in PageReader(visitor.get("/console/affiliates").text).text
