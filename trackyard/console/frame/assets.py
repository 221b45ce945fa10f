"""The style sheet and the script of the pages, which browsers keep."""

import hashlib
import re
from functools import cache
from importlib import resources
from typing import Final

from starlette.responses import Response

from trackyard.domain.platform.network import Network
from trackyard.wire.response.errors import PageNotFound

PREFIX: Final = "/console/assets/"
_FILES: Final = {
    "style.css": (
        "text/css",
        (
            "assets/style.css",
            "assets/lists.css",
            "assets/traffic.css",
            "assets/forms.css",
            "assets/people.css",
            "assets/portal.css",
            "assets/account.css",
            "charts/charts.css",
            "assets/charts.css",
        ),
    ),
    "console.js": ("text/javascript", ("assets/console.js", "assets/charts.js")),
    "icon.svg": ("image/svg+xml", ("assets/icon.svg",)),
}
"""The files that are served: type, and the files of the package that they consist of."""


_ACCENT: Final = "network.css"
_ACCENTS: Final = re.compile(rf"{PREFIX}([0-9a-f]{{6}})-([0-9a-f]{{6}})/{_ACCENT}")
"""The address of a style sheet with accents has all of its content."""
_KEPT: Final = {"Cache-Control": "public, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff"}


@cache
def _content(name: str) -> bytes:
    root = resources.files("trackyard.console")
    return b"\n".join(root.joinpath(*part.split("/")).read_bytes() for part in _FILES[name][1])


@cache
def address(name: str) -> str:
    """Return the path of a file. It changes with the content, so that browsers keep the file for a year."""
    return f"{PREFIX}{hashlib.sha256(_content(name)).hexdigest()[:12]}/{name}"


def accent_address(network: Network) -> str:
    """Return the path of the style sheet with the accent of the network; "" when it has none of its own."""
    accents = network.shown_accents
    return "" if accents is None else f"{PREFIX}{'-'.join(each.lstrip('#').lower() for each in accents)}/{_ACCENT}"


def _accent_sheet(light: str, dark: str) -> str:
    return (
        f":root {{ --accent: #{light}; }}\n@media (prefers-color-scheme: dark) {{ :root {{ --accent: #{dark}; }} }}\n"
    )


def asset_response(path: str) -> Response:
    """Return a file. Raises PageNotFound."""
    accents = _ACCENTS.fullmatch(path)
    if accents is not None:
        return Response(_accent_sheet(accents[1], accents[2]), media_type="text/css", headers=_KEPT)
    name = path.rpartition("/")[2]
    if name not in _FILES or path != address(name):
        raise PageNotFound
    return Response(_content(name), media_type=_FILES[name][0], headers=_KEPT)
