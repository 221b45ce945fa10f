"""`script/bench deliveries`: how many postbacks are sent a second, how fairly, and how soon.

On SQLite, then on PostgreSQL, with a receiver in a process of its own: calls queued for one host, made by one worker
(deliveries_s); calls of 50 hosts queued behind 2,000 of one that hangs, seconds until each is made (fair_…_s); and the
whole program given inbound calls at a rate, milliseconds from the answer to each until its affiliate's receiver is
called (postback_…_ms).
"""

import asyncio
import ipaddress
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.arrivals import Arrivals
from bench.common import data_directory, database_engines, options_of, print_figures, running_worker
from tests.support.clicks.inbound_postbacks import AT
from tests.support.offer_scenario import create_offer_scenario
from tests.support.processes.program import RunningProgram, poll_until
from tests.support.stores.seeds import add_affiliate, add_postback
from trackyard.base.ids import new_id
from trackyard.domain.tracking.outbound_calls import NewDelivery
from trackyard.store.engine.database import Database
from trackyard.store.tracking import deliveries

_LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"),)
_HANGING, _OTHERS, _HOSTS = 2_000, 1_000, 50
_CONNECTIONS = 32
_CHUNK = 500


def _queue(database: Database, urls: Sequence[str]) -> None:
    with database.write() as conn:
        affiliate = add_affiliate(conn)
        postback = add_postback(conn, affiliate, "https://affiliate.example/")
    calls = []
    for url in urls:
        number = new_id(AT)
        host = url.split("/")[2].partition(":")[0]
        ids = {"id": number, "job_id": number, "conversion_id": new_id(AT), "advertiser_id": "a" * 24}
        owners = {"postback_id": postback, "affiliate_id": affiliate, "offer_id": 3, "goal": "1"}
        state = {"number": 1, "status": "confirmed", "url": url, "host": host, "next_at": AT, "created_at": AT}
        calls.append(NewDelivery(**ids, **owners, **state))  # type: ignore[arg-type]
    for start in range(0, len(calls), _CHUNK):
        with database.write() as conn:
            deliveries.add(conn, calls[start : start + _CHUNK])


def _rate(url: str, seconds: float) -> dict[str, float]:
    """Return the calls a second between the first and last tenth of a queue."""
    database = Database(url)
    count = int(1_500 * seconds)
    with Arrivals() as receiver:
        _queue(database, [receiver.url(f"/pb?c={number}") for number in range(count)])
        with running_worker(url, outbound_allow=_LOOPBACK):
            poll_until(lambda: receiver.count() >= count, seconds=20 * seconds + 30, what="the calls")
        came = sorted(receiver.take().values())
    database.close()
    first, last = len(came) // 10, len(came) * 9 // 10
    return {"deliveries_s": (last - first) / (came[last] - came[first])}


def _fairness(url: str) -> dict[str, float]:
    """Return the seconds from the first call until the hosts that answer are called."""
    database = Database(url)
    with Arrivals() as receiver:
        _queue(database, [receiver.url(f"/hang?c={number}", 254) for number in range(_HANGING)])
        _queue(database, [receiver.url(f"/pb?c={n}", 1 + n % _HOSTS) for n in range(_OTHERS)])
        with running_worker(url, outbound_allow=_LOOPBACK):
            poll_until(lambda: receiver.count() >= _OTHERS, seconds=60, what="the calls of the others")
            time.sleep(1)  # some of those counted hang
        came = receiver.take()
    database.close()
    begun = min(came.values())
    others = sorted(at - begun for path, at in came.items() if path.startswith("/pb"))
    assert len(others) == _OTHERS, len(others)
    return {"fair_median_s": others[len(others) // 2], "fair_last_s": others[-1]}


def _freshness(rate: float, seconds: float, **settings: str) -> dict[str, float]:
    """Return the milliseconds from an inbound postback's answer to its delivery."""
    with tempfile.TemporaryDirectory() as name, Arrivals() as receiver:
        program = RunningProgram(Path(name), **settings)
        program.start()
        try:
            story = create_offer_scenario(program, receiver.url("/pb?c={clickid}"))
            story.await_rules()
            click = f"/click?pid={story.affiliate}&offer_id={story.offer}"
            heads = asyncio.run(_send(program.tracking_port, [click] * int(rate * seconds), 10**6))
            ids = [_click_id(head) for _, head in heads]
            calls = asyncio.run(_send(program.tracking_port, [f"/postback?clickid={each}" for each in ids], rate))
            answered = {f"/pb?c={click_id}": at for click_id, (at, _) in zip(ids, calls, strict=True)}
            poll_until(lambda: receiver.count() >= len(ids), seconds=120, what="the affiliate's calls")
            came = receiver.take()
        finally:
            program.stop()
    waited = sorted((came[path] - at) * 1000 for path, at in answered.items())
    sent = sorted(answered.values())
    return {
        "calls_s": (len(sent) - 1) / (sent[-1] - sent[0]),
        "postback_median_ms": waited[len(waited) // 2],
        "postback_p99_ms": waited[int(len(waited) * 0.99)],
        "postback_max_ms": waited[-1],
    }


def _click_id(head: bytes) -> str:
    location = next(line for line in head.split(b"\r\n") if line.lower().startswith(b"location:"))
    return location.partition(b"click=")[2].partition(b"&")[0].decode()


async def _send(port: int, paths: Sequence[str], rate: float) -> list[tuple[float, bytes]]:
    """Request paths, at most `rate` a second; return the time and head of each answer."""
    answers: list[tuple[float, bytes]] = [(0.0, b"")] * len(paths)
    begun, places = time.monotonic(), iter(range(len(paths)))

    async def client() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for place in places:
            await asyncio.sleep(max(0.0, begun + place / rate - time.monotonic()))
            writer.write(f"GET {paths[place]} HTTP/1.1\r\nHost: t\r\nUser-Agent: Mozilla/5.0\r\n\r\n".encode())
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
            await reader.readexactly(int(length.partition(b":")[2]))
            answers[place] = (time.monotonic(), head)
        writer.close()

    await asyncio.gather(*(client() for _ in range(_CONNECTIONS)))
    return answers


def measure(seconds: float, rate: float) -> dict[str, float]:
    """Return the figures of both engines by name."""
    parts: tuple[Callable[[str], dict[str, float]], ...] = (
        lambda url: _rate(url, seconds),
        _fairness,
        lambda url: _freshness(rate, seconds, database_url=url),
    )
    figures: dict[str, float] = {}
    for engine, new_database in database_engines():
        for part in parts:
            with data_directory() as home, new_database(home) as url:
                figures |= {f"{engine}_{name}": round(value, 2) for name, value in part(url).items()}
    return figures


if __name__ == "__main__":
    options = options_of(
        "deliveries", __doc__, seconds=10, of="of each measurement of a rate",
        rate={"type": float, "default": 1_000.0, "help": "inbound calls a second"},
    )  # fmt: skip
    print_figures(measure(options.seconds, options.rate), options)
