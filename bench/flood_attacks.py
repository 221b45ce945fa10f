"""The attacks of `script/bench flood`, each from one loopback network, bounded in time and number."""

import http.client
import os
import resource
import secrets
import selectors
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import cycle
from typing import Any, Final
from urllib.parse import parse_qs, urlencode, urlsplit

from bench.arrivals import Arrivals
from tests.support.offer_scenario import OfferScenario
from trackyard.base.ids import new_click_id

STRANGER: Final = "127.0.0.1"
CONNECTIONS: Final = 16
MAX_HELD: Final = 3000
"""Connections that an attack of connections holds at once."""
HANGING: Final = 50
"""Postbacks of the attacking affiliate, each to a host that never answers."""
CONVERSIONS_S: Final = 20
MAX_SENT: Final = 2_000_000
_REOPEN_PAUSE_S: Final = 0.02
_CORE: Final = 0


@dataclass(frozen=True)
class Target:
    """Ports of the program, the ids of its offer and affiliate, and of an affiliate that attacks."""

    tracking_port: int
    api_port: int
    offer: int
    affiliate: int
    hanging_affiliate: int
    code: str

    @classmethod
    def of(cls, story: OfferScenario, receiver: Arrivals) -> "Target":
        """Return the target of a running story, with an affiliate that attacks."""
        program, owner = story.program, {"email": "hangs@example.org", "password": "long-enough"}
        pid = program.api("POST", "/3.0/admin/partner", owner)["partner"]["id"]
        program.api("POST", "/3.0/offer/enable-affiliate", {"offer_id": story.offer, "pid": pid, "notice": 0})
        for number in range(HANGING):
            url = receiver.url("/hang", 100 + number)
            program.api("POST", "/3.1/partner/postback", {"pid": pid, "url": url})
        return cls(program.tracking_port, program.api_port, story.offer, story.affiliate, pid, story.code)


@dataclass(frozen=True)
class Attack:
    """An attack of one kind.

    send: sends until a time (seconds of time.monotonic) and counts what it sent in `sent.value`.
    needs_tls: the tracking listener must have TLS.
    """

    send: Callable[[Target, float, Any], None]
    needs_tls: bool = False


def run(attack: Attack, target: Target, seconds: float, sent: Any) -> None:
    """Attack for a number of seconds, on one core at the lowest priority."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0), key=lambda core: abs(core - _CORE))})
    os.setpriority(os.PRIO_PROCESS, 0, 19)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    attack.send(target, time.monotonic() + seconds, sent)


def _get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: t.example\r\n\r\n".encode()


def _post(path: str, body: bytes) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: t.example\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    return head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body


def _connect(port: int) -> socket.socket | None:
    client = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        client.settimeout(2)
        client.bind((STRANGER, 0))
        client.connect((STRANGER, port))
    except OSError:
        client.close()
        return None
    client.setblocking(False)
    return client


def _flood(ports: tuple[int, ...], pieces: Iterator[bytes], until: float, sent: Any) -> None:
    """Send piece after piece over some connections to each port, and read what comes."""
    selector, waiting = selectors.DefaultSelector(), list(ports) * CONNECTIONS
    unsent: dict[socket.socket, bytes] = {}
    while time.monotonic() < until and sent.value < MAX_SENT:
        if waiting:
            port = waiting.pop()
            client = _connect(port)
            if client is None:
                waiting.insert(0, port)
                time.sleep(_REOPEN_PAUSE_S)
            else:
                selector.register(client, selectors.EVENT_READ | selectors.EVENT_WRITE, port)
                unsent[client] = b""
        for key, events in selector.select(0.05):
            asker = key.fileobj
            assert isinstance(asker, socket.socket)
            try:
                if events & selectors.EVENT_READ and not asker.recv(262_144):
                    raise ConnectionResetError
                if events & selectors.EVENT_WRITE:
                    piece = unsent[asker] or next(pieces)
                    unsent[asker] = piece[asker.send(piece) :]
                    sent.value += not unsent[asker]
            except BlockingIOError:
                continue
            except OSError:
                selector.unregister(asker)
                asker.close()
                del unsent[asker]
                waiting.append(key.data)
                time.sleep(_REOPEN_PAUSE_S)


def _hold(ports: tuple[int, ...], until: float, sent: Any) -> None:
    """Open connections that say nothing, again where they are closed."""
    held: list[socket.socket] = []
    turns = cycle(ports)
    while time.monotonic() < until and sent.value < MAX_SENT:
        client = _connect(next(turns)) if len(held) < MAX_HELD else None
        if client is not None:
            held.append(client)
            sent.value += 1
        if len(held) % 100 == 0 or client is None:
            held = [each for each in held if not _is_closed(each)]
            time.sleep(_REOPEN_PAUSE_S)


def _is_closed(client: socket.socket) -> bool:
    with suppress(BlockingIOError):
        try:
            if client.recv(1):
                return False
        except ConnectionError:
            pass
        client.close()
        return True
    return False


def _scrapes(target: Target, until: float, sent: Any) -> None:
    piece = (_get("/metrics") + _get("/readyz")) * 20
    _flood((target.tracking_port, target.api_port), cycle([piece]), until, sent)


def _forms(target: Target, until: float, sent: Any) -> None:
    nested = urlencode({f"a{number}[i][b][c][d][e][f]": 1 for number in range(4000)}).encode()

    def pieces() -> Iterator[bytes]:
        while True:
            yield _post("/3.1/auth", nested)
            name = secrets.token_hex(6)
            fields = {"email": f"{name}@example.org", "login": name, "password": f"long-enough-{name}"}
            yield _post("/3.1/partner", urlencode(fields).encode())
            yield _post("/3.1/auth", urlencode({"login": name, "password": name}).encode())

    _flood((target.api_port,), pieces(), until, sent)


def _junk(target: Target, until: float, sent: Any) -> None:
    def pieces() -> Iterator[bytes]:
        while True:
            now = time.time_ns() // 1_000_000
            ids = [new_click_id(now - 1000 * age, 1) for age in (0, 60, 86_400)]
            yield b"".join(_get(f"/postback?clickid={each}&sub={'x' * 2000}") for each in (*ids, "junk"))
            yield _get(f"/click?pid={target.affiliate}&offer_id=999999&sub1={'y' * 2000}") * 4

    _flood((target.tracking_port,), pieces(), until, sent)


def _connections(target: Target, until: float, sent: Any) -> None:
    _hold((target.tracking_port, target.api_port), until, sent)


def _handshakes(target: Target, until: float, sent: Any) -> None:
    _hold((target.tracking_port,), until, sent)


def _hanging(target: Target, until: float, sent: Any) -> None:
    """Make conversions, each of which is reported to every host that hangs."""
    due = time.monotonic()
    while time.monotonic() < until and sent.value < MAX_SENT:
        due += 1 / CONVERSIONS_S
        with suppress(OSError, http.client.HTTPException):
            click = _asked(target, f"/click?pid={target.hanging_affiliate}&offer_id={target.offer}")
            for click_id in parse_qs(urlsplit(click).query).get("click", []):
                _asked(target, f"/postback?clickid={click_id}&secure={target.code}")
                sent.value += 1
        time.sleep(max(0.0, due - time.monotonic()))


def _asked(target: Target, path: str) -> str:
    """Send a request; return where its answer leads."""
    connection = http.client.HTTPConnection(STRANGER, target.tracking_port, 5, source_address=(STRANGER, 0))
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        return answer.getheader("Location", "")
    finally:
        connection.close()


ATTACKS: Final = {
    "scrapes": Attack(_scrapes),
    "forms": Attack(_forms),
    "junk": Attack(_junk),
    "connections": Attack(_connections),
    "hanging": Attack(_hanging),
    "handshakes": Attack(_handshakes, needs_tls=True),
}
