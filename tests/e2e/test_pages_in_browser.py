"""The pages in a browser: accessibility in both themes, and a narrow window."""

import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.support.browser import BrowserTab, browser_tab
from tests.support.offer_scenario import click_id_of, create_offer_scenario
from tests.support.processes.program import RunningProgram
from trackyard.console.frame.pages import PageTable
from trackyard.console.parts import PARTS

PASSWORD = "a long enough password"
TABLE = PageTable(PARTS)
SERIOUS = ("serious", "critical")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningProgram]:
    running = RunningProgram(tmp_path_factory.mktemp("pages"))
    running.start()
    yield running
    assert running.stop() == 0


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserTab]:
    with browser_tab(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture(scope="module")
def axe() -> str:
    spec = find_spec("axe_playwright_python")
    assert spec is not None and spec.submodule_search_locations
    return (Path(spec.submodule_search_locations[0]) / "axe.min.js").read_text()


def sign_in(program: RunningProgram, tab: BrowserTab, login: str, password: str = PASSWORD) -> None:
    tab.open(f"http://127.0.0.1:{program.api_port}/sign-in")
    tab.run(f"document.querySelector('[name=login]').value = {json.dumps(login)}")
    tab.run(f"document.querySelector('[name=password]').value = {json.dumps(password)}")
    tab.run("document.querySelector('form').requestSubmit()")
    tab.wait("location.pathname !== '/sign-in' && document.readyState === 'complete'")


def violations(tab: BrowserTab, axe: str) -> list[str]:
    """What axe finds serious on the page that is shown."""
    tab.run(f"typeof axe === 'undefined' && (0, eval)({json.dumps(axe)}) && 0")
    found: list[dict[str, Any]] = json.loads(
        tab.run("axe.run({resultTypes: ['violations']}).then(found => JSON.stringify(found.violations))")
    )
    return [
        f"{each['id']}: {node['target']} {node['failureSummary']}"
        for each in found
        if each["impact"] in SERIOUS
        for node in each["nodes"]
    ]


def route_of(address: str) -> str:
    """The path of a page as it is declared; "" for what is no page in HTML."""
    path = urlsplit(address).path
    found = (each.path for each in TABLE.routes if each.method == "GET" and each.pattern.match(path))
    return "" if path.endswith("/file") else next(found, "")


def check_pages(program: RunningProgram, tab: BrowserTab, axe: str, start: str) -> tuple[set[str], list[str]]:
    """Open each page that links lead to; return the pages and what is wrong with them."""
    base = f"http://127.0.0.1:{program.api_port}"
    waiting, seen, faults = [start], {route_of(start)}, []
    while waiting:
        address = waiting.pop(0)
        tab.resize(1280, 800)
        tab.open(f"{base}{address}")
        faults += [f"{address}: {each}" for each in tab.complaints()]
        faults += [f"{address}: {each}" for each in violations(tab, axe)]
        tab.resize(1280, 800, dark=True)
        faults += [f"{address}, dark: {each}" for each in violations(tab, axe)]
        tab.resize(360, 740)
        if tab.run("document.scrollingElement.scrollWidth") > 360:
            faults.append(f"{address} is wider than a window of 360 pixels")
        for link in tab.run("[...document.links].map(each => each.getAttribute('href'))"):
            route = route_of(link) if link.startswith("/") else ""
            if route and route not in seen:
                seen.add(route)
                waiting.append(link.partition("#")[0])
    return seen, faults


def test_console_and_portal_have_no_serious_fault_in_a_browser(
    program: RunningProgram, tab: BrowserTab, axe: str
) -> None:
    story = create_offer_scenario(program)
    story.await_rules()
    story.call(click_id_of(story.click()))
    admin = program.api("GET", "/3.1/admin/users")["users"][0]
    program.api("POST", f"/3.1/admin/user/{admin['id']}/password", {"password": PASSWORD})
    sign_in(program, tab, admin["email"])
    seen, faults = check_pages(program, tab, axe, "/console/")
    assert not faults, "\n".join(faults)
    assert len(seen) > 30
    tab.open(f"http://127.0.0.1:{program.api_port}/console/")
    tab.run("document.querySelector('form[action=\"/sign-out\"]').requestSubmit()")
    tab.wait("location.pathname === '/sign-in'")
    partner = program.api("GET", "/3.1/admin/partners")["partners"][0]
    made = program.api("POST", f"/3.1/admin/partner/password/{partner['id']}")
    sign_in(program, tab, partner["email"], made["password"])
    seen, faults = check_pages(program, tab, axe, "/portal/")
    assert not faults, "\n".join(faults)
    assert len(seen) > 8
