"""People get in and hear of it, in a browser, with the clicks counted (docs/spec/people.md)."""

import email
import re
from collections.abc import Iterator
from email import policy
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.e2e.test_story_in_browser import PASSWORD, SharedBrowser
from tests.support.browser import browser_tab
from tests.support.processes.program import RunningProgram, poll_until

pytestmark = pytest.mark.browser

WORDS = "Welcome aboard. Start with the offer of the month."
MOST_TO_INVITE = 4
MOST_TO_APPROVE = 3


@pytest.fixture
def program(tmp_path: Path) -> Iterator[RunningProgram]:
    running = RunningProgram(tmp_path, postback_code="")
    running.start()
    yield running
    assert running.stop() == 0


class CountedBrowser(SharedBrowser):
    """A browser that counts clicks."""

    clicks = 0

    def go(self, selector: str, words: str = "") -> None:
        super().go(selector, words)
        self.clicks += 1


def mailed(program: RunningProgram, recipient: str, words: str) -> str:
    """Return the text of the mail that a person got with these words."""

    def found() -> str:
        for path in sorted((program.directory / "data" / "mail").glob("*.eml")):
            message = email.message_from_bytes(path.read_bytes(), policy=policy.default)
            body = message.get_body(("plain",))
            text = "" if body is None else str(body.get_content())
            if recipient in str(message["To"]) and words in text:
                return text
        return ""

    return poll_until(found, seconds=20, what=f"a mail to {recipient} with {words}")


def enter(story: CountedBrowser) -> None:
    """The administrator takes the link of the first start."""
    link = re.search(r"http://\S+/sign-in/link\?token=\S+", story.program.out_file.read_text())
    assert link is not None
    story.tab.open(link[0])
    story.send("Save and sign in", email="ada@network.example", password=PASSWORD, again=PASSWORD)
    story.clicks = 0


def invite_an_affiliate(story: CountedBrowser) -> int:
    """Staff invite an affiliate, who gets in; staff see it. Return the clicks of staff."""
    story.go(".rail a", "Affiliates")
    story.go("main a", "Invite an affiliate")
    story.send("Send the invitation", email="ina@media.example", name="Ina Media", message=WORDS)
    story.says("An invitation is on its way to ina@media.example.", "invited")
    staff = story.clicks
    page = urlsplit(str(story.tab.run("location.href"))).path
    link = re.search(r"/sign-in/link\?token=\w+", mailed(story.program, "ina@media.example", WORDS))
    assert link is not None
    story.become("ina")
    story.open(link[0])
    story.send("Save and sign in", password=PASSWORD, again=PASSWORD)
    assert urlsplit(str(story.tab.run("location.href"))).path == "/portal/"
    story.become("administrator")
    story.open(page)
    story.says("Ina Media", "Active", "has a password")
    return staff


def approve_an_applicant(story: CountedBrowser) -> int:
    """An applicant is approved with words and reads them. Return the clicks of both after the sign-up."""
    story.become("applicant")
    story.open("/sign-up")
    story.send("Sign up", email="blue@harbor.example", password=PASSWORD, name="Blue Harbor Media")
    story.become("administrator")
    story.open("/console/affiliates")
    story.clicks = 0
    story.go("main a", "1 waits for approval")
    story.send("Approve", message=WORDS)
    story.says("Blue Harbor Media is active")
    staff = story.clicks
    assert WORDS in mailed(story.program, "blue@harbor.example", WORDS)
    story.become("applicant")
    story.open("/sign-in")
    story.send("Sign in", login="blue@harbor.example", password=PASSWORD)
    story.clicks = 0
    story.go("a[href='/portal/notices']")
    story.says("Your account is approved", WORDS)
    return staff + story.clicks


def meet_the_second_person_of_an_advertiser(story: CountedBrowser) -> None:
    """A second person of an advertiser, for reports alone, gets in and sees reports and nothing of money."""
    shop = {"title": "Blue Shop", "email": "shop@shop.example", "password": PASSWORD, "status": "active"}
    number = story.program.api("POST", "/3.1/admin/advertiser", shop)["advertiser"]["id"]
    sue = {"company": f"advertiser:{number}", "email": "sue@shop.example", "name": "Sue Reader", "role": "reports"}
    story.program.api("POST", "/3.1/people", sue)
    link = re.search(r"/sign-in/link\?token=\w+", mailed(story.program, "sue@shop.example", "Blue Shop"))
    assert link is not None
    story.become("sue")
    story.open(link[0])
    story.send("Save and sign in", password=PASSWORD, again=PASSWORD)
    story.go(".rail a", "Statistics")
    story.says("No click and no conversion in these days.")
    rail = str(story.tab.run("[...document.querySelectorAll('.rail a')].map(each => each.pathname).join(' ')"))
    assert {"/advertiser/statistics", "/advertiser/offers"} <= set(rail.split())
    assert not {"/advertiser/people", "/advertiser/threads", "/advertiser/profile/contact"} & set(rail.split())
    code = story.program.api("GET", f"/3.1/admin/advertiser/{number}")["advertiser"]["hash_password"]
    assert len(code) >= 20
    for path in rail.split():
        story.open(path)
        assert code not in str(story.tab.run("document.documentElement.innerHTML")), path


def test_people_are_invited_and_approved_with_few_clicks(tmp_path: Path, program: RunningProgram) -> None:
    with browser_tab(tmp_path) as tab:
        story = CountedBrowser(tab, program)
        story.become("administrator")
        enter(story)
        invited = invite_an_affiliate(story)
        approved = approve_an_applicant(story)
        meet_the_second_person_of_an_advertiser(story)
    assert invited <= MOST_TO_INVITE
    assert approved <= MOST_TO_APPROVE
