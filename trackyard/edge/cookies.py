"""Cookies of visitors: which click a conversion belongs to, and who was seen (behaviour.md §4).

`afclick_{offer}` and `afclick` hold the id of the last click, on this offer and at all, for a year. `afuniq_{offer}`
holds the id of the click at which the visitor was last new to the offer, for the 24 hours that it is not new again.
`afpid_{offer}` holds whose click it was, where affiliates have pixels to show.
"""

from typing import Final

from trackyard.decide.hit import Hit
from trackyard.edge.request import Request

_YEAR: Final = b"Max-Age=31536000; Path=/; HttpOnly; "
_DAY: Final = b"Max-Age=86400; Path=/; HttpOnly; "
_OPEN: Final = b"SameSite=Lax\r\n"
_SECURE: Final = b"SameSite=None; Secure\r\n"


def _lines(more: bytes) -> tuple[bytes, bytes, bytes]:
    click = b"Set-Cookie: afclick_%d=%s; " + _YEAR + more + b"Set-Cookie: afclick=%s; " + _YEAR + more
    unique = b"Set-Cookie: afuniq_%d=%s; " + _DAY + more
    affiliate = b"Set-Cookie: afpid_%d=%d; " + _YEAR + more
    return click, unique, affiliate


_CLICK, _UNIQUE, _AFFILIATE = zip(_lines(_OPEN), _lines(_SECURE), strict=True)


def click_cookies(request: Request, hit: Hit, offer_id: int, *, unique: bool) -> bytes:
    """The header lines that a recorded click sets. unique: whether the visitor is new to the offer."""
    secure = is_https(request)
    click_id = hit.click_id.encode("ascii")
    lines = _CLICK[secure] % (offer_id, click_id, click_id)
    if unique:
        lines += _UNIQUE[secure] % (offer_id, click_id)
    if hit.affiliate is not None and hit.rules.pixels(offer_id, hit.affiliate.id):
        lines += _AFFILIATE[secure] % (offer_id, hit.affiliate.id)
    return lines


def is_https(request: Request) -> bool:
    """Whether the visitor came by https: to this listener, or to a trusted proxy before it."""
    if request.tls:
        return True
    if not request.trusted:
        return False
    said = request.headers.get(b"x-forwarded-proto")
    # Of several proxies the first is the one that the visitor spoke with.
    return said is not None and said.partition(b",")[0].strip().lower() == b"https"
