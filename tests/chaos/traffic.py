"""The traffic of a run, in a process of its own: it remembers what was acknowledged.

Clicks of many visitors at every edge, and postbacks of those clicks at any edge. A postback without an answer is sent
again until it is acknowledged, as advertisers do; a fifth of the actions are pending first and confirmed later; one
acknowledged postback in twenty is sent again.
"""

import asyncio
import heapq
import multiprocessing
import random
from collections import deque
from dataclasses import dataclass, field
from itertools import count
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Final, Self
from urllib.parse import parse_qs, quote, urlsplit

from bench.traffic import ADDRESSES, user_agents

ANSWER_S: Final = 5.0
LAST_S: Final = 60.0
"""Seconds after the end in which postbacks are sent again."""
_CLICKERS: Final = 48
_CALLERS: Final = 24
_RETRY_S: Final = 0.5


@dataclass(frozen=True)
class Target:
    """An offer with its affiliate."""

    offer: int
    affiliate: int


@dataclass(frozen=True)
class Plan:
    """What is sent: to the ports of which edges, for which offers, how many a second."""

    ports: tuple[int, ...]
    targets: tuple[Target, ...]
    clicks_s: float
    postbacks_s: float
    seed: int


@dataclass
class SentTraffic:
    """What was sent and acknowledged.

    clicks: acknowledged ids. unsure: clicks without an answer, or without an id in it. refused: answers without a
    redirect, and connections that were refused. actions: of all postbacks; acknowledged: of those that were answered
    200. calls: postbacks acknowledged, with repeats; calls_again: those without an answer.
    """

    clicks: list[str] = field(default_factory=list)
    unsure: int = 0
    refused: int = 0
    actions: set[str] = field(default_factory=set)
    acknowledged: set[str] = field(default_factory=set)
    calls: int = 0
    calls_again: int = 0


class Traffic:
    """Traffic from the start of a `with` block until `end`."""

    def __init__(self, plan: Plan) -> None:
        context = multiprocessing.get_context("spawn")
        self._ours, theirs = context.Pipe()
        self._process = context.Process(target=_send, args=(plan, theirs), daemon=True)

    def __enter__(self) -> Self:
        self._process.start()
        assert self._ours.recv() == "begun"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.join()

    def end(self) -> SentTraffic:
        """Send no more clicks, repeat unanswered postbacks, and return what was acknowledged."""
        self._ours.send("end")
        found: SentTraffic = self._ours.recv()
        return found


class _NoAnswer(Exception):
    """No answer came. was_sent: whether the request may have been received."""

    def __init__(self, was_sent: bool) -> None:
        super().__init__()
        self.was_sent = was_sent


class _Client:
    """A connection that is opened again after a failure."""

    def __init__(self) -> None:
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, port: int, path: str, headers: str) -> tuple[int, str]:
        """Return the status and the Location of the answer. Raises _NoAnswer."""
        try:
            async with asyncio.timeout(ANSWER_S):
                return await self._ask(port, f"GET {path} HTTP/1.1\r\nHost: track.example\r\n{headers}\r\n".encode())
        except (OSError, TimeoutError, EOFError, asyncio.LimitOverrunError) as fault:
            was_sent = self._streams is not None
            self.close()
            raise _NoAnswer(was_sent) from fault

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    async def _ask(self, port: int, content: bytes) -> tuple[int, str]:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", port)
        reader, writer = self._streams
        writer.write(content)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:-2] if ": " in line)
        if length := int(fields.get("content-length", "0")):
            await reader.readexactly(length)
        place = head.lower().find("\r\nlocation: ")
        location = head[place + 12 : head.index("\r\n", place + 12)] if place >= 0 else ""
        if fields.get("connection") == "close":
            self.close()
        return int(head.split(" ", 2)[1]), location


class _Pace:
    """Lets so many pass a second; what a slow machine missed is not made up for."""

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._due = 0.0

    async def wait(self) -> None:
        now = asyncio.get_running_loop().time()
        self._due = max(self._due + 1 / self._rate, now - 0.2)
        if self._due > now:
            await asyncio.sleep(self._due - now)


class _Sender:
    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._choose = random.Random(plan.seed)
        self._agents = user_agents()
        self._recent: deque[str] = deque(maxlen=50_000)
        self._numbers = count(1)
        self._again: list[tuple[float, int, str, str, str]] = []  # due, order, action, click, status
        self._order = count()
        self._is_over = False
        self.sent = SentTraffic()

    async def run(self, over: asyncio.Event) -> None:
        clicks, calls = _Pace(self._plan.clicks_s), _Pace(self._plan.postbacks_s)
        clickers = [asyncio.create_task(self._click(clicks)) for _ in range(_CLICKERS)]
        callers = [asyncio.create_task(self._call(calls)) for _ in range(_CALLERS)]
        await over.wait()
        self._is_over = True
        await asyncio.gather(*clickers)
        await asyncio.wait(callers, timeout=LAST_S)
        for each in callers:
            each.cancel()

    async def _click(self, pace: _Pace) -> None:
        client, sent = _Client(), self.sent
        port = self._choose.choice(self._plan.ports)
        while not self._is_over:
            await pace.wait()
            try:
                status, location = await client.ask(port, *self._new_click())
            except _NoAnswer as fault:
                sent.unsure += fault.was_sent
                sent.refused += not fault.was_sent
                port = self._choose.choice(self._plan.ports)
                continue
            if status != 302:
                sent.refused += 1
                continue
            found = parse_qs(urlsplit(location).query).get("click", [""])[0]
            if not found:
                sent.unsure += 1
                continue
            sent.clicks.append(found)
            self._recent.append(found)
        client.close()

    def _new_click(self) -> tuple[str, str]:
        choose, target = self._choose, self._choose.choice(self._plan.targets)
        number = choose.randrange(ADDRESSES) * 2654435761 % 2**32
        first, *others = number.to_bytes(4, "big")
        address = ".".join(map(str, [first % 223 + 1, *others]))
        subs = f"sub1=campaign-{choose.randint(1, 500)}&sub2={choose.getrandbits(31):x}"
        path = f"/click?pid={target.affiliate}&offer_id={target.offer}&{subs}&ip={address}"
        return path, f"User-Agent: {choose.choice(self._agents)}\r\nAccept-Language: en-GB,en;q=0.7\r\n"

    async def _call(self, pace: _Pace) -> None:
        client, sent, loop = _Client(), self.sent, asyncio.get_running_loop()
        while not self._is_over or self._again:
            await (pace.wait() if not self._is_over else asyncio.sleep(0.01))
            work = self._next_call(loop.time())
            if work is None:
                await asyncio.sleep(0.02)
                continue
            action, click, status = work
            path = f"/postback?clickid={click}&action_id={quote(action)}&status={status}"
            try:
                answered, _ = await client.ask(self._choose.choice(self._plan.ports), path, "")
            except _NoAnswer:
                answered = 0
            if answered != 200:
                sent.calls_again += 1
                self._repeat(loop.time() + _RETRY_S, action, click, status)
                continue
            sent.calls += 1
            sent.acknowledged.add(action)
            if status == "2":
                self._repeat(loop.time() + self._choose.uniform(0.5, 3), action, click, "1")
            elif self._choose.random() < 0.05:
                self._repeat(loop.time() + 1, action, click, "1")
        client.close()

    def _repeat(self, due: float, action: str, click: str, status: str) -> None:
        heapq.heappush(self._again, (due, next(self._order), action, click, status))

    def _next_call(self, now: float) -> tuple[str, str, str] | None:
        if self._again and self._again[0][0] <= now:
            return heapq.heappop(self._again)[2:]
        if self._is_over or not self._recent:
            return None
        action = f"order-{next(self._numbers)}"
        self.sent.actions.add(action)
        # Half of the postbacks come at once, before the click is loaded.
        click = self._recent.pop() if self._choose.random() < 0.5 else self._recent.popleft()
        return action, click, "2" if self._choose.random() < 0.2 else "1"


def _send(plan: Plan, parent: Connection) -> None:
    async def send() -> SentTraffic:
        over, sender = asyncio.Event(), _Sender(plan)
        asyncio.get_running_loop().add_reader(parent.fileno(), over.set)
        parent.send("begun")
        await sender.run(over)
        return sender.sent

    parent.send(asyncio.run(send()))
