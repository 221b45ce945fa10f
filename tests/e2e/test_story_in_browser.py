"""The first weeks of a network, in a browser: pages alone, clicked and typed as people do."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser import BrowserTab, browser_tab
from tests.support.processes.program import RunningProgram, poll_until
from tests.support.processes.receiver import Receiver

pytestmark = pytest.mark.browser

PASSWORD = "a long enough password"
VISITOR = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36"
TEXT = "document.querySelector('main').innerText"


@pytest.fixture
def program(tmp_path: Path) -> Iterator[RunningProgram]:
    running = RunningProgram(tmp_path, postback_code="")
    running.start()
    yield running
    assert running.stop() == 0


class SharedBrowser:
    """A browser that several people use in turn; each keeps the own session."""

    def __init__(self, tab: BrowserTab, program: RunningProgram) -> None:
        self.tab, self.program = tab, program
        self.base = f"http://127.0.0.1:{program.api_port}"
        self._who, self._kept = "", dict[str, list[dict[str, Any]]]()
        tab.pretend(VISITOR)
        tab.resize(1280, 800)

    def become(self, who: str) -> None:
        """Let another person sit down at the browser."""
        self._kept[self._who] = self.tab.swap_cookies(self._kept.get(who, ()))
        self._who = who

    def open(self, path: str) -> None:
        """Type an address."""
        self.tab.open(f"{self.base}{path}")

    def go(self, selector: str, words: str = "") -> None:
        """Click on what leads to another page, which has no fault."""
        with self.tab.leaving():
            self.tab.click(selector, words)
        assert not self.tab.complaints(), self.tab.complaints()

    def send(self, words: str, **fields: str) -> None:
        """Fill fields, and click on the button with these words."""
        for name, text in fields.items():
            self.tab.fill(name, text)
        self.go("main button:not(.hidden)", words)

    def read(self, selector: str) -> str:
        """Return the words of an element."""
        return str(self.tab.run(f"document.querySelector({selector!r}).innerText")).strip()

    def says(self, *words: str) -> None:
        """Check that the page has these words."""
        shown = self.tab.run(TEXT)
        assert [each for each in words if each not in shown] == [], shown

    def reload_until(self, *words: str) -> None:
        """Reload the page until it has these words."""
        address = self.tab.run("location.href")

        def has_them() -> bool:
            self.tab.open(address)
            shown = self.tab.run(TEXT)
            return all(each in shown for each in words)

        poll_until(has_them, seconds=20, what=f"{words} at {address}")


def sign_up_and_approve(story: SharedBrowser) -> None:
    """The administrator takes the link of the first start; an affiliate signs up and is approved."""
    link = re.search(r"http://\S+/sign-in/link\?token=\S+", story.program.out_file.read_text())
    assert link is not None
    story.tab.open(link[0])
    story.send("Save and sign in", email="ada@network.example", password=PASSWORD, again=PASSWORD)
    story.says("Overview", "Start here")
    story.become("affiliate")
    story.open("/sign-up")
    story.send("Sign up", email="blue@harbor.example", password=PASSWORD, name="Blue Harbor Media")
    story.become("administrator")
    story.open("/console/")
    story.go(".rail a", "Affiliates")
    story.go("main a", "1 waits for approval")
    story.go("main button", "Approve")
    story.says("Blue Harbor Media is active")


def make_an_offer(story: SharedBrowser, shop: str) -> str:
    """An advertiser and its offer are made in forms. Return the address for the advertiser's postbacks."""
    story.go(".rail a", "Advertisers")
    story.go("main a", "Add")
    story.send("Create the advertiser", title="Royal Reef")
    address = story.read("#postbacks code")
    story.go(".rail a", "Offers")
    story.go("main a", "New offer")
    story.tab.fill("title", "Reef holidays")
    story.tab.choose("advertiser", "Royal Reef")
    story.tab.fill("url", shop)
    story.tab.choose("status", "Active")
    story.tab.choose("privacy", "Public")
    story.send("Create the offer", **{"payments[0][total]": "10", "payments[0][revenue]": "7"})
    story.says("Reef holidays", "$10.00", "$7.00")
    return address


def click(story: SharedBrowser, link: str) -> str:
    """A visitor opens the link. Return the click id that the shop got."""
    story.become("visitor")

    def arrived() -> Any:
        story.tab.open(link)
        return story.tab.run("new URL(location.href).searchParams.get('click')")

    return str(poll_until(arrived, seconds=20, what=f"the shop, from {link}"))


def report(story: SharedBrowser, address: str, click_id: str) -> None:
    """The advertiser's server calls the address that the console shows."""
    story.tab.open(address.replace("CLICK", click_id))
    assert '"status":1' in story.tab.run("document.body.innerText").replace(" ", "")


def decline(story: SharedBrowser) -> None:
    """Staff decline the latest conversion, and its page explains it."""
    story.go(".rail a", "Conversions")
    story.reload_until("1–2 of 2")
    story.go("main tbody a[href^='/console/conversions/']")
    story.go("main a", "Edit")
    story.tab.choose("status", "Declined")
    story.send("Save", comment="The order was cancelled")
    story.reload_until("Declined by", "The order was cancelled", "What happened")


def pay(story: SharedBrowser) -> None:
    """Staff propose a payment and mark it as paid."""
    story.go(".rail a", "Payments")
    story.go("main a", "Propose payments")
    story.says("Blue Harbor Media", "$7.00")
    story.tab.run("document.querySelector('main input[name=pid]').click()")
    story.go("main button", "Show the payments")
    story.says("Make 1 payment?", "$7.00 together.")
    story.go("main button", "Make 1 payment")
    story.go("main tbody th a")
    story.go("main button", "Mark as paid")
    story.says("Mark 1 payment as paid?")
    story.go("main button", "Mark 1 payment as paid")
    story.says("$7.00", "Paid")


def test_story_of_a_network_needs_pages_alone(tmp_path: Path, program: RunningProgram) -> None:
    with Receiver() as shop, browser_tab(tmp_path) as tab:
        story = SharedBrowser(tab, program)
        story.become("administrator")
        sign_up_and_approve(story)
        address = make_an_offer(story, shop.url("/?click={clickid}"))
        story.become("affiliate")
        story.open("/sign-in")
        story.send("Sign in", login="blue@harbor.example", password=PASSWORD)
        story.reload_until("Reef holidays")
        link = story.read("#link code")
        for _ in range(2):
            report(story, address, click(story, link))
        story.become("administrator")
        story.open("/console/")
        story.go(".rail a", "Reports")
        story.reload_until("Reef holidays", "$20.00", "$14.00")
        decline(story)
        pay(story)
        story.become("affiliate")
        story.open("/portal/")
        story.go(".rail a", "Payments")
        story.says("$7.00", "Paid")
        story.go(".rail a", "Conversions")
        tab.click("main summary", "why?")
        story.says("The order was cancelled")
