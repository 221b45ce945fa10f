"""What /docs answers with: compressed, with an ETag."""

import gzip
import hashlib
import json
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final

from starlette.datastructures import Headers
from starlette.responses import Response

HTML: Final = "text/html; charset=utf-8"
JSON: Final = "application/json"
POLICY: Final = (
    "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'; "
    "style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:"
)
"""Pages load styles and scripts of their own address alone, and run nothing that is written into them."""
_CHECKED: Final = "no-cache"  # kept by browsers, which ask whether it is still the same
_LASTING: Final = "public, max-age=31536000, immutable"
_MEDIA_TYPES: Final = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}


@dataclass(frozen=True, slots=True)
class Resource:
    """A page or file, compressed. lasting: whether its address changes with its content."""

    compressed: bytes
    tag: str
    media_type: str
    lasting: bool

    def response(self, asked: Headers) -> Response:
        """Return the answer to a request with these headers."""
        headers = {
            "ETag": self.tag,
            "Vary": "Accept-Encoding",
            "Cache-Control": _LASTING if self.lasting else _CHECKED,
            "X-Content-Type-Options": "nosniff",
        }
        if self.media_type == HTML:
            headers |= {"Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer"}
        if self.tag.removeprefix("W/") in asked.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if not _takes_gzip(asked):
            return Response(gzip.decompress(self.compressed), media_type=self.media_type, headers=headers)
        headers["Content-Encoding"] = "gzip"
        return Response(self.compressed, media_type=self.media_type, headers=headers)


def resource(content: bytes, media_type: str, *, lasting: bool = False) -> Resource:
    """Return a page or file."""
    tag = hashlib.sha256(content).hexdigest()[:24]
    return Resource(gzip.compress(content, compresslevel=6, mtime=0), f'W/"{tag}"', media_type, lasting)


def html_resource(text: str) -> Resource:
    """Return a page."""
    return resource(text.encode(), HTML)


def json_resource(value: Any) -> Resource:
    """Return a value as JSON."""
    return resource(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(), JSON)


def asset_resources() -> dict[str, Resource]:
    """Return the styles and scripts by name."""
    found = (each for each in resources.files("trackyard.wire.openapi").joinpath("assets").iterdir() if each.is_file())
    return {
        each.name: resource(each.read_bytes(), _MEDIA_TYPES[each.name.rpartition(".")[2]], lasting=True)
        for each in sorted(found, key=lambda each: each.name)
    }


def _takes_gzip(asked: Headers) -> bool:
    kinds = [kind.strip().partition(";") for kind in asked.get("accept-encoding", "").split(",")]
    return any(kind.strip() == "gzip" and weight.replace(" ", "") not in ("q=0", "q=0.0") for kind, _, weight in kinds)
