"""Pages of an administrator while strangers post wrong passwords, for `script/bench flood`.

The program believes the addresses that a proxy names, so that one attacker comes from many networks. A round is, for
each attack, a quiet time and the attack. A figure is the median of a page in milliseconds.
"""

import http.client
import os
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from tests.support.processes.program import RunningProgram, poll_until

LIMIT: Final = 3.0
LEAST_QUIET_MS: Final = 50 / LIMIT
PAGE: Final = "/console/profile"
PAGES_S: Final = 10
NETWORKS: Final = 24
PATIENCE_S: Final = 60.0
_PERSON: Final = {"X-Forwarded-For": "203.0.113.9"}
_EMAIL, _PASSWORD = "boss@example.org", "a long enough password"
_FORM: Final = {"Content-Type": "application/x-www-form-urlencoded"}
_SPAWN: Final = get_context("spawn")


@dataclass(frozen=True)
class Guesses:
    """Connections that post wrong passwords.

    addresses: from which they come in turn, with a place for a number.
    """

    connections: int
    addresses: str

    def address_of(self, number: int) -> str:
        """Return the address of a connection."""
        return self.addresses.format(number % NETWORKS if "." in self.addresses else number)


PLACES: Final = {"address": "198.51.100.1", "networks": "198.18.{}.1", "ipv6": "2001:db8:7:{:x}::1"}
ATTACKS: Final = {
    f"{connections}_{place}": Guesses(connections, addresses)
    for connections in (24, 120)
    for place, addresses in PLACES.items()
}


def measure_pages(directory: Path, options: Any) -> dict[str, Any]:
    """Return the medians of the page, quiet and under each attack, and the worst ratio of the two."""
    program = RunningProgram(directory, trusted_proxies="127.0.0.0/8")
    program.start()
    figures: dict[str, Any] = {}
    try:
        cookie = _sign_in(program)
        found: dict[str, list[list[float]]] = {name: [] for name in ATTACKS}
        quiet: list[float] = []
        for _ in range(options.rounds):
            for name, attack in ATTACKS.items():
                quiet += _times(program, cookie, options.seconds)
                with _attacked(attack, program.api_port) as sent:
                    poll_until(lambda: sent.value > 0, seconds=60, what=f"the attack {name}")
                    found[name].append(_times(program, cookie, options.seconds))
                    figures[f"pages_{name}_answered"] = figures.get(f"pages_{name}_answered", 0) + sent.value
        figures["pages_quiet_ms"] = round(statistics.median(quiet), 1)
        for name, rounds in found.items():
            figures[f"pages_{name}_ms"] = round(statistics.median(statistics.median(each) for each in rounds), 1)
        worst = max(figures[f"pages_{name}_ms"] for name in ATTACKS)
        return figures | {"page_ratio": round(worst / max(figures["pages_quiet_ms"], LEAST_QUIET_MS), 2)}
    finally:
        program.stop()


def _sign_in(program: RunningProgram) -> str:
    """Make an administrator, and return the cookie of a session."""
    named = {"email": _EMAIL, "password": _PASSWORD, "first_name": "B", "last_name": "B", "roles[]": "ROLE_ADMIN"}
    program.api("POST", "/3.0/admin/user", named)
    body = urlencode({"login": _EMAIL, "password": _PASSWORD})
    answer = _asked(program.api_port, "POST", "/sign-in", body, _PERSON | _FORM)
    cookie = answer.getheader("Set-Cookie", "").partition(";")[0]
    assert answer.status == http.HTTPStatus.SEE_OTHER and cookie, answer.status
    return cookie


def _times(program: RunningProgram, cookie: str, seconds: float) -> list[float]:
    """Open the page again and again for some seconds; return the milliseconds that each took."""
    took, until = list[float](), time.perf_counter() + seconds
    while time.perf_counter() < until or len(took) < 5:
        begun = time.perf_counter()
        answer = _asked(program.api_port, "GET", PAGE, "", _PERSON | {"Cookie": cookie})
        took.append((time.perf_counter() - begun) * 1000)
        assert answer.status == http.HTTPStatus.OK, answer.status
        time.sleep(max(0.0, 1 / PAGES_S - (time.perf_counter() - begun)))
    return took


def _asked(port: int, method: str, path: str, body: str, headers: dict[str, str]) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, PATIENCE_S)
    try:
        connection.request(method, path, body or None, headers)
        answer = connection.getresponse()
        answer.read()
        return answer
    finally:
        connection.close()


@contextmanager
def _attacked(attack: Guesses, port: int) -> Iterator[Any]:
    """Attack in another process while the block runs; yield the number of requests that were answered."""
    sent = _SPAWN.Value("q", 0)
    attacker = _SPAWN.Process(target=guess, args=(attack, port, sent), daemon=True)
    attacker.start()
    try:
        yield sent
    finally:
        attacker.terminate()
        attacker.join(10)


def guess(attack: Guesses, port: int, sent: Any) -> None:
    """Post wrong passwords over all connections, at a lower priority, until the process ends."""
    os.setpriority(os.PRIO_PROCESS, 0, 10)
    threads = [
        threading.Thread(target=_guess, args=(attack.address_of(number), number, port, sent), daemon=True)
        for number in range(attack.connections)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def _guess(address: str, number: int, port: int, sent: Any) -> None:
    tries = 0
    while True:
        tries += 1
        body = urlencode({"login": f"nobody-{number}-{tries}@example.org", "password": f"wrong-{tries}"})
        with suppress(OSError, http.client.HTTPException):
            _asked(port, "POST", "/sign-in", body, _FORM | {"X-Forwarded-For": address})
            with sent.get_lock():
                sent.value += 1
