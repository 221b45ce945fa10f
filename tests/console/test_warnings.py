"""Pages show the warnings of every answer that they get."""

import html
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.page_forms import FormReader
from tests.support.page_world import READ, ROUTES, PageWorld, page_world
from trackyard.console.frame.answers import Html, Looks, Redirect
from trackyard.console.frame.pages import PageRoute, PageTable
from trackyard.console.frame.request import PageRequest
from trackyard.wire.local_calls import LocalCalls

NAMES: Final = ("url", "code", "trafficback")
"""What fields are called that take macros, or a part of it."""
MOST_FIELDS: Final = 3
SIGNED_IN: Final = [each for each in ROUTES if each.method == "POST" and each.audience != "anyone"]


@pytest.fixture(scope="module")
def world(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageWorld]:
    with page_world(migrated_sqlite, tmp_path_factory.mktemp("warnings")) as made:
        yield made


def words_of(answer: Any) -> str:
    return html.unescape(answer.text)


@pytest.fixture
def warned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The warnings of the answers that pages got, without the names of parameters."""
    found: list[str] = []
    ask = LocalCalls.ask

    def noted(calls: LocalCalls[Any], *given: Any, **named: Any) -> Any:
        answer = ask(calls, *given, **named)
        found.extend(each.rpartition("] ")[2] for each in answer.warnings or ())
        return answer

    monkeypatch.setattr(LocalCalls, "ask", noted)
    return found


def test_each_form_with_an_address_shows_the_warnings_about_it(world: PageWorld, warned: list[str]) -> None:
    sent, shown = set(), set()
    posts = {each.path for each in SIGNED_IN}
    for route in READ:
        if route.path not in posts or route.audience not in world.people:
            continue
        visitor, address = world.visitor(route), world.address(route)
        form = FormReader(visitor.get(address).text)
        fields = [name for name, _ in form.pairs if any(each in name for each in NAMES)]
        if not fields:
            continue
        for name in fields[:MOST_FIELDS]:
            warned.clear()
            typed = f"https://shop.example/{len(sent)}?c={{clickidd}}"  # a new value: a stored one is not sent
            typed = f'<img src="{typed}">' if "code" in name else typed
            answer = visitor.client.post(address, data=form.typed("save", **{name: typed}))
            sent.add(route.path)
            if not warned:
                continue
            page = words_of(visitor.get(answer.headers["location"]) if answer.status_code == 303 else answer)
            assert [each for each in warned if each not in page] == [], (address, name)
            shown.add((route.path, name))
    assert len(sent) >= 10, sent
    assert {path for path, _ in shown} >= {
        "/portal/postbacks/{id}/edit", "/console/offers/{id}/edit", "/console/settings",
        "/console/affiliates/{id}/postbacks/{postback}/edit",
    }, shown  # fmt: skip
    assert len(shown) >= 8, shown


@pytest.mark.parametrize("kind", [Redirect, Looks, Html])
def test_each_page_that_takes_a_form_shows_the_warnings_of_its_answers(
    world: PageWorld, monkeypatch: pytest.MonkeyPatch, kind: type[Any]
) -> None:
    tokens = {each.audience: world.token(each.audience) for each in SIGNED_IN}

    def answered(request: PageRequest) -> Any:
        request.calls.warnings.append("This macro is <unknown>.")
        to = f"{request.person.home}nothing"
        return Redirect(to) if kind is Redirect else Looks(to) if kind is Looks else request.page("network.html")

    find = PageTable.find

    def found(table: PageTable, method: str, path: str) -> tuple[PageRoute, dict[str, str]]:
        route, variables = find(table, method, path)
        return (replace(route, handle=answered, needs=()) if method == "POST" else route), variables

    monkeypatch.setattr(PageTable, "find", found)
    monkeypatch.setattr("trackyard.console.app.render", _rendered)
    assert len(SIGNED_IN) >= 165
    faults = []
    for route in SIGNED_IN if kind is Redirect else SIGNED_IN[::10]:
        visitor = world.visitor(route)
        path = re.sub(r"\{\w+\}", "1", route.path)
        answer = visitor.client.post(path, data={"form_token": tokens[route.audience]})
        page = visitor.get(answer.headers["location"]) if answer.status_code == 303 else answer
        if "This macro is <unknown>." not in words_of(page):
            faults.append((route.path, answer.status_code))
    assert faults == []


def _rendered(template: str, values: dict[str, Any]) -> str:
    """Return what the frame shows of any page."""
    return "\n".join([values["message"], *values["warned"]])
