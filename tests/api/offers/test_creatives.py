"""Creatives and logos: sent, shown, served, removed."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.support.api import UNBOUNDED, Api
from tests.support.client import ApiClient
from tests.support.pictures import archive, gif, jpeg, png
from tests.support.stores.bucket import bucket as bucket
from trackyard.api.app import build
from trackyard.domain.people.roles import Role
from trackyard.store.platform import files
from trackyard.store.platform.bucket import BucketStore
from trackyard.wire.endpoint import UPLOAD_MAX

Sent = list[tuple[str, tuple[str, bytes, str]]]


def send(client: ApiClient, path: str, sent: Sent, **params: Any) -> Any:
    return client.call("POST", path, data=params, files=sent)


def edit(api: Api, offer: int, sent: Sent, **params: Any) -> Any:
    return send(api.admin, f"/3.0/admin/offer/{offer}", sent, **params)


def stored(api: Api) -> list[Path]:
    """The bytes that lie in the store."""
    directory = api.deps.files._directory
    return sorted(directory.iterdir()) if directory.exists() else []


def fetched(api: Api, url: str, **request: Any) -> Any:
    assert url.startswith("http://api.example/files/")
    return TestClient(api.app).request("GET", url.removeprefix("http://api.example"), **request)


PICTURE = ("creativeFiles", ("banner.png", png(30, 20), "image/png"))


def test_creative_uploads_are_stored_and_listed(api: Api) -> None:
    offer = api.add_offer()
    other = ("creativeFiles[]", ("C:\\pictures\\ä b.jpg", jpeg(60, 70), "image/jpeg"))
    body = edit(api, offer, [PICTURE, ("logo", ("logo.gif", gif(), "image/gif"))]).json()["offer"]
    first = body["creatives"][0]
    assert {name: first[name] for name in ("title", "mime", "size", "width", "height")} == {
        "title": "banner.png", "mime": "image/png", "size": len(png(30, 20)), "width": 30, "height": 20,
    }  # fmt: skip
    assert fetched(api, first["url"]).content == png(30, 20)
    assert fetched(api, body["logo"]).content == gif()
    again = edit(api, offer, [other]).json()["offer"]["creatives"]
    assert [item["title"] for item in again] == ["banner.png", "ä b.jpg"]
    assert again[0] == first and again[0]["id"] != again[1]["id"]
    assert api.admin.get(f"/3.0/offer/{offer}")["offer"]["creatives"] == again


def test_creatives_sent_with_new_offer_are_stored(api: Api) -> None:
    given = {"title": "T", "advertiser": api.add_advertiser(), "url": "https://shop.example/"}
    urls = {"creativeUrls[]": ["https://cdn.example/a/one.png?x=1", "https://cdn.example/"]}
    body = send(api.admin, "/3.0/admin/offer", [PICTURE, PICTURE], **given, **urls).json()["offer"]
    assert [item["title"] for item in body["creatives"]] == ["banner.png", "banner.png", "one.png", "cdn.example"]
    assert body["creatives"][2]["url"] == "https://cdn.example/a/one.png?x=1"
    assert len({item["id"] for item in body["creatives"]}) == 4


def test_creative_archive_is_unpacked_to_pictures(api: Api) -> None:
    offer = api.add_offer()
    content = archive({"a/one.png": png(1, 2), "two.gif": gif(), "page.html": b"<script>", "fake.png": b"<html>"})
    sent = ("creativeFiles", ("all.zip", content, "application/zip"))
    body = edit(api, offer, [sent]).json()["offer"]
    assert [(item["title"], item["mime"]) for item in body["creatives"]] == [
        ("one.png", "image/png"), ("two.gif", "image/gif"),
    ]  # fmt: skip
    served = fetched(api, body["creatives_zip"])
    assert served.content == content
    assert served.headers["content-disposition"].startswith('attachment; filename="all.zip"')


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (("creativeFiles", ("a.svg", b"<svg/>", "image/svg+xml")), 415),
        (("creativeFiles", ("a.png", b"<html>", "image/png")), 415),
        (("creativeFiles", ("a.png", b"<html>", "application/octet-stream")), 415),
        (("logo", ("a.zip", archive({"a.png": png()}), "image/png")), 415),
        (("logo", ("a.zip", archive({"a.png": png()}), "application/zip")), 415),
        (("creativeFiles", ("a.png", png(100_000, 100_000), "image/png")), 400),
        (("creativeFiles", ("a.zip", archive({"../a.png": png()}), "application/zip")), 400),
        (("creativeFiles", ("a.zip", archive({"a.png": png(), "b": b"\0" * 9_000_000}), "application/zip")), 400),
        (("creativeUrls", ("a.png", png(), "image/png")), 400),
    ],
)
def test_creative_upload_rejected_leaves_no_files(api: Api, sent: Any, status: int) -> None:
    offer = api.add_offer()
    before = api.admin.get(f"/3.0/offer/{offer}")
    answer = edit(api, offer, [PICTURE, sent], title="Another")
    assert answer.status_code == status
    assert status != 400 or next(iter(answer.json()["fields"])).startswith(sent[0])
    assert api.admin.get(f"/3.0/offer/{offer}") == before
    assert stored(api) == []


def test_creative_files_are_discarded_when_another_parameter_is_rejected(api: Api) -> None:
    offer = api.add_offer()
    answer = edit(api, offer, [PICTURE], **{"partner_payments[0][partners]": "999999"})
    assert answer.status_code == 400
    assert stored(api) == []


def test_creative_file_sent_as_text_is_rejected(api: Api) -> None:
    answer = api.admin.call("POST", f"/3.0/admin/offer/{api.add_offer()}", data={"logo": "x"})
    assert list(answer.json()["fields"]) == ["logo"]


def test_creative_upload_limit_is_fifty_megabytes(api: Api) -> None:
    offer = api.add_offer()
    large = png() + b"\0" * 3_000_000
    body = edit(api, offer, [("creativeFiles", ("large.png", large, "image/png"))]).json()["offer"]
    assert body["creatives"][0]["size"] == len(large)
    assert fetched(api, body["creatives"][0]["url"]).content == large
    headers = {"Content-Length": str(UPLOAD_MAX + 1), "Content-Type": "multipart/form-data; boundary=x"}
    answer = api.admin.call("POST", f"/3.0/admin/offer/{offer}", headers=headers, content=b"--x--")
    assert (answer.status_code, answer.json()["error"]) == (413, "The body is over the limit of 50 MB")
    long = json.dumps({"title": "x" * 2_000_000}).encode()
    headers = {"Content-Type": "application/json"}
    assert api.admin.call("POST", f"/3.0/admin/offer/{offer}", headers=headers, content=long).status_code == 413


def test_offer_logo_replaces_previous_logo(api: Api) -> None:
    offer = api.add_offer()
    old = edit(api, offer, [("logo", ("a.png", png(), "image/png"))]).json()["offer"]["logo"]
    new = edit(api, offer, [("logo", ("b.jpg", jpeg(), "image/pjpeg"))]).json()["offer"]["logo"]
    assert fetched(api, new).content == jpeg()
    assert fetched(api, old).status_code == 404


def test_creative_files_are_served_with_safe_headers(api: Api) -> None:
    sent = ("creativeFiles", ('x"\r\n é;.png', png(), "image/png"))
    url = edit(api, api.add_offer(), [sent]).json()["offer"]["creatives"][0]["url"]
    answer = fetched(api, url)
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"] == "sandbox; default-src 'none'"
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["content-disposition"].isascii()
    assert answer.headers["content-disposition"].startswith("inline; ")
    unchanged = fetched(api, url, headers={"If-None-Match": answer.headers["etag"]})
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    assert fetched(api, url, headers={"If-None-Match": '"other"'}).status_code == 200
    raw = TestClient(api.app)
    head = raw.head(url.removeprefix("http://api.example"))
    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", str(len(png())))
    assert raw.post(url.removeprefix("http://api.example")).status_code == 405


def test_creative_files_of_a_bucket_are_served_with_same_headers(api: Api, bucket: str) -> None:
    kept = replace(api, app=build(replace(api.deps, files=BucketStore(bucket)), limits=UNBOUNDED))
    kept = replace(kept, admin=api.admin.of(kept.app))
    offer = api.add_offer()
    item = edit(kept, offer, [PICTURE]).json()["offer"]["creatives"][0]
    assert stored(api) == []
    answer, path = fetched(kept, item["url"]), item["url"].removeprefix("http://api.example")
    assert (answer.content, answer.headers["content-type"]) == (png(30, 20), "image/png")
    assert answer.headers["content-security-policy"] == "sandbox; default-src 'none'"
    head = TestClient(kept.app).head(path)
    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", str(len(png(30, 20))))
    assert fetched(kept, item["url"], headers={"If-None-Match": answer.headers["etag"]}).status_code == 304
    BucketStore(bucket).remove([path.removeprefix("/files/")])
    assert fetched(kept, item["url"]).status_code == 404


def test_creative_upload_with_unreachable_bucket_is_503_and_changes_nothing(api: Api) -> None:
    gone = BucketStore("s3://files/?endpoint=http%3A%2F%2F127.0.0.1%3A1")
    admin = api.admin.of(build(replace(api.deps, files=gone), limits=UNBOUNDED))
    offer = api.add_offer()
    answer = send(admin, f"/3.0/admin/offer/{offer}", [PICTURE], title="Other")
    assert (answer.status_code, answer.json()["code"]) == (503, "files_unreachable")
    assert "TRACKYARD_FILES_URL" in answer.json()["message"]
    shown = api.admin.get(f"/3.0/offer/{offer}")["offer"]
    assert (shown["title"], shown["creatives"]) == ("Shoes", [])


@pytest.mark.parametrize("name", ["", "0" * 32, "../trackyard.db", "%2e%2e/trackyard.db", "x", "0" * 31 + "%00"])
def test_creative_unknown_file_is_404(api: Api, name: str) -> None:
    answer = TestClient(api.app).get(f"/files/{name}")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/json"


def test_creative_is_removed_once(api: Api) -> None:
    offer = api.add_offer()
    shown = edit(api, offer, [PICTURE, PICTURE], creativeUrls="https://cdn.example/a.png").json()["offer"]["creatives"]
    ids = [item["id"] for item in shown]
    path = f"/3.1/admin/offer/{offer}/remove-creative"
    answer = api.admin.call("DELETE", path, params={"creatives[]": [ids[0], ids[2], 999]})
    assert answer.json() == {"status": 1, "removed": [ids[0], ids[2]]}
    assert fetched(api, shown[0]["url"]).status_code == 404
    assert fetched(api, shown[1]["url"]).status_code == 200
    assert api.admin.call("DELETE", path, params={"creatives": ids[0]}).status_code == 404
    assert [item["id"] for item in api.admin.get(f"/3.0/offer/{offer}")["offer"]["creatives"]] == [ids[1]]
    more = edit(api, offer, [PICTURE]).json()["offer"]["creatives"]
    assert more[-1]["id"] not in ids


def test_creatives_of_foreign_offers_are_404(api: Api) -> None:
    mine, foreign = api.add_offer(creativeUrls="https://cdn.example/a.png"), api.add_offer()
    shown = api.admin.get(f"/3.0/offer/{mine}")["offer"]["creatives"]
    params = {"creatives": shown[0]["id"]}
    assert api.admin.call("DELETE", "/3.0/admin/offer/999/remove-creative", params=params).status_code == 404
    assert api.admin.call("DELETE", f"/3.0/admin/offer/{foreign}/remove-creative", params=params).status_code == 404
    _, manager = api.add_staff(Role.MANAGER_SALES)
    assert manager.call("DELETE", f"/3.0/admin/offer/{mine}/remove-creative", params=params).status_code == 404
    assert len(api.admin.get(f"/3.0/offer/{mine}")["offer"]["creatives"]) == 1


def test_creative_downloads_are_queued_with_the_offer(api: Api) -> None:
    offer = api.add_offer(creativeDownloads="https://cdn.example/big.png")
    [shown] = api.admin.get(f"/3.0/offer/{offer}")["offer"]["creatives"]
    assert (shown["url"], shown["size"]) == ("https://cdn.example/big.png", 0)
    with api.deps.database.read() as conn:
        [item] = files.list_due_fetches(conn, api.clock.now_ms(), 10)
    assert (item.offer_id, item.creative_id, item.url) == (offer, shown["id"], shown["url"])
    api.admin.call("DELETE", f"/3.0/admin/offer/{offer}/remove-creative", params={"creatives": shown["id"]})
    with api.deps.database.read() as conn:
        assert files.list_due_fetches(conn, api.clock.now_ms(), 10) == []
