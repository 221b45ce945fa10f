"""Fair shares of people in pages and their figures."""

import asyncio
import re
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from typing import Any, Final

import pytest

from tests.support.api import Api
from tests.support.counted import counted
from tests.support.pages import Visitor, affiliate_visitor, console_app, staff_visitor
from tests.support.waiting import wait_until
from trackyard.console.frame.answers import Html
from trackyard.console.frame.pages import PageRoute
from trackyard.console.frame.request import Audience
from trackyard.console.reports_shown import pages
from trackyard.console.turns import FOR_STAFF, MOST_WAITING, OF_PERSON, PagesBusy, TooManyPages, Turns
from trackyard.domain.people.callers import AdvertiserCaller, AffiliateCaller, Caller, StaffCaller

MOST: Final = 8
ANN, BOB = AffiliateCaller(1), AffiliateCaller(2)
SHOP = AdvertiserCaller("s" * 24)
MIA, TOM = StaffCaller("a" * 24, frozenset()), StaffCaller("b" * 24, frozenset())


def in_turns(story: Callable[[Turns, AsyncExitStack], Awaitable[None]], wait_s: float = 0.01) -> None:
    """Play a story with turns of pages."""

    async def play() -> None:
        async with AsyncExitStack() as held:
            await story(Turns(MOST, wait_s), held)

    asyncio.run(play())


async def hold(turns: Turns, held: AsyncExitStack, caller: Caller, number: int = 1) -> None:
    """Begin turns of a person, which end with the story."""
    for _ in range(number):
        await held.enter_async_context(turns.turn(caller))


def refusals(reason: str) -> float:
    """How many turns were refused."""
    return counted("trackyard_pages_refused_total", reason=reason)


@pytest.mark.parametrize("person", [ANN, SHOP, MIA], ids=["affiliate", "advertiser", "staff"])
def test_turns_of_one_person_are_bounded_and_others_go_on(person: Caller) -> None:
    async def story(turns: Turns, held: AsyncExitStack) -> None:
        await hold(turns, held, person, OF_PERSON)
        with pytest.raises(TooManyPages):
            await hold(turns, held, person)
        for other in {ANN, SHOP, MIA} - {person}:
            await hold(turns, held, other)

    before = refusals("share")
    in_turns(story)
    assert refusals("share") == before + 1


def test_turns_of_affiliates_and_advertisers_leave_some_to_staff() -> None:
    async def story(turns: Turns, held: AsyncExitStack) -> None:
        await hold(turns, held, ANN, 2)
        await hold(turns, held, BOB, 2)
        await hold(turns, held, SHOP)
        with pytest.raises(PagesBusy):
            await hold(turns, held, SHOP)
        await hold(turns, held, MIA, 2)
        await hold(turns, held, TOM)
        with pytest.raises(PagesBusy):
            await hold(turns, held, MIA)

    before = refusals("busy")
    in_turns(story)
    assert refusals("busy") == before + 2
    assert FOR_STAFF == OF_PERSON == 3


def test_turn_that_waits_begins_when_it_fits_in_the_order_of_asking() -> None:
    async def story(turns: Turns, held: AsyncExitStack) -> None:
        order = list[str]()

        async def one(caller: Caller, name: str) -> None:
            async with turns.turn(caller):
                order.append(name)

        async with AsyncExitStack() as first:
            await hold(turns, first, ANN, OF_PERSON)
            waiting = [asyncio.create_task(one(ANN, f"ann {number}")) for number in range(2)]
            await asyncio.sleep(0)
            await one(BOB, "bob")
            assert order == ["bob"]
        await asyncio.gather(*waiting)
        assert order == ["bob", "ann 0", "ann 1"]
        await hold(turns, held, ANN, OF_PERSON)

    in_turns(story, wait_s=60)


def test_person_waits_for_a_bounded_number_of_turns() -> None:
    async def story(turns: Turns, held: AsyncExitStack) -> None:
        await hold(turns, held, ANN, OF_PERSON)
        waiting = [asyncio.create_task(hold(turns, held, ANN)) for _ in range(MOST_WAITING)]
        await asyncio.sleep(0)
        with pytest.raises(TooManyPages):
            await hold(turns, held, ANN)
        for each in waiting:
            each.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        assert not turns._waiting

    in_turns(story, wait_s=60)


class HeldPage:
    """A page that waits until the block of the test ends."""

    def __init__(self, app: Any, path: str, audience: Audience) -> None:
        self.go, self.begun, self.path = threading.Event(), 0, path
        app._site._table.routes.append(PageRoute("GET", path, self, audience, (), 0, re.compile(path + r"\Z")))

    def __call__(self, _request: Any) -> Html:
        self.begun += 1
        assert self.go.wait(60)
        return Html("account/signed_up.html", {"of_advertisers": False})

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_given: object) -> None:
        self.go.set()


def on(app: Any, visitor: Visitor) -> Visitor:
    """The same person at another application of the same installation."""
    found = Visitor(app)
    found.client.cookies = visitor.client.cookies
    return found


def test_pages_of_two_affiliates_leave_those_of_staff(api: Api) -> None:
    app = console_app(api)
    staff = staff_visitor(api, app=app)
    affiliates = [on(app, affiliate_visitor(api)[1]) for _ in range(2)]
    app._site._turns._wait_s = 0.2
    page = HeldPage(app, "/portal/held", "affiliate")
    with ThreadPoolExecutor(24) as threads, page:
        asked = [threads.submit(each.get, page.path) for each in affiliates for _ in range(12)]
        wait_until(lambda: page.begun == 5)
        assert staff.get("/console/profile").status_code == 200
        wait_until(lambda: sum(each.done() for each in asked) == 19)
        refused = [each.result() for each in asked if each.done()]
        assert page.begun == 5
    statuses = {answer.status_code for answer in refused}
    assert statuses <= {429, 503} and 429 in statuses
    over = next(answer for answer in refused if answer.status_code == 429)
    assert "Your other pages are still being made." in over.text and over.headers["retry-after"] == "5"
    assert [each.result().status_code for each in asked].count(200) == 5


def test_error_pages_of_a_person_take_turns_too(api: Api) -> None:
    app = console_app(api)
    _, affiliate = affiliate_visitor(api)
    affiliate = on(app, affiliate)
    app._site._turns._wait_s = 0.05
    page = HeldPage(app, "/portal/held", "affiliate")
    with ThreadPoolExecutor(OF_PERSON) as threads, page:
        for _ in range(OF_PERSON):
            threads.submit(affiliate.get, page.path)
        wait_until(lambda: page.begun == OF_PERSON)
        answer = affiliate.get("/portal/nothing")
        assert answer.status_code == 429 and "Too many pages at once" in answer.text
    assert affiliate.get("/portal/nothing").status_code == 404


def test_figures_of_two_affiliates_leave_those_of_staff(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    app = console_app(api, grace_s=0.0)
    staff = staff_visitor(api, app=app)
    affiliates = [on(app, affiliate_visitor(api)[1]) for _ in range(2)]
    app._site._late._turns._wait_s = 0.2
    go, begun, read = threading.Event(), list[int](), pages.read_rows

    def held(calls: Any, *given: Any) -> Any:
        if not calls.is_staff:
            begun.append(1)
            assert go.wait(60)
        return read(calls, *given)

    monkeypatch.setattr(pages, "read_rows", held)
    with ThreadPoolExecutor(8) as threads:
        asked = [threads.submit(each.get, "/portal/reports") for each in affiliates for _ in range(4)]
        try:
            wait_until(lambda: len(begun) == 5)
            assert "Nothing was counted in these days." in staff.get("/console/reports").text
            wait_until(lambda: sum(each.done() for each in asked) == 3)
            refused = [each.result().text for each in asked if each.done()]
        finally:
            go.set()
    assert len(begun) == 5
    said = ("Your other pages are still being made.", "Many people open pages now.")
    assert all(any(sentence in text for sentence in said) for text in refused)
