"""Pixels: conversions reported from the page that the visitor sees after one.

See docs/spec/tracking.md#pixels and docs/spec/postbacks.md#pixels.
"""

from collections.abc import Callable
from typing import Final

from trackyard.base.ids import is_hex24
from trackyard.base.zones import datetime_text, find_zone
from trackyard.decision.routes import Ruleset
from trackyard.decision.visitor.headers import find_click_cookie, find_cookie
from trackyard.domain.conversions.pixel_pages import find_page_host
from trackyard.domain.conversions.statuses import SENT_STATUSES
from trackyard.domain.tracking.forgiven import IDENTIFIER
from trackyard.domain.tracking.macro_registry import MacroPlace, macro_columns, macro_names
from trackyard.domain.tracking.macros import cached_template, with_braces
from trackyard.domain.tracking.near_misses import plain_click_id, plain_reference
from trackyard.domain.tracking.postback_params import PIXEL_NAMES, canonical_pixel_params
from trackyard.domain.tracking.rejections import is_rejected
from trackyard.edge.endpoints.pages import GIF, GIF_TYPE, HTML, SCRIPT_TYPE, SUCCESS_PAGE, TRACK_SCRIPT, TRACKED_SCRIPT
from trackyard.edge.endpoints.postback_params import read_params
from trackyard.edge.endpoints.postbacks import PostbackHandler
from trackyard.edge.endpoints.redirects import cors
from trackyard.edge.http.answers import NO_STORE
from trackyard.edge.http.page_headers import PageHeaders
from trackyard.edge.http.request import DeferredResponse, Request, Response
from trackyard.journal.records import Click, InboundPostback

FindClick = Callable[[str, str, Callable[[Click | None], None]], None]
"""Looks a click up by its id for an address; calls the function once with the click, None = not found."""

_SANDBOX: Final = (
    NO_STORE + b"Content-Security-Policy: sandbox allow-scripts\r\nReferrer-Policy: origin\r\n"
    b"X-Content-Type-Options: nosniff\r\n"
)
"""The code of affiliates has an origin of its own: it reads no cookie of this host and moves no page."""

_UNKNOWN: Final = dict.fromkeys(macro_names(MacroPlace.POSTBACK), "")
"""Macros of postbacks; many have a value only after the conversion is created."""
_CLICK_COLUMNS: Final = macro_columns(MacroPlace.POSTBACK)
_CLICK_ID: Final = ("afclick",)
_CUSTOM_FIELDS: Final = tuple((f"custom_field{number}", f"custom_field_{number}") for number in range(1, 8))


class PixelHandler:
    """Answers `/success.jpg`, `/success.php` and `/track.js`.

    Each request is an inbound postback and answered once it is durable, even before a ruleset was read.
    """

    def __init__(self, inbound: PostbackHandler, pages: PageHeaders, find_click: FindClick | None = None) -> None:
        self._pages = pages
        self._inbound = inbound
        self._find_click = find_click

    def image(self, request: Request, ruleset: Ruleset | None) -> Response:
        """Return an image of one transparent point."""
        postback, _ = self._read_postback(request, ruleset, "success.jpg")
        return self._record(postback, Response(200, GIF, GIF_TYPE, headers=NO_STORE + cors(request), durable=True))

    def page(self, request: Request, ruleset: Ruleset | None) -> Response:
        """Return a page for a frame, with the pixels of the click's affiliate.

        The cookies of the click name the affiliate. Without cookies the click is looked up.
        """
        postback, offer_id = self._read_postback(request, ruleset, "success.php")
        codes = b"" if ruleset is None else _codes(request, ruleset, postback, offer_id)
        headers = _SANDBOX + self._pages.of(request) + cors(request)
        click_id = plain_click_id(postback.params.get("clickid", ""))
        if codes or ruleset is None or not ruleset.has_pixels or self._find_click is None or not is_hex24(click_id):
            return self._record(postback, Response(200, SUCCESS_PAGE % codes, HTML, headers=headers, durable=True))
        answer = DeferredResponse(SUCCESS_PAGE % b"", HTML, headers)
        taken = self._record(postback, answer)
        if not taken.durable:
            return taken

        def complete(click: Click | None) -> None:
            found = b"" if click is None else _codes_of_click(ruleset, postback, offer_id, click)
            answer.complete(SUCCESS_PAGE % found)

        self._find_click(click_id, postback.ip, complete)
        return taken

    def script(self, request: Request, ruleset: Ruleset | None) -> Response:
        """Return a script; without a known click it looks for the click in the page.

        It reports the click by the image. The page may be on the host that the URL of the click led to.
        """
        postback, _ = self._read_postback(request, ruleset, "track.js")
        if "clickid" not in postback.params:
            return Response(200, TRACK_SCRIPT, SCRIPT_TYPE, headers=NO_STORE + cors(request))
        headers = NO_STORE + cors(request)
        return self._record(postback, Response(200, TRACKED_SCRIPT, SCRIPT_TYPE, headers=headers, durable=True))

    def _read_postback(self, request: Request, ruleset: Ruleset | None, source: str) -> tuple[InboundPostback, int]:
        """Return the inbound postback and the id of the offer; 0 = the pixel has no offer."""
        params_as_sent, forgiven = read_params(request, PIXEL_NAMES, _CLICK_ID)
        sent_offer = params_as_sent.get("offer_id", "")
        offer = plain_reference(sent_offer)
        offer_id = _offer_number(offer, ruleset)
        forgiven |= IDENTIFIER if offer != sent_offer else 0
        params = canonical_pixel_params(params_as_sent)
        if "clickid" not in params:
            own = find_click_cookie(request.headers, b"afclick_%d" % offer_id) if offer_id else ""
            click_id = own or find_click_cookie(request.headers, b"afclick")
            if click_id:
                params["clickid"] = click_id
        page = find_page_host(request.header(b"origin"), request.header(b"referer"))
        return self._inbound.read_postback(request, source, params, page, forgiven), offer_id

    def _record(self, postback: InboundPostback, answer: Response) -> Response:
        """Record a postback and return its answer; HEAD is not recorded."""
        if postback.method == "HEAD":
            answer.durable = False
            return answer
        return self._inbound.record(postback, answer)


def _offer_number(text: str, ruleset: Ruleset | None) -> int:
    found = None if ruleset is None else ruleset.find_offer(text)
    if found is not None:
        return found.id
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _codes(request: Request, ruleset: Ruleset, postback: InboundPostback, offer_id: int) -> bytes:
    """Return the code of the pixels of the affiliate that the cookies of the click name."""
    affiliate_id_bytes = find_cookie(request.headers, b"afpid_%d" % offer_id)
    if not affiliate_id_bytes.isdigit() or len(affiliate_id_bytes) > 18:
        return b""
    click_id = plain_click_id(postback.params.get("clickid", ""))
    if find_click_cookie(request.headers, b"afclick_%d" % offer_id) != click_id:
        return b""
    codes = ruleset.pixels(offer_id, int(affiliate_id_bytes))
    if not codes:
        return b""
    return _fill_codes(codes, _macro_values(ruleset, postback, offer_id, affiliate_id_bytes.decode("ascii")))


def _codes_of_click(ruleset: Ruleset, postback: InboundPostback, offer_id: int, click: Click) -> bytes:
    """Return the code of the pixels of a recorded click; none if it is rejected or of another offer."""
    if is_rejected(click.reason) or offer_id not in (0, click.offer):
        return b""
    codes = ruleset.pixels(click.offer, click.affiliate)
    if not codes:
        return b""
    zone = find_zone(ruleset.platform.timezone)
    values = _macro_values(ruleset, postback, click.offer, str(click.affiliate)) | {
        "click_date": "" if zone is None else datetime_text(click.time, zone),
        **{name: str(getattr(click, column)) for name, column in _CLICK_COLUMNS.items()},
    }
    return _fill_codes(codes, values)


def _fill_codes(codes: tuple[str, ...], values: dict[str, str]) -> bytes:
    filled = (cached_template(with_braces(code, _UNKNOWN)).fill(values) for code in codes)
    return "\n".join(filled).encode("utf-8", "replace")


def _macro_values(ruleset: Ruleset, postback: InboundPostback, offer_id: int, affiliate_id: str) -> dict[str, str]:
    """Return the values of the macros of a pixel; empty where only the conversion has them."""
    get = postback.params.get
    offer = ruleset.find_offer(str(offer_id))
    seconds = str(postback.time // 1000)
    zone = find_zone(ruleset.platform.timezone)
    moment = "" if zone is None else datetime_text(postback.time, zone)
    status = get("status", "")
    return {
        **_UNKNOWN,
        "clickid": plain_click_id(get("clickid", "")),
        "action_id": get("action_id", ""),
        "offerid": str(offer_id),
        "offer_id": str(offer_id),
        "offer_name": "" if offer is None else offer.title,
        "pid": affiliate_id,
        "status": status or "1",
        "status_name": SENT_STATUSES[status].value if status in SENT_STATUSES else "",
        "order_sum": get("sum", ""),
        "goal": get("goal", "1"),
        "ip": postback.ip,
        "uagent": postback.ua,
        "date": moment,
        "date_only": moment[:10],
        "time": seconds,
        "timestamp": seconds,
        "rand": str(int(postback.id[-8:], 16)),
        "comment": get("comment", ""),
        **{each: get(names[0], "") for names in _CUSTOM_FIELDS for each in names},
    }
