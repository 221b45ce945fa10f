"""Look-ups of clicks by id for pixels (docs/decisions/0040).

The edge sends the id over a Unix socket of the data directory, to the process with the analytic store. It gets the
journal record of the click, or nothing. Look-ups are bounded: at once, in a second, and in a second of one network.
"""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from trackyard.base.clock import Clock
from trackyard.base.ids import find_click_id
from trackyard.base.sockets import socket_address
from trackyard.domain.tracking.ip_lists import network_of
from trackyard.journal.records import Click, decode_click

TIMEOUT_S: Final = 0.3
MAX_CONCURRENT: Final = 16
MAX_PER_SECOND: Final = 25
MAX_PER_SECOND_OF_NETWORK: Final = 5
_MAX_CLOCK_SKEW_S: Final = 60
_MAX_RECORD: Final = 256 * 1024

_log = logging.getLogger("trackyard.edge")


class ClickLookupClient:
    """Looks clicks up over the socket at `path`, as endpoints/pixels.FindClick in the event loop."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._second = -1
        self._lookups_by_network: dict[str, int] = {}
        self._running: set[asyncio.Task[None]] = set()

    def __call__(self, click_id: str, address: str, done: Callable[[Click | None], None]) -> None:
        """Call `done` once with the click; None = not found in time, or over a limit."""
        if not self._is_allowed(click_id, network_of(address)):
            done(None)
            return
        task = asyncio.get_running_loop().create_task(self._look_up(click_id, done))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def _is_allowed(self, click_id: str, network: str) -> bool:
        second = self._clock.now_ms() // 1000
        parsed_id = find_click_id(click_id)
        if parsed_id is None or parsed_id.second > second + _MAX_CLOCK_SKEW_S or len(self._running) >= MAX_CONCURRENT:
            return False
        if second != self._second:
            self._second, self._lookups_by_network = second, {}
        if (
            sum(self._lookups_by_network.values()) >= MAX_PER_SECOND
            or self._lookups_by_network.get(network, 0) >= MAX_PER_SECOND_OF_NETWORK
        ):
            return False
        self._lookups_by_network[network] = self._lookups_by_network.get(network, 0) + 1
        return True

    async def _look_up(self, click_id: str, done: Callable[[Click | None], None]) -> None:
        click: Click | None = None
        try:
            async with asyncio.timeout(TIMEOUT_S):
                record = await self._fetch(click_id)
            click = decode_click(record) if record else None
        except (OSError, TimeoutError, ValueError, msgspec.MsgspecError) as fault:
            _log.debug("click look-up failed", extra={"click_id": click_id, "error": str(fault)})
        finally:
            done(click)

    async def _fetch(self, click_id: str) -> bytes:
        with socket_address(self._path) as address:
            reader, writer = await asyncio.open_unix_connection(address)
        try:
            writer.write(click_id.encode("ascii") + b"\n")
            record = await reader.read(_MAX_RECORD)
            while not reader.at_eof() and len(record) < _MAX_RECORD:
                record += await reader.read(_MAX_RECORD)
            return record
        finally:
            writer.close()
