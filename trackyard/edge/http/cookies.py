"""Cookies of visitors: their clicks and unique visits (docs/spec/tracking.md#cookies).

`afclick_{offer}` and `afclick` hold the id of the last click, on this offer and at all, for a year. `afuniq_{offer}`
holds the id of the click at which the visitor was last new to the offer, for the hours that it is not new again.
`afpid_{offer}` holds the affiliate of the click, where affiliates have pixels to show.
"""

from typing import Final

from trackyard.decision.click.hit import Hit
from trackyard.decision.click.route import OfferRoute
from trackyard.decision.routes import Ruleset
from trackyard.domain.tracking.ruleset import UNIQUE_HOURS
from trackyard.edge.http.request import Request

_SCOPE: Final = "; Path=/; HttpOnly; "
_YEAR: Final = f"Max-Age=31536000{_SCOPE}"
_DAY: Final = f"Max-Age={UNIQUE_HOURS * 3600}{_SCOPE}"
_HTTP_ATTRIBUTES: Final = "SameSite=Lax\r\n"
_HTTPS_ATTRIBUTES: Final = "SameSite=None; Secure\r\n"


_CookieParts = tuple[str, str, str, str]


def _cookie_parts(attributes: str) -> _CookieParts:
    """Return the texts between the click ids of the cookies, and after the last."""
    first = f"; {_YEAR}{attributes}Set-Cookie: afclick="
    last = f"; {_YEAR}{attributes}"
    return first, f"{last}Set-Cookie: afuniq_", f"; {_DAY}{attributes}", last


_COOKIE_PARTS: Final = (_cookie_parts(_HTTP_ATTRIBUTES), _cookie_parts(_HTTPS_ATTRIBUTES))


def click_cookies(request: Request, ruleset: Ruleset, hit: Hit, route: OfferRoute, *, unique: bool) -> bytes:
    """Return the cookie headers of a recorded click. unique: the visitor is new to the offer."""
    first, second, third, last = _COOKIE_PARTS[1 if is_https(request) else 0]
    click_id, number = hit.click_id, route.number
    if unique:
        if route.unique_hours != UNIQUE_HOURS:
            third = third.replace(_DAY, f"Max-Age={route.unique_hours * 3600}{_SCOPE}")
        lines = f"Set-Cookie: afclick_{number}={click_id}{first}{click_id}{second}{number}={click_id}{third}"
    else:
        lines = f"Set-Cookie: afclick_{number}={click_id}{first}{click_id}{last}"
    if hit.affiliate is not None and ruleset.pixels(route.id, hit.affiliate.id):
        lines = f"{lines}Set-Cookie: afpid_{number}={hit.affiliate.number}{last}"
    return lines.encode("ascii")


def is_https(request: Request) -> bool:
    """Return whether the visitor came by https, to this listener or to a trusted proxy."""
    if request.tls:
        return True
    if not request.trusted:
        return False
    protocols = request.headers.get(b"x-forwarded-proto")
    # Of several proxies the visitor connected to the first.
    return protocols is not None and protocols.partition(b",")[0].strip().lower() == b"https"
