"""The face of the network."""

import struct
import zlib
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.pages import Visitor
from trackyard.base.colours import contrast, least_contrast
from trackyard.domain.platform.network import DARK_GROUNDS, LIGHT_GROUNDS, Network


def png(width: int = 4, height: int = 4) -> bytes:
    """Return a picture of one colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress(b"".join(b"\0" + b"\x80" * width for _ in range(height)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def faults(api: Api, **sent: str) -> Any:
    refused = api.admin.call("POST", "/3.1/admin/network", data=sent)
    assert refused.status_code == 400, refused.text
    return refused.json()["fields"]


def test_network_shows_its_face_to_anyone_and_changes_field_by_field(api: Api) -> None:
    stranger = api.admin.with_key(None)
    before = stranger.get("/3.1/network")["network"]
    assert (before["name"], before["sign_up"], before["terms_version"]) == ("", "open", "")
    sent = {"name": "Northlight", "accent": "#0a7a5c", "terms": "Be honest.", "contact": "mia@northlight.example"}
    api.admin.post("/3.1/admin/network", **sent)
    api.admin.post("/3.1/admin/network", sign_up="closed", contact="")
    after = stranger.get("/3.1/network")["network"]
    assert {name: after[name] for name in sent} == sent | {"contact": ""}
    assert (after["sign_up"], len(after["terms_version"])) == ("closed", 16)
    _, affiliate = api.add_affiliate()
    assert affiliate.call("POST", "/3.1/admin/network", data={"name": "x"}).status_code == 403


def test_accent_that_cannot_be_read_is_refused_with_the_nearest_one_that_can(api: Api) -> None:
    [light] = faults(api, accent="#ffcc00")["accent"]
    nearest = light.rpartition(" ")[2].rstrip(".")
    assert "at least 4.5" in light and least_contrast(nearest, LIGHT_GROUNDS) >= 4.5
    assert api.admin.post("/3.1/admin/network", accent=nearest)["network"]["accent"] == nearest
    [dark] = faults(api, accent_dark="#102040")["accent_dark"]
    assert "dark pages" in dark and least_contrast(dark.rpartition(" ")[2].rstrip("."), DARK_GROUNDS) >= 4.5
    assert list(faults(api, accent="", accent_dark="#97a3ff")) == ["accent"]
    assert list(faults(api, accent="red")) == ["accent"]
    assert list(faults(api, name="<b>")) == ["name"]


def test_accent_of_dark_pages_is_derived_so_that_it_can_be_read() -> None:
    assert round(contrast("#000000", "#ffffff")) == 21
    accents = Network(accent="#3546c8").shown_accents
    assert accents is not None and accents[0] == "#3546c8"
    assert least_contrast(accents[1], DARK_GROUNDS) >= 4.5
    assert Network(accent="#3546c8", accent_dark="#97a3ff").shown_accents == ("#3546c8", "#97a3ff")


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", 415),
        (png(1025, 4), 400),
        (png() + b"\0" * 256 * 1024, 400),
        (b"GIF89a\x01\x00\x01\x00\x00\x00\x00;", 415),
    ],
)
def test_logo_of_another_type_or_size_is_refused(api: Api, content: bytes, status: int) -> None:
    refused = api.admin.call("POST", "/3.1/admin/network/logo", files={"logo": ("logo.png", content, "image/png")})
    assert refused.status_code == status, refused.text
    assert api.admin.get("/3.1/network")["network"]["logo"] == ""


def test_logo_is_served_without_sniffing_until_it_is_replaced(api: Api) -> None:
    def upload(content: bytes) -> str:
        sent = api.admin.call("POST", "/3.1/admin/network/logo", files={"logo": ("logo.png", content, "image/png")})
        assert sent.status_code == 200, sent.text
        return str(sent.json()["network"]["logo"]).removeprefix("http://api.example")

    reader = Visitor(api.app)
    first, second = upload(png()), upload(png(8, 8))
    served = reader.get(second)
    assert (served.content, served.headers["x-content-type-options"]) == (png(8, 8), "nosniff")
    assert first != second and reader.get(first).status_code == 404
    assert api.admin.post("/3.1/admin/network/logo")["network"]["logo"] == ""
    assert reader.get(second).status_code == 404
