"""The style sheet and the script of the pages, which browsers keep."""

import hashlib
from functools import cache
from importlib import resources
from typing import Final

from starlette.responses import Response

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
        ),
    ),
    "console.js": ("text/javascript", ("assets/console.js",)),
    "icon.svg": ("image/svg+xml", ("assets/icon.svg",)),
}
"""The files that are served: type, and the files of the package that they consist of."""


@cache
def _content(name: str) -> bytes:
    root = resources.files("trackyard.console")
    return b"\n".join(root.joinpath(*part.split("/")).read_bytes() for part in _FILES[name][1])


@cache
def address(name: str) -> str:
    """Return the path of a file. It changes with the content, so that browsers keep the file for a year."""
    return f"{PREFIX}{hashlib.sha256(_content(name)).hexdigest()[:12]}/{name}"


def asset_response(path: str) -> Response:
    """Return a file. Raises PageNotFound."""
    name = path.rpartition("/")[2]
    if name not in _FILES or path != address(name):
        raise PageNotFound
    headers = {"Cache-Control": "public, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff"}
    return Response(_content(name), media_type=_FILES[name][0], headers=headers)
