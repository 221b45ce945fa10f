"""The load of `script/soak`: clicks, postbacks, reports and edits, and what was acknowledged."""

import random
import re
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection, HTTPException
from typing import Any, Final

from tests.support.offer_scenario import OfferScenario, period_around_today
from tests.support.processes.program import KEY, request

TICK_S: Final = 0.05
POSTBACK_EVERY: Final = 20
"""One click of so many converts."""
_CLICK: Final = re.compile(rb"[?&]click=([0-9a-f]{24})")
_MOST_AT_ONCE: Final = 400


class Load:
    """Threads that load a program until `stop` is set.

    rate: clicks a second; it may be changed. clicks, calls: acknowledged so far. failed: by kind, what was refused or
    broke off.
    """

    def __init__(self, story: OfferScenario, rate: float) -> None:
        self.story, self.rate = story, rate
        self.clicks = self.calls = 0
        self.failed: dict[str, int] = {}
        self.asked: dict[str, int] = {}
        self.stop = threading.Event()
        self._to_call: deque[str] = deque()
        self._random = random.Random(1)
        jobs: list[Callable[[], None]] = [self._click, self._call, self._ask_reports, self._edit]
        self._threads = [threading.Thread(target=job, name=job.__name__) for job in jobs]

    def __enter__(self) -> "Load":
        for each in self._threads:
            each.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        for each in self._threads:
            each.join()

    def _fail(self, kind: str) -> None:
        self.failed[kind] = self.failed.get(kind, 0) + 1
        self.stop.wait(0.2)

    def _click(self) -> None:
        """Send clicks over one connection, some at once, at the rate; what was late is not made up for."""
        connection: socket.socket | None = None
        owed = 0.0
        while not self.stop.wait(TICK_S):
            owed = min(owed + self.rate * TICK_S, _MOST_AT_ONCE)
            number, owed = int(owed), owed - int(owed)
            if not number:
                continue
            try:
                connection = connection or socket.create_connection(("127.0.0.1", self._port()), timeout=10)
                self._take(self._send(connection, number))
            except OSError:
                self._fail("clicks")
                if connection is not None:
                    connection.close()
                connection = None
        if connection is not None:
            connection.close()

    def _port(self) -> int:
        return self.story.program.tracking_port

    def _send(self, connection: socket.socket, number: int) -> list[bytes]:
        """Send clicks in one piece; return their answers. Raises OSError."""
        connection.sendall(b"".join(self._request() for _ in range(number)))
        got = b""
        while got.count(b"\r\n\r\n") < number:
            more = connection.recv(1 << 16)
            if not more:
                raise OSError("closed")
            got += more
        return got.split(b"\r\n\r\n")[:number]

    def _request(self) -> bytes:
        choose = self._random
        address = f"10.{choose.randrange(256)}.{choose.randrange(256)}.{choose.randrange(1, 255)}"
        query = f"pid={self.story.affiliate}&offer_id={self.story.offer}&sub1=c{choose.randrange(500)}&ip={address}"
        return f"GET /click?{query} HTTP/1.1\r\nHost: t.example\r\nUser-Agent: Mozilla/5.0 (X11)\r\n\r\n".encode()

    def _take(self, answers: list[bytes]) -> None:
        for answer in answers:
            found = _CLICK.search(answer)
            if found is None:
                self._fail("clicks")
                continue
            self.clicks += 1
            if self.clicks % POSTBACK_EVERY == 0:
                self._to_call.append(found[1].decode())

    def _call(self) -> None:
        """Report a conversion of each click that converts, until the postback is acknowledged."""
        connection = None
        while not self.stop.is_set() or self._to_call:
            if not self._to_call:
                self.stop.wait(TICK_S)
                continue
            try:
                connection = connection or HTTPConnection("127.0.0.1", self._port(), timeout=10)
                connection.request("GET", f"/postback?clickid={self._to_call[0]}")
                answer = connection.getresponse()
                answer.read()
                if answer.status != 200:
                    raise HTTPException(str(answer.status))
            except (OSError, HTTPException):
                connection = None
                self._fail("postbacks")
            else:
                self._to_call.popleft()
                self.calls += 1

    def _ask_reports(self) -> None:
        now = datetime.now(UTC).date()
        period = f"filter[date_from]={now - timedelta(days=1)}&filter[date_to]={now}"
        paths = [
            f"/3.0/stats/getbydate?{period}",
            f"/3.0/stats/custom?slice[]=sub1&slice[]=hour&{period}",
            f"/3.0/stats/custom?slice[]=affiliate&slice[]=country&{period}",
            "/3.0/stats/conversions?limit=50&" + "&".join(f"{n}={day}" for n, day in period_around_today().items()),
        ]
        self._repeat("reports", 1.0, lambda turn: ("GET", paths[turn % len(paths)], None))

    def _edit(self) -> None:
        path = f"/3.0/admin/offer/{self.story.offer}"
        self._repeat("edits", 2.0, lambda turn: ("POST", path, f"title=Shoes+{turn}".encode()))

    def _repeat(self, kind: str, every_s: float, make: Callable[[int], tuple[str, str, Any]]) -> None:
        turn = 0
        headers = {"API-Key": KEY, "Content-Type": "application/x-www-form-urlencoded"}
        while not self.stop.wait(every_s):
            method, path, body = make(turn)
            turn += 1
            try:
                answer = request(self.story.program.api_port, method, path, body=body, headers=headers, seconds=60)
            except (OSError, HTTPException):
                self._fail(kind)
                continue
            if answer.status != 200:
                self._fail(f"{kind} {answer.status}")
            self.asked[kind] = self.asked.get(kind, 0) + 1


def saturated_rate(load: Load, seconds: float, lag_s: Callable[[], float]) -> float:
    """Return the clicks a second that a program acknowledges and loads, when more are sent than that."""
    before, begun = load.clicks, time.monotonic()
    rate, load.rate = load.rate, _MOST_AT_ONCE / TICK_S
    load.stop.wait(seconds)
    load.rate = 0.0
    taken = load.clicks - before
    while lag_s() > 1 and not load.stop.wait(0.2):
        pass
    load.rate = rate
    return taken / (time.monotonic() - begun)
