"""Look-ups of whether clicks exist, many at once (docs/decisions/0042).

The edge sends ids over the socket of edge/endpoints/click_lookups.py. The answer has one sign for each id.
"""

import asyncio
import logging
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from trackyard.base.sockets import socket_address
from trackyard.domain.conversions.click_lookups import ASKS_KNOWN, MAX_ASKED, UNDECIDED, UNKNOWN

PAUSE_S: Final = 0.05
"""Between two look-ups, so that a flood costs the store little."""
MAX_OF_NETWORK: Final = 32
"""Ids of one network in a look-up; networks take turns."""
MAX_WAITING: Final = 2000
TIMEOUT_S: Final = 2.0
RETRY_S: Final = 0.5
"""Until the click of an id is looked up again that may still be loaded."""
MAX_WAIT_S: Final = 15.0
"""The longest wait, longer than a click needs to be loaded. What is undecided then may be known."""

_log = logging.getLogger("trackyard.edge")


@dataclass(slots=True)
class _Question:
    """A click id and who asked.

    decide: gets whether the click may exist.
    asked_at, retry_at: seconds of the event loop.
    """

    click_id: str
    network: str
    decide: Callable[[bool], None]
    asked_at: float
    retry_at: float = 0.0


class KnownClicks:
    """Says which clicks exist, in the event loop of an edge. path: of the socket."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._by_network: OrderedDict[str, deque[_Question]] = OrderedDict()
        self._retries: deque[_Question] = deque()
        self._count = 0
        self._task: asyncio.Task[None] | None = None

    def ask(self, click_id: str, network: str, decide: Callable[[bool], None]) -> bool:
        """Call `decide` once, later, with whether the click may exist.

        False = too many wait, and `decide` is not called.
        """
        if self._count >= MAX_WAITING:
            return False
        loop = asyncio.get_running_loop()
        self._count += 1
        self._queue(_Question(click_id, network, decide, loop.time()))
        if self._task is None or self._task.done():
            self._task = loop.create_task(self._run())
        return True

    async def _run(self) -> None:
        """Look up until nothing waits."""
        time = asyncio.get_running_loop().time
        while self._count:
            while self._retries and self._retries[0].retry_at <= time():
                self._queue(self._retries.popleft())
            batch = self._next_batch()
            if batch:
                signs = await self._look_up(batch)
                for question, sign in zip(batch, signs, strict=True):
                    self._take(question, sign, time())
            await asyncio.sleep(PAUSE_S)

    def _queue(self, question: _Question) -> None:
        self._by_network.setdefault(question.network, deque()).append(question)

    def _next_batch(self) -> list[_Question]:
        """Return the next questions, of each network in turn."""
        batch: list[_Question] = []
        for _ in range(len(self._by_network)):
            network, waiting = self._by_network.popitem(last=False)
            most = min(MAX_OF_NETWORK, MAX_ASKED - len(batch), len(waiting))
            batch += [waiting.popleft() for _ in range(most)]
            if waiting:
                self._by_network[network] = waiting
            if len(batch) == MAX_ASKED:
                break
        return batch

    async def _look_up(self, batch: Iterable[_Question]) -> str:
        ids = [question.click_id for question in batch]
        try:
            async with asyncio.timeout(TIMEOUT_S):
                signs = await self._fetch(ASKS_KNOWN + "".join(ids).encode("ascii") + b"\n", len(ids))
        except (OSError, TimeoutError) as fault:
            _log.debug("click look-up failed", extra={"error": str(fault)})
            signs = b""
        return signs.decode("ascii", "replace") if len(signs) == len(ids) else " " * len(ids)

    async def _fetch(self, request: bytes, length: int) -> bytes:
        with socket_address(self._path) as address:
            reader, writer = await asyncio.open_unix_connection(address)
        try:
            writer.write(request)
            signs = b""
            while not reader.at_eof() and len(signs) <= length:
                signs += await reader.read(length + 1 - len(signs))
            return signs
        finally:
            writer.close()

    def _take(self, question: _Question, sign: str, now: float) -> None:
        if sign == UNDECIDED and now - question.asked_at < MAX_WAIT_S:
            question.retry_at = now + RETRY_S
            self._retries.append(question)
            return
        self._count -= 1
        try:
            question.decide(sign != UNKNOWN)
        except Exception:
            _log.exception("postback not decided", extra={"click_id": question.click_id})
