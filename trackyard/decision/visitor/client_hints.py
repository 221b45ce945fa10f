"""Client hints, the headers in addition to a frozen user agent (Sec-CH-UA-…).

They refine the user agent and never contradict it: for different systems or browsers the user agent holds, which is
recorded. Browsers send them over https only.
"""

import re
from typing import Final

RawHints = tuple[bytes | None, ...]
"""The values of HEADERS."""

_BRANDS: Final = b"sec-ch-ua"
_PLATFORM_VERSION: Final = b"sec-ch-ua-platform-version"
HEADERS: Final = (
    _BRANDS,
    b"sec-ch-ua-full-version-list",
    b"sec-ch-ua-platform",
    _PLATFORM_VERSION,
    b"sec-ch-ua-model",
    b"sec-ch-ua-mobile",
)
ACCEPT_CH: Final = b"Accept-CH: Sec-CH-UA-Platform-Version, Sec-CH-UA-Model, Sec-CH-UA-Full-Version-List\r\n"
"""Asks a browser for more hints with its next click."""

_MAX_HEADER: Final = 256
"""Bytes; a longer header is not a hint, because hints are cached with user agents."""

_ITEM: Final = re.compile(r'"((?:[^"\\]|\\.)*)"\s*;\s*v="([\d.]{1,32})"')
_VERSION: Final = re.compile(r"\d[\d.]{0,31}")
_MODEL: Final = re.compile(r"[^\x00-\x1f;\x7f-\x9f]{1,64}")

_SYSTEMS: Final = {
    "Android": "Android",
    "Windows": "Windows",
    "macOS": "Mac OS X",
    "Chrome OS": "Chrome OS",
    "Chromium OS": "Chrome OS",
}
"""Platforms that hints name, as ua-parser names them."""

_BROWSERS: Final = {
    "Google Chrome": ("Chrome", "Chrome Mobile"),
    "Microsoft Edge": ("Edge", "Edge Mobile"),
    "Opera": ("Opera", "Opera Mobile"),
    "Android WebView": ("Chrome Mobile WebView", "Chrome Mobile WebView"),
    "Samsung Internet": ("Samsung Internet", "Samsung Internet"),
    "Brave": ("Brave", "Brave"),
    "Vivaldi": ("Vivaldi", "Vivaldi"),
    "YaBrowser": ("Yandex Browser", "Yandex Browser"),
    "Yandex": ("Yandex Browser", "Yandex Browser"),
    "DuckDuckGo": ("DuckDuckGo", "DuckDuckGo Mobile"),
}
"""Brands that hints name, as ua-parser names them: on a desktop, on a phone."""
_GENERIC_BROWSERS: Final = frozenset({"Chrome", "Chrome Mobile"})
"""Names that other browsers hide behind; a brand replaces these names only."""

_WINDOWS_11: Final = 13
_OLD_WINDOWS: Final = {"0.1": "7", "0.2": "8", "0.3": "8.1"}


def find_hints(headers: dict[bytes, bytes]) -> RawHints | None:
    """Return the hints among headers (by lower-case name); None = there are none."""
    if _BRANDS not in headers:
        return None
    found = tuple(map(headers.get, HEADERS))
    if any(value is not None and len(value) > _MAX_HEADER for value in found):
        return None
    return found


def needs_accept_ch(headers: dict[bytes, bytes]) -> bool:
    """Return whether the browser sends hints, but not yet the hints in ACCEPT_CH."""
    return _BRANDS in headers and _PLATFORM_VERSION not in headers


class ClientHints:
    """Parsed hints.

    system: the system's name in ua-parser, "" = unknown
    version: the system's version, "" = unknown
    model: the device's model
    mobile: the browser is on a phone
    """

    __slots__ = ("_brands", "mobile", "model", "system", "version")

    def __init__(self, raw: RawHints) -> None:
        brands, full, platform, version, model, mobile = (_text(value) for value in raw)
        self._brands = dict(_ITEM.findall(brands)) | dict(_ITEM.findall(full))
        self.system = _SYSTEMS.get(_unquoted(platform), "")
        self.version = _system_version(self.system, _unquoted(version))
        self.model = _unquoted(model).strip()
        if not _MODEL.fullmatch(self.model):
            self.model = ""
        self.mobile = mobile == "?1"

    def browser(self, family: str, version: str) -> tuple[str, str]:
        """Return the name and version of a browser; the arguments come from its user agent."""
        side = int(family.endswith("Mobile") or self.mobile)
        named = {
            _BROWSERS[brand][side]: brand_version for brand, brand_version in self._brands.items() if brand in _BROWSERS
        }
        if family in _GENERIC_BROWSERS:
            other = next((name for name in named if name not in _GENERIC_BROWSERS), None)
            if other is not None:
                return other, named[other]
        brand_version = named.get(family, "")
        # A brand has only the major version until the browser is asked for the full version.
        return family, brand_version if "." in brand_version and brand_version.partition(".")[0] == version.partition(
            "."
        )[0] else version

    def with_client_hints(self, ua: str) -> str:
        """Return a frozen user agent of Android with its version and model."""
        if self.system != "Android" or not self.version or not self.model:
            return ua
        return _FROZEN_ANDROID.sub(lambda _: f"(Linux; Android {self.version}; {self.model})", ua, count=1)


_FROZEN_ANDROID: Final = re.compile(r"\(Linux; Android 10; K\)")


def _system_version(system: str, text: str) -> str:
    """Return a version as user agents write it: "13" of "13.0.0"; of Windows its sales name."""
    if not _VERSION.fullmatch(text):
        return ""
    if system == "Windows":
        major = int(text.partition(".")[0] or 0)
        old = _OLD_WINDOWS.get(".".join(text.split(".")[:2]), "")
        return ("11" if major >= _WINDOWS_11 else "10") if major else old
    return text.removesuffix(".0").removesuffix(".0") if text.endswith(".0.0") else text


def _text(value: bytes | None) -> str:
    return "" if value is None else value.decode("utf-8", "replace")


def _unquoted(text: str) -> str:
    return text.strip().removeprefix('"').removesuffix('"')
