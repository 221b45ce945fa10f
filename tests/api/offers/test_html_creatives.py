"""HTML creatives of offers (docs/spec/platform.md#html-creatives)."""

from typing import Any

from starlette.testclient import TestClient

from tests.support.api import Api
from trackyard.domain.people.roles import Role

HOSTILE = "<script>parent.location='https://evil.example'</script><b onclick=alert(1)>Süß</b>"
KEY = "3F2B8C1E-5d4a-4e6f-9a7b-0c1d2e3f4a5b"


def get(api: Api, url: str) -> Any:
    """Return the answer of a stored file."""
    return TestClient(api.app).get(url.removeprefix("http://api.example"))


def sent(**more: Any) -> dict[str, Any]:
    return {"code": HOSTILE, "name": "Banner", "width": "300", "height": "250"} | more


def test_html_creative_is_stored_replaced_shown_and_removed(api: Api) -> None:
    offer = api.add_offer(privacy="public", creativeUrls="https://a.example/a.png")
    path = f"/3.0/admin/offer/{offer}/creative/html/{KEY}"
    [made] = api.admin.post(path, **sent())["creatives"]
    assert (made["id"], made["type"], made["title"], made["overwritten"]) == (KEY.lower(), "html", "Banner", False)
    assert (made["width"], made["height"], made["size"], made["assets"]) == (300, 250, len(HOSTILE.encode()), [])
    [again] = api.admin.post(path, **sent(name="Other"))["creatives"]
    assert (again["title"], again["overwritten"]) == ("Other", True) and again["url"] != made["url"]
    assert get(api, made["url"]).status_code == 404
    _, client = api.add_affiliate()
    shown = client.get(f"/3.1/offer/{offer}")["offer"]["creatives"]
    assert [(each["title"], each["mime"]) for each in shown] == [("a.png", ""), ("Other", "text/html")]
    assert api.admin.call("DELETE", path).json() == {"status": 1, "creatives": []}
    assert api.admin.call("DELETE", path).status_code == 404
    assert len(client.get(f"/3.1/offer/{offer}")["offer"]["creatives"]) == 1


def test_html_creative_is_never_a_page_of_the_server(api: Api) -> None:
    offer = api.add_offer()
    [made] = api.admin.post(f"/3.1/admin/offer/{offer}/creative/html/a-1", **sent())["creatives"]
    answer = get(api, made["url"])
    assert (answer.status_code, answer.text) == (200, HOSTILE)
    headers = answer.headers
    assert headers["content-type"] == "text/plain; charset=utf-8"
    assert headers["content-disposition"].startswith("attachment;")
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-security-policy"] == "sandbox; default-src 'none'"


def test_html_creative_of_a_foreign_offer_is_missing(api: Api) -> None:
    offer = api.add_offer()
    _, manager = api.add_staff(Role.MANAGER_SALES)
    path = f"/3.1/admin/offer/{offer}/creative/html/a-1"
    assert manager.call("POST", path, data=sent()).status_code == 404
    assert api.admin.call("POST", f"/3.1/admin/offer/{offer}/creative/html/a%20b", data=sent()).status_code == 404
    refused = api.admin.call("POST", path, data=sent(width="0", code=""))
    assert (refused.status_code, sorted(refused.json()["fields"])) == (400, ["code", "width"])
