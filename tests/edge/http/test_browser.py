"""Redirects, cookies and pixels in a real browser: Debian's chromium, without a window."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.edge.conftest import ROWS
from tests.support.clicks.edge import RunningEdge, recorded, running_edge
from tests.support.clicks.rules import make_offer
from tests.support.processes.receiver import ReceivedRequest, Receiver, Reply
from tests.support.waiting import wait_until
from trackyard.domain.tracking.ruleset import RulesetPixels, RulesetRow
from trackyard.journal.records import Click, InboundPostback

KINDS = ("http302", "http302hidden", "js", "meta")
HTML = {"Content-Type": "text/html; charset=utf-8"}
AGENT = (
    "--user-agent=Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537"
)
"""Its own names a robot, which gets no cookies."""
SECONDS = 60.0


@contextmanager
def browser(home: Path, url: str) -> Iterator[None]:
    """A browser that opened `url`."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        if os.environ.get("TESTS_BROWSER") == "required":
            pytest.fail("there is no browser: install chromium")
        pytest.skip("there is no browser: install chromium")
    options = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage", AGENT)
    with (home / "browser.log").open("wb") as log:
        command = [program, *options, f"--user-data-dir={home / 'profile'}", url]
        process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def make_page(body: str) -> Reply:
    return Reply(body=f"<!doctype html><meta name=referrer content=unsafe-url><body>{body}".encode(), headers=HTML)


def asked(receiver: Receiver, path: str) -> Callable[[], list[ReceivedRequest]]:
    return lambda: [each for each in receiver.requests() if each.path.startswith(path)]


def test_browser_sends_referrer_by_redirect_type(tmp_path: Path) -> None:
    edges: list[RunningEdge] = []

    def reply(request: ReceivedRequest) -> Reply:
        """Return a page that reports its address and follows a link to the next page."""
        _, step, kind = request.path.split("?")[0].split("/")
        link = f"http://127.0.0.1:{edges[0].port}/click?pid=7&offer_id={KINDS.index(kind) + 1}"
        if step == "from":
            return make_page(f"<a id=a href='{link}'>go</a><script>document.getElementById('a').click()</script>")
        after = KINDS[KINDS.index(kind) + 1 :]
        return make_page(f"<script>location.replace('/from/{after[0]}?secret=1')</script>" if after else "")

    with Receiver(reply) as receiver:
        offers: list[RulesetRow] = [
            make_offer(
                number, hash=f"{number:024x}", redirect_type=kind, url=receiver.url(f"/landed/{kind}?a='&c={{clickid}}")
            )
            for number, kind in enumerate(KINDS, 1)
        ]
        with running_edge(tmp_path, [*offers, *ROWS[1:]]) as edge:
            edges.append(edge)
            with browser(tmp_path, receiver.url("/from/http302?secret=1")):
                wait_until(asked(receiver, "/landed/meta"), seconds=SECONDS)
            clicks = [each for each in recorded(tmp_path / "journal") if isinstance(each, Click)]
        landed = [each for each in receiver.requests() if each.path.startswith("/landed/")]
        assert {each.path.split("?")[0]: each.headers.get("referer") for each in landed} == {
            "/landed/http302": receiver.url("/from/http302?secret=1"),
            "/landed/http302hidden": None,
            "/landed/js": None,
            "/landed/meta": None,
        }
        assert [each.query for each in landed] == [{"a": "'", "c": click.id} for click in clicks]
        assert [click.referrer for click in clicks] == [receiver.url(f"/from/{kind}?secret=1") for kind in KINDS]


def test_browser_pixel_page_knows_click_and_stays_in_sandbox(tmp_path: Path) -> None:
    edges: list[RunningEdge] = []

    def reply(request: ReceivedRequest) -> Reply:
        track = f"http://127.0.0.1:{edges[0].port}"
        if request.path.startswith("/from"):
            return make_page(f"<script>location.replace('{track}/click?pid=7&offer_id=3')</script>")
        if request.path.startswith("/bought"):
            frame = f"<iframe src='{track}/success.php?offer_id=3&afprice=9.5&afid=one'></iframe>"
            script = f"<script src='{track}/track.js?offer_id=9&afid=two'></script>"
            return make_page(frame + script)
        return Reply()

    with Receiver(reply) as receiver:
        reads = "var seen; try { seen = document.cookie || 'empty' } catch (fault) { seen = fault.name }"
        reports = f"new Image().src = '{receiver.url('/shown?c={clickid}&s={order_sum}&seen=')}' + seen"
        rows: list[RulesetRow] = [
            make_offer(url=receiver.url("/bought?click={clickid}")),
            *ROWS[1:],
            RulesetPixels(3, 7, (f"<script>{reads} {reports}</script>",)),
        ]
        with running_edge(tmp_path, rows) as edge:
            edges.append(edge)
            with browser(tmp_path, receiver.url("/from")):
                wait_until(asked(receiver, "/shown"), seconds=SECONDS)
                wait_until(lambda: len(recorded(tmp_path / "journal")) >= 3, seconds=SECONDS)
            click, *calls = recorded(tmp_path / "journal")
        shown = asked(receiver, "/shown")()[0].query
        assert shown == {"c": click.id, "s": "9.5", "seen": "SecurityError"}
        assert {(call.source, call.params["action_id"]) for call in calls if isinstance(call, InboundPostback)} == {
            ("success.php", "one"),
            ("track.js", "two"),
        }
        assert {call.params["clickid"] for call in calls if isinstance(call, InboundPostback)} == {click.id}


def test_browser_script_finds_click_in_page(tmp_path: Path) -> None:
    edges: list[RunningEdge] = []

    def reply(request: ReceivedRequest) -> Reply:
        return make_page(f"<script src='http://127.0.0.1:{edges[0].port}/track.js?offer_id=3&afid=x%20y'></script>")

    with Receiver(reply) as receiver, running_edge(tmp_path, ROWS) as edge:
        edges.append(edge)
        with browser(tmp_path, receiver.url("/thanks?clickid=" + "a" * 24)):
            wait_until(lambda: recorded(tmp_path / "journal") != [], seconds=SECONDS)
        [call] = recorded(tmp_path / "journal")
    assert isinstance(call, InboundPostback)
    assert (call.source, call.params) == ("success.jpg", {"clickid": "a" * 24, "action_id": "x y"})


def test_page_of_another_site_reads_clicks_postbacks_and_pixels(tmp_path: Path) -> None:
    edges: list[RunningEdge] = []
    script = """<script>
      (async () => {
        const track = '%s', answers = [];
        const sent = { credentials: 'include', headers: { 'X-Mine': '1' } };
        const json = { ...sent, method: 'POST', headers: { 'Content-Type': 'application/json' } };
        const click = await (await fetch(track + '/click?pid=7&offer_id=3&format=json', sent)).json();
        const posted = { ...json, body: JSON.stringify({ pid: 7, offer_id: 3, format: 'json' }) };
        answers.push((await (await fetch(track + '/click', posted)).json()).status);
        const goal = { ...json, body: JSON.stringify({ clickid: click.clickid, action_id: 'sdk' }) };
        answers.push((await (await fetch(track + '/postback', goal)).json()).status);
        for (const path of ['/success.jpg', '/success.php', '/track.js'])
          for (const method of ['GET', 'POST'])
            answers.push((await fetch(track + path + '?afclick=' + click.clickid, { ...sent, method })).status);
        new Image().src = '/answers?' + answers.join('-');
      })().catch(fault => { new Image().src = '/answers?' + encodeURIComponent(fault) });
    </script>"""

    def reply(request: ReceivedRequest) -> Reply:
        if request.path == "/page":
            return make_page(script % f"http://localhost:{edges[0].port}")
        return Reply()

    with Receiver(reply) as receiver, running_edge(tmp_path, ROWS) as edge:
        edges.append(edge)
        with browser(tmp_path, receiver.url("/page")):
            wait_until(asked(receiver, "/answers"), seconds=SECONDS)
        assert asked(receiver, "/answers")()[0].path == "/answers?1-1-200-200-200-200-200-200"
        calls = [each for each in recorded(tmp_path / "journal") if isinstance(each, InboundPostback)]
    assert [(call.source, call.method) for call in calls] == [
        ("postback", "POST"),
        *((name, method) for name in ("success.jpg", "success.php", "track.js") for method in ("GET", "POST")),
    ]
