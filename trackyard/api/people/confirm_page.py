"""The page that links in mails open (docs/spec/callers.md#e-mail-addresses).

Opening it changes nothing, as programs that look at mails open links too: its button calls the API.
"""

import base64
import hashlib
from importlib import resources

from starlette.responses import Response

from trackyard.wire.http.health import Page


def confirm_page() -> Page:
    """Return the page that confirms an e-mail address with the token in its fragment.

    Its policy admits its own style and script, which may call this API and no other host.
    """
    content, style, script = (_asset(f"confirm_email.{kind}") for kind in ("html", "css", "js"))
    encoded = content.replace("{style}", style).replace("{script}", script).encode()
    policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'self'; "
    headers = {
        "Content-Security-Policy": policy + f"style-src '{_hash(style)}'; script-src '{_hash(script)}'",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
    }
    return lambda: Response(encoded, media_type="text/html", headers=headers)


def _asset(name: str) -> str:
    return resources.files("trackyard.api.people").joinpath("assets", name).read_text()


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
