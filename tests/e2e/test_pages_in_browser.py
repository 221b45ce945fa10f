"""The pages in a browser: accessibility in both themes, a narrow window, and the keyboard alone."""

import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.support.browser import BrowserTab, browser_tab
from tests.support.offer_scenario import OfferScenario, click_id_of, create_offer_scenario
from tests.support.processes.program import RunningProgram
from trackyard.console.frame.pages import PageTable
from trackyard.console.parts import PARTS

pytestmark = pytest.mark.browser

PASSWORD = "a long enough password"
TABLE = PageTable(PARTS)
SERIOUS = ("serious", "critical")
OF_COLOURS = ("color-contrast", "link-in-text-block")
"""The rules of axe that judge colours, which are all that differs on a dark page."""


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


FOCUS = """(() => {
  const here = document.activeElement, place = here.getBoundingClientRect(), before = window.focusedBefore;
  window.focusedBefore = here;
  return {
    words: here.getAttribute('aria-label') || here.innerText || '', name: here.name || '', kind: here.localName,
    isSeen: here.checkVisibility({opacityProperty: true, visibilityProperty: true})
      && place.width > 0 && place.bottom > 0 && place.top < innerHeight
      && getComputedStyle(here).outlineStyle !== 'none',
    isAhead: !before || before.isConnected && !!(before.compareDocumentPosition(here) & 4),
  };
})()"""
TABBED_INTO_MAIN = """(() => {
  const main = document.getElementById('main');
  return main.contains(document.activeElement) || !main.querySelector('a, button, input, select, textarea, summary');
})()"""


class Keyboard:
    """A person without a mouse: key events alone."""

    def __init__(self, tab: BrowserTab) -> None:
        self.tab = tab

    def to(self, words: str = "", *, name: str = "", kind: str = "") -> None:
        """Go on with the key Tab to an element. The focus is seen at each step, and goes forwards."""
        for _ in range(120):
            self.tab.press("Tab")
            at = self.tab.run(FOCUS)
            assert at["isSeen"] and at["isAhead"], at
            if words in at["words"] and name in ("", at["name"]) and kind in ("", at["kind"]):
                return
        raise AssertionError(f"the key Tab leads to no {words or name}")

    def write(self, text: str) -> None:
        """Press a key for each character."""
        for character in text:
            self.tab.press(character)

    def enter(self) -> None:
        """Press Enter, which leads to another page."""
        with self.tab.leaving():
            self.tab.press("Enter")

    def sign_in(self, program: RunningProgram, login: str, password: str) -> None:
        """Sign in as another person."""
        self.tab.swap_cookies()
        self.tab.open(f"http://127.0.0.1:{program.api_port}/sign-in")
        if self.tab.run("document.activeElement.name") != "login":
            self.to(name="login")
        self.write(login)
        self.to(name="password")
        self.write(password)
        self.enter()


def reach_by_keys(tab: BrowserTab) -> list[str]:
    """Return what keeps the keyboard from the content of the page that is shown."""
    faults = tab.run("[...document.querySelectorAll('[tabindex]')].filter(e => e.tabIndex > 0).map(e => e.outerHTML)")
    if tab.run("!document.querySelector('.skip')"):
        return [*faults, "no link leads to the content"]
    tab.run("document.querySelector('.skip').focus()")
    if tab.run("document.querySelector('.skip').getBoundingClientRect().top") < 0:
        faults.append("the link to the content is not seen")
    tab.press("Enter")
    tab.press("Tab")
    return faults if tab.run(TABBED_INTO_MAIN) else [*faults, "the link to the content leads elsewhere"]


def violations(tab: BrowserTab, axe: str, *, rules: tuple[str, ...] = ()) -> list[str]:
    """What axe finds serious on the page that is shown. rules: that are tried, () = all."""
    tab.run(f"typeof axe === 'undefined' && (0, eval)({json.dumps(axe)}) && 0")
    options = json.dumps({"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})})
    found: list[dict[str, Any]] = json.loads(
        tab.run(f"axe.run({options}).then(found => JSON.stringify(found.violations))")
    )
    return [
        f"{each['id']}: {node['target']} {node['failureSummary']}"
        for each in found
        if each["impact"] in SERIOUS
        for node in each["nodes"]
    ]


def route_of(address: str) -> str:
    """The path of a page as it is declared; "" for what is not a page in HTML."""
    path = urlsplit(address).path
    found = (each.path for each in TABLE.routes if each.method == "GET" and each.pattern.match(path))
    return "" if path.endswith("/file") else next(found, "")


def width_faults(tab: BrowserTab) -> list[str]:
    """Return what is wrong with the widths of the page that is shown, on a phone and on a wide screen."""
    faults = []
    for width in (360, 2560):
        tab.resize(width, 740)
        if tab.run("document.scrollingElement.scrollWidth") > width:
            faults.append(f"it is wider than a window of {width} pixels")
    main = tab.run(
        "(place => ({left: place.left, width: place.width}))(document.querySelector('main').getBoundingClientRect())"
    )
    stage = tab.run("document.querySelector('.stage').getBoundingClientRect().left")
    if not 1_000 <= main["width"] <= 1_480 or abs((main["left"] - stage) - (2560 - main["left"] - main["width"])) > 2:
        faults.append(f"its content is not a readable column in the middle of a wide window: {main}")
    lines = tab.run("[...document.querySelectorAll('main p')].map(p => p.getBoundingClientRect().width)")
    return faults + [f"a line of text is {line} pixels long" for line in lines if line > 1_480]


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
        faults += [f"{address}: {each}" for each in reach_by_keys(tab)]
        tab.resize(1280, 800, dark=True)
        faults += [f"{address}, dark: {each}" for each in violations(tab, axe, rules=OF_COLOURS)]
        faults += [f"{address}: {each}" for each in width_faults(tab)]
        for link in tab.run("[...document.links].map(each => each.getAttribute('href'))"):
            route = route_of(link) if link.startswith("/") else ""
            if route and route not in seen:
                seen.add(route)
                waiting.append(link.partition("#")[0])
    return seen, faults


@pytest.fixture(scope="module")
def story(program: RunningProgram) -> OfferScenario:
    """An offer with a conversion; the administrator has a password."""
    made = create_offer_scenario(program)
    made.await_rules()
    made.call(click_id_of(made.click()))
    admin = program.api("GET", "/3.1/admin/users")["users"][0]
    program.api("POST", f"/3.1/admin/user/{admin['id']}/password", {"password": PASSWORD})
    return made


def test_console_and_portal_have_no_serious_fault_in_a_browser(
    program: RunningProgram, story: OfferScenario, tab: BrowserTab, axe: str
) -> None:
    tab.swap_cookies()
    sign_in(program, tab, program.api("GET", "/3.1/admin/users")["users"][0]["email"])
    seen, faults = check_pages(program, tab, axe, "/console/")
    for view in ("pivot", "heat", "funnel"):
        tab.resize(1280, 800)
        tab.open(f"http://127.0.0.1:{program.api_port}/console/reports?by=offer&by=country&view={view}")
        assert tab.run("!!document.querySelector('main table')"), view
        faults += [f"{view}: {each}" for each in (*tab.complaints(), *violations(tab, axe))]
        tab.resize(1280, 800, dark=True)
        faults += [f"{view}, dark: {each}" for each in violations(tab, axe, rules=OF_COLOURS)] + width_faults(tab)
    assert not faults, "\n".join(faults)
    assert len(seen) > 30
    tab.swap_cookies()
    partner = program.api("GET", "/3.1/admin/partners")["partners"][0]
    program.api("POST", f"/3.1/admin/partner/{partner['id']}", {"password": PASSWORD})
    sign_in(program, tab, partner["email"])
    seen, faults = check_pages(program, tab, axe, "/portal/")
    assert not faults, "\n".join(faults)
    assert len(seen) > 8


def issue_invoice(program: RunningProgram, advertiser: str, offer: int) -> None:
    """Issue an invoice over 120.50 USD."""
    program.api("POST", "/3.1/admin/billing", {"legal_name": "Harbour Network GmbH", "address": "Street 1\nBerlin"})
    line = {"detail[0][offer_id]": offer, "detail[0][payout_type]": "RPA", "detail[0][amount]": "120.50"}
    sent = {"supplier_id": advertiser, "currency": "USD", "notes": "Thank you"} | line
    number = program.api("POST", "/3.1/admin/invoices", sent)["invoice"]["number"]
    program.api("POST", f"/3.1/admin/invoices/{number}/issue", {})


def test_portal_of_an_advertiser_has_no_serious_fault_in_a_browser(
    program: RunningProgram, tab: BrowserTab, axe: str
) -> None:
    shop = {"title": "Shop", "email": "shop@shop.example", "password": PASSWORD}
    program.api("POST", "/3.1/advertiser/registration", shop)
    own = program.api("GET", "/3.1/admin/advertisers", {"search": shop["email"]})["advertisers"][0]["id"]
    program.api("POST", f"/3.1/admin/advertiser/{own}", {"status": "active"})
    member = {"company": f"advertiser:{own}", "email": "ann@shop.example", "name": "Ann Lee", "role": "reports"}
    program.api("POST", "/3.1/people", member)
    program.api("POST", "/3.1/threads", {"subject": "advertiser", "subject_id": own, "text": "Hello"})
    offer = {"title": "Shoes", "advertiser": own, "url": "https://shop.example/?click={clickid}", "status": "active"}
    payment = {"payments[0][total]": "10", "payments[0][revenue]": "7"}
    made = program.api("POST", "/3.1/admin/offer", offer | payment)["offer"]
    issue_invoice(program, own, made["id"])
    tab.resize(1280, 800)
    tab.swap_cookies()
    sign_in(program, tab, shop["email"])
    seen, faults = check_pages(program, tab, axe, "/advertiser/")
    assert not faults, "\n".join(faults)
    assert {each.path for each in TABLE.routes if each.method == "GET" and each.audience == "advertiser"} <= seen


def test_chart_shows_values_and_selects_days_with_mouse_and_keys(
    program: RunningProgram, story: OfferScenario, tab: BrowserTab
) -> None:
    tab.resize(1280, 800)
    tab.swap_cookies()
    sign_in(program, tab, program.api("GET", "/3.1/admin/users")["users"][0]["email"])
    chart = "svg.chart.wide-only"
    day = f"document.querySelectorAll('{chart} .chart-point')[{{}}].dataset.day"
    tab.open(f"http://127.0.0.1:{program.api_port}/console/?period=7d&show=margin")
    first, last = tab.run(day.format(2)), tab.run(day.format(4))
    tab.drag(f"{chart} .chart-point", 6)
    shown = tab.run("document.querySelector('.chart-note').innerText")
    assert tab.run(f"document.querySelectorAll('{chart} .chart-point')[6].dataset.value") in shown
    assert tab.run(f"document.querySelector('{chart} .chart-cross').getAttribute('visibility')") == "visible"
    with tab.leaving():
        tab.drag(f"{chart} .chart-point", 2, 3, 4)
    assert tab.run("location.search") == f"?show=margin&from={first}&to={last}"
    assert tab.complaints() == []
    tab.press("Tab")
    tab.run(f"document.querySelector('{chart}').focus()")
    tab.press("ArrowRight")
    tab.press("ArrowRight", shift=True)
    with tab.leaving():
        tab.press("Enter")
    assert tab.run("new URLSearchParams(location.search).get('to')") == last
    assert tab.run("new URLSearchParams(location.search).get('from')") > first


def test_staff_work_with_the_keyboard_alone(program: RunningProgram, story: OfferScenario, tab: BrowserTab) -> None:
    tab.resize(1280, 800)
    keys = Keyboard(tab)
    keys.sign_in(program, program.api("GET", "/3.1/admin/users")["users"][0]["email"], PASSWORD)
    keys.to("Skip to the content")
    tab.press("/")
    assert tab.run("document.activeElement.id") == "find"
    keys.write("Shoes & more")
    keys.enter()
    keys.to("Edit", kind="a")
    keys.enter()
    keys.to(name="title")
    tab.press("Backspace")
    keys.enter()
    assert tab.run("document.activeElement.id") == "faults"
    keys.to("Title", kind="a")
    tab.press("Enter")
    assert tab.run("document.activeElement.name") == "title"
    keys.write("Boots")
    keys.enter()
    assert "Boots" in tab.run("document.querySelector('h1').innerText")
    keys.to("Reports", kind="a")
    keys.enter()
    keys.to(kind="summary", words="Boots")
    tab.press("Enter")
    keys.to(kind="a")
    assert tab.run("document.activeElement.closest('details.menu').open")
    tab.press("Escape")
    assert tab.run("!document.querySelector('main details.menu[open]')")


def test_affiliate_takes_a_link_with_the_keyboard_alone(
    program: RunningProgram, story: OfferScenario, tab: BrowserTab
) -> None:
    tab.resize(1280, 800)
    keys = Keyboard(tab)
    partner = program.api("GET", "/3.1/admin/partners")["partners"][0]
    program.api("POST", f"/3.1/admin/partner/{partner['id']}", {"password": PASSWORD})
    keys.sign_in(program, partner["email"], PASSWORD)
    keys.to(name="sub1")
    keys.write("mail")
    keys.enter()
    keys.to(f"offer_id={story.offer}&sub1=mail", kind="code")
    keys.to("Copy the link", kind="button")
