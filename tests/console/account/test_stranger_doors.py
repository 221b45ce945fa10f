"""Limits of strangers at all their doors.

These are methods without a key and pages for anyone that check passwords, use or send links, or sign up.
"""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any, Final

import pytest

from tests.support.api import Api
from tests.support.counted import counted
from tests.support.pages import Visitor, console_app, staff_visitor
from tests.support.waiting import wait_until
from trackyard.actions.events import stops
from trackyard.actions.people import credentials, email_confirmations
from trackyard.actions.people.advertiser_side import signing
from trackyard.actions.people.sign_in import by_link
from trackyard.actions.people.sign_up import sign_ups
from trackyard.api.catalogue import CATALOGUE
from trackyard.base.rate_limits import RateLimiter
from trackyard.base.strangers import PLACES, StrangerAct, StrangersBusy, act_of_strangers
from trackyard.console.parts import PARTS
from trackyard.wire.http import dispatch
from trackyard.wire.http.rate_limits import ApiLimits
from trackyard.wire.limits import strangers

Door = tuple[str, str]
"""A way in: the method of HTTP and the path."""

PASSWORD: Final = "a long enough password"
NAMES: Final = count(1)


def _account() -> dict[str, str]:
    """A password for an account that does not exist."""
    return {"login": f"nobody-{next(NAMES)}@example.org", "password": PASSWORD}


def _sign_up() -> dict[str, str]:
    number = next(NAMES)
    return {"email": f"new-{number}@example.org", "password": PASSWORD, "title": f"Shop {number}", "form_do": "save"}


FIELDS: Final[dict[Door, Callable[[], dict[str, str]]]] = {
    ("POST", "/3.1/auth"): _account,
    ("POST", "/3.1/advertiser/login"): lambda: {"email": f"nobody-{next(NAMES)}@example.org", "password": PASSWORD},
    ("POST", "/3.1/partner"): lambda: {"email": f"new-{next(NAMES)}@example.org", "password": PASSWORD},
    ("POST", "/3.1/advertiser/registration"): lambda: {k: v for k, v in _sign_up().items() if k != "form_do"},
    ("POST", "/3.1/partner/email/confirm"): lambda: {"token": "t" * 40},
    ("POST", "/3.1/partner/email/resend"): lambda: {"email": f"nobody-{next(NAMES)}@example.org"},
    ("POST", "/sign-in"): _account,
    ("POST", "/sign-in/forgotten"): lambda: {"login": f"nobody-{next(NAMES)}@example.org"},
    ("GET", "/sign-in/link"): lambda: {"token": "t" * 40},
    ("POST", "/sign-in/link"): lambda: {"token": "t" * 40, "password": PASSWORD, "again": PASSWORD},
    ("POST", "/sign-in/mails"): lambda: {"key": "k" * 40},
    ("POST", "/sign-up"): _sign_up,
    ("POST", "/sign-up/advertiser"): _sign_up,
}
"""What a stranger sends through each door: every time another account."""
LIMITS: Final = (
    (credentials, "TRIES_PER_NETWORK"),
    (by_link, "LINKS_PER_NETWORK"),
    (by_link, "OPENED_PER_NETWORK"),
    (stops, "WRONG_PER_NETWORK"),
    (sign_ups, "SIGN_UPS_PER_NETWORK"),
    (signing, "SIGN_UPS_PER_NETWORK"),
    (email_confirmations, "LINKS_PER_NETWORK"),
    (email_confirmations, "CONFIRMATIONS_PER_NETWORK"),
)
TRIES: Final = 3


def declared_doors() -> dict[Door, tuple[StrangerAct, str]]:
    """The act and the declared path of each door."""
    methods = {(each.method, f"/3.1{each.path}"): (each.act, each.path) for each in CATALOGUE if each.act is not None}
    routes = [route for part in PARTS for route in part.routes]
    return methods | {(route.method, route.path): (route.act, route.path) for route in routes if route.act is not None}


def knock(app: Any, door: Door, address: str) -> Any:
    """Send what a stranger sends through a door, from an address."""
    method, path = door
    client = Visitor(app, address=address).client
    given = FIELDS[door]()
    return client.get(path, params=given) if method == "GET" else client.post(path, data=given)


def refused(door: Door, reason: str) -> float:
    """How many strangers were refused at a door."""
    act, path = declared_doors()[door]
    return counted("trackyard_strangers_refused_total", act=act, door=path, reason=reason)


class Blocked:
    """A comparison of passwords that waits."""

    def __init__(self) -> None:
        self.go, self.begun = threading.Event(), 0

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_given: object) -> None:
        self.go.set()

    def __call__(self, _password: str, _hashed: str) -> bool:
        """Wait, then say that the password is wrong."""
        self.begun += 1
        assert self.go.wait(60)
        return False


@pytest.fixture
def blocked(monkeypatch: pytest.MonkeyPatch) -> Blocked:
    """Comparisons of passwords that wait until the block of the test ends."""
    made = Blocked()
    monkeypatch.setattr(credentials, "password_matches", made)
    return made


def test_every_door_of_strangers_is_known() -> None:
    assert set(declared_doors()) == set(FIELDS)
    assert len(FIELDS) == 13
    routes = [route for part in PARTS for route in part.routes]
    assert {route.audience for route in routes if route.act is not None} == {"anyone"}
    open_pages = [route for part in PARTS for route in part.routes if route.audience == "anyone"]
    assert {route.method for route in open_pages if route.act is None} == {"GET"}
    assert {route.path for route in open_pages if route.act is None} == {
        "/sign-in", "/sign-in/forgotten", "/sign-in/mails",
        "/sign-up", "/sign-up/done", "/sign-up/advertiser", "/sign-up/advertiser/done"
    }  # fmt: skip
    assert [each.id for each in CATALOGUE if each.is_public and each.act is None] == ["network.get"]


@pytest.mark.parametrize("door", FIELDS, ids=" ".join)
def test_tries_of_strangers_count_by_wide_network_at_every_door(
    api: Api, monkeypatch: pytest.MonkeyPatch, door: Door
) -> None:
    for module, name in LIMITS:
        monkeypatch.setattr(module, name, TRIES)
    app, before = console_app(api), refused(door, "tries")
    statuses = [knock(app, door, f"2001:db8:7:{number}::1").status_code for number in range(TRIES + 2)]
    assert 429 not in statuses[:TRIES] and 503 not in statuses
    assert statuses[TRIES:] == [429, 429]
    assert refused(door, "tries") == before + 2, "the act is the declared one"
    assert knock(app, door, "2001:db8:8:1::1").status_code != 429


def test_rate_of_strangers_is_that_of_a_wide_network_over_all_doors(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strangers, "RateLimiter", lambda rate, _seconds: RateLimiter(rate, lambda: 0.0))
    monkeypatch.setattr(dispatch, "REFUSAL_DELAY_S", 0.0)
    monkeypatch.setattr(dispatch, "BUSY_DELAY_S", 0.0)
    limits = ApiLimits(strangers_per_second=1, strangers_burst=1, pages_per_second=10**6, pages_burst=10**6)
    app = console_app(api, limits=limits)
    assert knock(app, ("POST", "/3.1/auth"), "2001:db8:7:1::1").status_code == 401
    for number, door in enumerate(FIELDS):
        before = refused(door, "rate")
        answer = knock(app, door, f"2001:db8:7:{number + 2}::1")
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "1"), door
        assert ("Too many requests" in answer.text) == (not door[1].startswith("/3.1")), door
        assert refused(door, "rate") == before + 1
    assert Visitor(app, address="2001:db8:7:1::1").get("/sign-in").status_code == 200, "a look costs little"
    assert knock(app, ("POST", "/sign-in"), "2001:db8:8:1::1").status_code == 401, "another network"


def test_strangers_beyond_their_places_are_refused_at_every_door_and_pages_go_on(
    api: Api, monkeypatch: pytest.MonkeyPatch, blocked: Blocked
) -> None:
    monkeypatch.setattr(strangers, "MAX_WAITING", 2)
    monkeypatch.setattr(dispatch, "BUSY_DELAY_S", 0.0)
    app = console_app(api)
    with monkeypatch.context() as patch:
        patch.setattr(credentials, "password_matches", lambda *_given: True)
        visitor = staff_visitor(api, app=app)
    served = PLACES + strangers.MAX_WAITING
    with ThreadPoolExecutor(served) as threads, blocked:
        for number in range(served):
            threads.submit(knock, app, ("POST", "/sign-in"), f"198.51.{number}.1")
        wait_until(lambda: blocked.begun == PLACES)
        wait_until(lambda: app._strangers._acts.is_full)
        assert blocked.begun == PLACES, "the others wait for a place"
        for door in FIELDS:
            before = refused(door, "busy")
            answer = knock(app, door, "203.0.113.1")
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "5"), door
            is_page = not door[1].startswith("/3.1")
            assert ("There is too much to do now" in answer.text) == is_page, door
            assert is_page or answer.json()["code"] == "busy", door
            assert refused(door, "busy") == before + 1
        assert visitor.get("/console/profile").status_code == 200
        assert api.admin.call("GET", "/3.1/offers").status_code == 200
        assert Visitor(app).get("/sign-in").status_code == 200, "its form waits for no password"


def test_act_through_an_undeclared_door_is_refused_without_a_place() -> None:
    go, begun = threading.Event(), list[int]()

    @act_of_strangers(StrangerAct.USE_LINK)
    def act() -> None:
        begun.append(1)
        assert go.wait(60)

    with ThreadPoolExecutor(PLACES) as threads:
        for _ in range(PLACES):
            threads.submit(act)
        wait_until(lambda: len(begun) == PLACES)
        with pytest.raises(StrangersBusy):
            act()
        go.set()
    act()
    assert len(begun) == PLACES + 1
