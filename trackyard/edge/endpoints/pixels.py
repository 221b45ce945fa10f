"""Pixels: conversions reported from the page that the visitor sees after one
(docs/spec/tracking.md#pixels, docs/spec/postbacks.md#pixels)."""

from collections.abc import Callable
from typing import Final

from trackyard.base.ids import is_hex24
from trackyard.base.zones import datetime_text, find_zone
from trackyard.decision.routes import Rules
from trackyard.decision.visitor.headers import find_click_cookie, find_cookie
from trackyard.domain.tracking.macros import template
from trackyard.domain.tracking.postback_params import pixel_named
from trackyard.edge.endpoints.pages import GIF, GIF_TYPE, HTML, SCRIPT_TYPE, SUCCESS_PAGE, TRACK_SCRIPT, TRACKED_SCRIPT
from trackyard.edge.endpoints.postback_params import given_params
from trackyard.edge.endpoints.postbacks import Inbound
from trackyard.edge.endpoints.redirects import cors
from trackyard.edge.http.answers import NO_STORE
from trackyard.edge.http.request import Later, Request, Response
from trackyard.journal.records import Call, Click

FindClick = Callable[[str, str, Callable[[Click | None], None]], None]
"""Looks a click up: its id, the address that asks, and what to call once with the click, None = not found."""

_SANDBOX: Final = (
    NO_STORE + b"Content-Security-Policy: sandbox allow-scripts\r\nReferrer-Policy: origin\r\n"
    b"X-Content-Type-Options: nosniff\r\n"
)
"""Code of affiliates runs as of an origin of its own: it reads no cookie of this host and moves no page."""

_LATER: Final = (  # macros of postbacks whose values are known once the conversion is made
    *("transactionid", "sum", "currency", "goal_name", "geo", "city", "os", "device_type", "referrer", "click_date"),
    *("ref_id", "os_id", "ext1", "ext2", "ext3", "user_id", *(f"sub{number}" for number in range(1, 9))),
)
_OF_CLICK: Final = (
    *("ip", "city", "os", "referrer", "ref_id", "os_id", "ext1", "ext2", "ext3", "user_id"),
    *(f"sub{number}" for number in range(1, 9)),
)
_CUSTOM: Final = tuple((f"custom_field{number}", f"custom_field_{number}") for number in range(1, 8))
_STATUS_NAMES: Final = {"": "confirmed", "1": "confirmed", "2": "pending", "3": "declined", "5": "hold"}


class Pixels:
    """Answers `/success.jpg`, `/success.php` and `/track.js`: each request is a call, and answered once it is durable.

    rules: None while none were read; a call is taken all the same.
    """

    __slots__ = ("_find_click", "_inbound")

    def __init__(self, inbound: Inbound, find_click: FindClick | None = None) -> None:
        self._inbound = inbound
        self._find_click = find_click

    def image(self, request: Request, rules: Rules | None) -> Response:
        """An image of one transparent point."""
        call, _ = self._read(request, rules, "success.jpg")
        return self._take(call, Response(200, GIF, GIF_TYPE, headers=NO_STORE + cors(request), durable=True))

    def page(self, request: Request, rules: Rules | None) -> Response:
        """A page for a frame, with the pixels of the click's affiliate.

        The cookies of the click name the affiliate. Where they are missing, the click is looked up.
        """
        call, offer_id = self._read(request, rules, "success.php")
        codes = b"" if rules is None else _codes(request, rules, call, offer_id)
        headers = _SANDBOX + cors(request)
        click_id = call.params.get("clickid", "")
        if codes or rules is None or not rules.has_pixels or self._find_click is None or not is_hex24(click_id):
            return self._take(call, Response(200, SUCCESS_PAGE % codes, HTML, headers=headers, durable=True))
        answer = Later(SUCCESS_PAGE % b"", HTML, headers)
        taken = self._take(call, answer)
        if taken is not answer or not answer.durable:
            return taken

        def complete(click: Click | None) -> None:
            found = b"" if click is None else _codes_of_click(rules, call, offer_id, click)
            answer.complete(SUCCESS_PAGE % found)

        self._find_click(click_id, call.ip, complete)
        return answer

    def script(self, request: Request, rules: Rules | None) -> Response:
        """A script. When neither the address nor a cookie tells the click, it looks for it in the page and reports what
        it finds by the image: a page that shows the script may be on the host that the click's URL led to."""
        call, _ = self._read(request, rules, "track.js")
        if "clickid" not in call.params:
            return Response(200, TRACK_SCRIPT, SCRIPT_TYPE, headers=NO_STORE + cors(request))
        headers = NO_STORE + cors(request)
        return self._take(call, Response(200, TRACKED_SCRIPT, SCRIPT_TYPE, headers=headers, durable=True))

    def _read(self, request: Request, rules: Rules | None, source: str) -> tuple[Call, int]:
        """The call, and the offer's number, 0 when the pixel names none."""
        given = given_params(request)
        offer_id = _offer_number(given.get("offer_id", ""), rules)
        params = pixel_named(given)
        if "clickid" not in params:
            own = find_click_cookie(request.headers, b"afclick_%d" % offer_id) if offer_id else ""
            click_id = own or find_click_cookie(request.headers, b"afclick")
            if click_id:
                params["clickid"] = click_id
        return self._inbound.read(request, source, params), offer_id

    def _take(self, call: Call, answer: Response) -> Response:
        """HEAD reports nothing."""
        if call.method == "HEAD":
            answer.durable = False
            return answer
        return self._inbound.take(call, answer)


def _offer_number(text: str, rules: Rules | None) -> int:
    found = None if rules is None else rules.find_offer(text)
    if found is not None:
        return found.id
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _codes(request: Request, rules: Rules, call: Call, offer_id: int) -> bytes:
    """The code of the pixels to show. Whose click it was only the cookies of that click tell."""
    owner = find_cookie(request.headers, b"afpid_%d" % offer_id)
    if not owner.isdigit() or len(owner) > 18:
        return b""
    if find_click_cookie(request.headers, b"afclick_%d" % offer_id) != call.params.get("clickid"):
        return b""
    codes = rules.pixels(offer_id, int(owner))
    if not codes:
        return b""
    return _filled(codes, _values(rules, call, offer_id, owner.decode("ascii")))


def _codes_of_click(rules: Rules, call: Call, offer_id: int, click: Click) -> bytes:
    """Return the code of the pixels of a recorded click's affiliate; none of a rejected click or another offer."""
    if click.reason or offer_id not in (0, click.offer):
        return b""
    codes = rules.pixels(click.offer, click.affiliate)
    if not codes:
        return b""
    zone = find_zone(rules.platform.timezone)
    values = _values(rules, call, click.offer, str(click.affiliate)) | {
        "geo": click.country,
        "device_type": click.device,
        "uagent": click.ua,
        "click_date": "" if zone is None else datetime_text(click.time, zone),
        **{name: getattr(click, name) for name in _OF_CLICK},
    }
    return _filled(codes, values)


def _filled(codes: tuple[str, ...], values: dict[str, str]) -> bytes:
    return "\n".join(template(code).fill(values) for code in codes).encode("utf-8", "replace")


def _values(rules: Rules, call: Call, offer_id: int, affiliate_id: str) -> dict[str, str]:
    """What the macros of a pixel say: those of postbacks, empty where only the conversion will know."""
    get = call.params.get
    offer = rules.find_offer(str(offer_id))
    seconds = str(call.time // 1000)
    zone = find_zone(rules.platform.timezone)
    moment = "" if zone is None else datetime_text(call.time, zone)
    status = get("status", "")
    return {
        **dict.fromkeys(_LATER, ""),
        "clickid": get("clickid", ""),
        "action_id": get("action_id", ""),
        "offerid": str(offer_id),
        "offer_id": str(offer_id),
        "offer_name": "" if offer is None else offer.title,
        "pid": affiliate_id,
        "status": status or "1",
        "status_name": _STATUS_NAMES.get(status, ""),
        "order_sum": get("sum", ""),
        "goal": get("goal", "1"),
        "ip": call.ip,
        "uagent": call.ua,
        "date": moment,
        "date_only": moment[:10],
        "time": seconds,
        "timestamp": seconds,
        "rand": str(int(call.id[-8:], 16)),
        "comment": get("comment", ""),
        **{each: get(names[0], "") for names in _CUSTOM for each in names},
    }
