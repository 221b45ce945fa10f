"""What pixels may report (docs/spec/conversions.md#pixels)."""

from dataclasses import replace
from typing import Any

import pytest

from tests.domain.conversions.test_conversions import AT, CLICK, OFFER, TERMS
from trackyard.domain.conversions.conversions import Conversion, ConversionChange, DecisionTerms
from trackyard.domain.conversions.decisions import decide
from trackyard.domain.conversions.pixel_pages import find_page_host, is_on_page
from trackyard.domain.conversions.postbacks import PostbackError, parse_postback
from trackyard.domain.conversions.sessions import DAY_MS

CODE, SECRET = "p" * 40, "s" * 40
SHOP = "www.shop.example"


def terms(**of_offer: Any) -> DecisionTerms:
    """Return terms of an installation that generates codes."""
    own = {"pixel_code": CODE, "secure": SECRET} | of_offer
    return replace(TERMS, offer=replace(OFFER, **own), needs_code=True)


def reported(
    known: DecisionTerms,
    page: str | None = SHOP,
    existing: Conversion | None = None,
    click_ip: str = "",
    **params: str,
) -> Any:
    """Return the conversion that a pixel makes, or its fault; page None is a postback."""
    sent = {"clickid": CLICK["id"], "secure": CODE} | params
    postback = parse_postback("c" * 24, AT, "192.0.2.9", sent, page=page)
    outcome = decide(postback, CLICK | {"ip": click_ip}, known, existing, "d" * 24)
    return outcome.after if isinstance(outcome, ConversionChange) else outcome


@pytest.mark.parametrize("status", ["", "1", "2", "3", "5"])
@pytest.mark.parametrize("hold_days", [0, 7])
def test_pixel_conversion_is_pending_whatever_it_sends(status: str, hold_days: int) -> None:
    made = reported(terms(hold_ms=hold_days * DAY_MS), status=status, sum="4")
    assert (made.status, made.sent_status, made.hold_until) == ("pending", "pending", None)


@pytest.mark.parametrize("code", ["", SECRET, CODE[:-1], CODE.upper()])
def test_pixel_without_the_code_of_pixels_is_denied(code: str) -> None:
    assert reported(terms(), secure=code) is PostbackError.ACCESS_DENIED
    assert reported(terms(pixel_code=""), secure=code) is PostbackError.ACCESS_DENIED
    assert reported(terms(pixel_code="", secure=None), secure="") is PostbackError.ACCESS_DENIED


def test_pixel_code_opens_no_postback() -> None:
    assert reported(terms(), page=None) is PostbackError.ACCESS_DENIED
    assert reported(terms(), page=None, secure=SECRET).status == "confirmed"


@pytest.mark.parametrize("status", ["", "1", "3"])
def test_pixel_changes_no_conversion_that_exists(status: str) -> None:
    made = reported(terms())
    assert reported(terms(), existing=made, status=status, sum="900") is PostbackError.EXISTS
    assert reported(terms(), page=None, secure=SECRET, existing=made).status == "confirmed"


def test_pixel_of_an_installation_that_needs_no_code_confirms_as_a_postback_does() -> None:
    known = replace(terms(secure=None), needs_code=False)
    assert reported(known, secure="").status == "confirmed"
    assert reported(replace(known, offer=replace(known.offer, secure=SECRET)), secure=SECRET).status == "confirmed"
    assert reported(replace(known, offer=replace(known.offer, secure=SECRET))) is PostbackError.ACCESS_DENIED


def test_pixel_from_the_address_of_its_click_is_not_marked() -> None:
    assert not reported(terms(), click_ip="192.0.2.9").from_click_address
    assert reported(terms(), page=None, secure=SECRET, click_ip="192.0.2.9").from_click_address
    assert not reported(terms(), page=None, secure=SECRET).from_click_address


@pytest.mark.parametrize("needs_code", [True, False])
def test_pixel_that_is_off_or_on_another_page_reports_nothing(needs_code: bool) -> None:
    code = "" if needs_code else SECRET
    known = replace(terms(secure=code or None), needs_code=needs_code)
    sent = {"secure": CODE if needs_code else SECRET}
    off = replace(known, offer=replace(known.offer, pixels=False))
    assert reported(off, **sent) is PostbackError.PIXELS_OFF
    limited = replace(known, offer=replace(known.offer, pixel_pages=("shop.example", "other.example")))
    for page in ("shop.example", SHOP, "other.example"):
        assert reported(limited, page, **sent).action_id == ""
    for page in ("", "attacker.example", "notshop.example", "shop.example.attacker.example"):
        assert reported(limited, page, **sent) is PostbackError.PAGE_DENIED


@pytest.mark.parametrize(
    ("origin", "referrer", "host"),
    [
        ("https://Shop.Example", "https://attacker.example/x", "shop.example"),
        ("null", "https://shop.example:8443/a?b#c", "shop.example"),
        ("", "https://user@shop.example/", "shop.example"),
        ("", "", ""),
        ("null", "about:blank", ""),
        ("https://[broken", "https://[also", ""),
        ("", "https://[2001:db8::1]/", "2001:db8::1"),
    ],
)
def test_pixel_page_host_is_that_of_origin_else_referrer(origin: str, referrer: str, host: str) -> None:
    assert find_page_host(origin, referrer) == host


def test_pixel_pages_name_hosts_and_those_below() -> None:
    assert is_on_page("", ()) and is_on_page("a.example", ())
    assert is_on_page("a.b.example", ("b.example",)) and not is_on_page("ab.example", ("b.example",))
