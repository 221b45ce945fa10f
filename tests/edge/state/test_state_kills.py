"""Caps of clicks over HTTP: many at once, one edge and two, and edges that are killed meanwhile."""

import signal
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random

import pytest

from tests.support.clicks.edge import RunningEdge, recorded, running_edge
from tests.support.clicks.rules import ADVERTISER, make_offer
from trackyard.domain.tracking.ruleset import ClickCap, RulesetAdvertiser, RulesetAffiliate, RulesetRow
from trackyard.journal.records import Click

pytestmark = pytest.mark.chaos

TOGETHER = 50
REQUEST = b"GET /click?pid=7&offer_id=3 HTTP/1.1\r\nHost: t.example\r\nX-Forwarded-For: 8.%d.%d.%d\r\n\r\n"


def rows(limit: int) -> list[RulesetRow]:
    caps = (ClickCap(id="c1", period="month", value=limit), ClickCap(id="c2", period="all", value=10**9))
    return [make_offer(click_caps=caps), RulesetAffiliate(id=7), RulesetAdvertiser(id=ADVERTISER)]


def click(port: int, count: int, visitor: int = 0) -> tuple[int, int]:
    """Sends clicks in batches on one connection until it ends: how many passed, how many were refused."""
    passed = refused = 0
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        for start in range(0, count, TOGETHER):
            asked = min(TOGETHER, count - start)
            numbers = (visitor * 1_000_000 + start + place for place in range(asked))
            client.sendall(b"".join(REQUEST % (n >> 16 & 255, n >> 8 & 255, n & 255) for n in numbers))
            data = b""
            while (got := data.count(b"HTTP/1.1 ")) < asked or not _whole(data):
                chunk = client.recv(65536)
                if not chunk:
                    break
                data += chunk
            passed += data.count(b"HTTP/1.1 302")
            refused += data.count(b"HTTP/1.1 404")
            if got < asked:
                break
    return passed, refused


def _whole(data: bytes) -> bool:
    """Whether the last answer is: a redirect without a body, or the page that says so."""
    last = data.rpartition(b"HTTP/1.1 ")[2]
    return last.endswith(b"\r\n\r\n") if last.startswith(b"302") else last.rstrip().endswith(b"</html>")


def accepted(directory: Path, edges: int) -> list[Click]:
    clicks = [record for edge in range(1, edges + 1) for record in recorded(directory / "journal", edge)]
    return [record for record in clicks if isinstance(record, Click) and not record.reason]


@contextmanager
def edges(directory: Path, number: int, limit: int) -> Iterator[list[RunningEdge]]:
    with ExitStack() as stack:
        first = stack.enter_context(running_edge(directory, rows(limit), slots=number))
        more = {"slots": number, "port": first.port}
        others = [stack.enter_context(running_edge(directory, None, edge=n, **more)) for n in range(2, number + 1)]
        yield [first, *others]


@pytest.mark.parametrize("number", [1, 2])
def test_click_cap_of_1000_accepts_exactly_1000_of_10_000_parallel_clicks(tmp_path: Path, number: int) -> None:
    with edges(tmp_path, number, 1000) as running, ThreadPoolExecutor(10) as pool:
        results = list(pool.map(lambda visitor: click(running[0].port, 1000, visitor), range(10)))
        assert [edge.stop() for edge in running] == [0] * number
    assert sum(passed for passed, _ in results) == 1000
    assert sum(refused for _, refused in results) == 9000
    assert len(accepted(tmp_path, number)) == 1000


@pytest.mark.parametrize(
    ("number", "kills"),
    [
        (1, 1),
        (2, 2),
        pytest.param(1, 15, marks=pytest.mark.long),
        pytest.param(2, 10, marks=pytest.mark.long),
    ],
)
def test_click_cap_survives_kill_9_without_loss_or_doubles(tmp_path: Path, number: int, kills: int) -> None:
    chance = Random(kills)
    limit = 2000 * kills
    stop = threading.Event()
    answered = threading.Event()

    def visit(port: int, visitor: int) -> None:
        while not stop.is_set():
            try:
                if any(click(port, 200, visitor)):
                    answered.set()
            except OSError:
                stop.wait(0.02)

    with ExitStack() as stack:
        running = list(stack.enter_context(edges(tmp_path, number, limit)))
        port = running[0].port
        pool = stack.enter_context(ThreadPoolExecutor(2))
        stack.callback(stop.set)
        visits = [pool.submit(visit, port, visitor) for visitor in range(2)]
        for _ in range(kills):
            answered.clear()
            assert answered.wait(30)
            stop.wait(chance.random() * 0.05)
            dead = chance.randrange(number)
            running[dead].stop(signal.SIGKILL)
            restart = {"edge": dead + 1, "slots": number, "port": port}
            running[dead] = stack.enter_context(running_edge(tmp_path, None, **restart))
            assert len(accepted(tmp_path, number)) <= limit
        stop.set()
        for each in visits:
            each.result(30)
        for _ in range(limit // 500 + 1):
            if click(port, 500, 9)[1]:
                break
        click(port, 500, 9)
        assert [edge.stop() for edge in running] == [0] * number
    clicks = accepted(tmp_path, number)
    assert len(clicks) == limit
    assert len({record.id for record in clicks}) == limit
    new = [record.ip for record in clicks if record.uniq]
    assert len(new) == len(set(new)), "no visitor was new twice"
