"""`script/bench flood`: what honest requests wait for while a stranger attacks.

The whole program on a data directory of its own. From one loopback address come honest clicks, postbacks of these
clicks and API requests, from another network each attack of bench/flood_attacks.py in turn, by a process that is pinned
to one core at the lowest priority. A round is a quiet time, then each attack. A figure is the median of the rounds of a
99th percentile in milliseconds; that of a delivery is the time from the answer to an honest postback until its
affiliate's receiver is called. `click_ratio`, `postback_ratio`, `api_ratio` and `delivery_ratio` are those of the worst
attack, divided by those of the quiet time, which counts as 16.7 ms at least: at most 3 means at most three times as
long, or 50 ms. `page_ratio` is that of the medians of a page of an administrator while 24 and 120 connections post
wrong passwords to `/sign-in` (bench/flood_pages.py); above 3 the measurement fails.

Loopback only, bounded in time and number. The listener of clicks has TLS in the rounds of unfinished handshakes alone.
As it comes it takes 10 to 11 minutes: five rounds of twenty times of 4 s, and the starts. A time ends when it is over,
however slow the answers are, and what is not answered by then is waited for once.
"""

import http.client
import ssl
import statistics
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from bench import flood_attacks, flood_pages
from bench.arrivals import Arrivals
from bench.common import data_directory, options_of, print_figures
from bench.flood_attacks import Attack, Target
from tests.support.offer_scenario import OfferScenario, create_offer_scenario
from tests.support.processes.certificates import self_signed
from tests.support.processes.program import KEY, RunningProgram, poll_until, request

HONEST: Final = "127.1.1.1"
KINDS: Final = ("click", "postback", "api")
RATES_S: Final = {"click": 50, "postback": 20, "api": 20}
MEASURED: Final = (*KINDS, "delivery")
LIMIT: Final = 3.0
LEAST_QUIET_MS: Final = 50 / LIMIT
PATIENCE_S: Final = 5.0
START_S: Final = 20.0
PAGES: Final = "passwords"
"""The name of the attack on pages."""
_SPAWN: Final = get_context("spawn")


@dataclass
class Waits:
    """Milliseconds that honest requests took, by kind; a request without an answer counts as PATIENCE_S."""

    of: dict[str, list[float]] = field(default_factory=lambda: {kind: [] for kind in MEASURED})
    failed: int = 0

    def p99(self, kind: str) -> float:
        """Return the 99th percentile of a kind."""
        return statistics.quantiles(self.of[kind], n=100)[98]


class HonestClients:
    """Sends clicks, postbacks of these clicks and API requests, each kind by a thread at its rate."""

    def __init__(self, story: OfferScenario, receiver: Arrivals, tls: ssl.SSLContext | None) -> None:
        self._story, self._receiver, self._tls = story, receiver, tls
        self._answered: dict[str, float] = {}
        self._click_ids: list[str] = []
        self._actions = count()

    def run(self, seconds: float) -> Waits:
        """Send for a number of seconds and return what the requests waited for."""
        waits, until = Waits(), time.perf_counter() + seconds
        asks = {"click": self._click, "postback": self._postback, "api": self._api}
        threads = [threading.Thread(target=self._send, args=(kind, ask, waits, until)) for kind, ask in asks.items()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self._await_deliveries(waits)
        return waits

    def _await_deliveries(self, waits: Waits) -> None:
        """Add the waits of deliveries; one that does not come counts as PATIENCE_S."""
        answered, self._answered = self._answered, {}
        came: dict[str, float] = {}
        until = time.monotonic() + PATIENCE_S
        while not answered.keys() <= came.keys() and time.monotonic() < until:
            time.sleep(0.05)
            came |= self._receiver.take()
        for path, at in answered.items():
            waits.of["delivery"].append((came.get(path, at + PATIENCE_S) - at) * 1000)
            waits.failed += path not in came

    def _send(self, kind: str, ask: Any, waits: Waits, until: float) -> None:
        due = time.perf_counter()
        while max(due, time.perf_counter()) < until:
            due += 1 / RATES_S[kind]
            time.sleep(max(0.0, due - time.perf_counter()))
            begun = time.perf_counter()
            try:
                answered = ask()
            except (OSError, http.client.HTTPException):
                answered = False
            took = (time.perf_counter() - begun) * 1000
            waits.failed += not answered
            waits.of[kind].append(took if answered else max(took, PATIENCE_S * 1000))

    def _click(self) -> bool:
        answer = self._track(f"/click?pid={self._story.affiliate}&offer_id={self._story.offer}")
        location = answer.getheader("Location", "")
        self._click_ids += parse_qs(urlsplit(location).query).get("click", [])
        return answer.status == http.HTTPStatus.FOUND

    def _postback(self) -> bool:
        click_id = self._click_ids.pop() if self._click_ids else ""
        number = next(self._actions)
        path = f"/postback?clickid={click_id or '0' * 24}&action_id={number}&secure={self._story.code}"
        is_taken = self._track(path).status == http.HTTPStatus.OK
        if is_taken and click_id:
            self._answered[f"/pb?a={number}"] = time.monotonic()
        return is_taken

    def _api(self) -> bool:
        port, path = self._story.program.api_port, "/3.0/offers?limit=1"
        connection = http.client.HTTPConnection("127.0.0.1", port, PATIENCE_S, source_address=(HONEST, 0))
        return _answer(connection, path, {"API-Key": KEY}).status == http.HTTPStatus.OK

    def _track(self, path: str) -> http.client.HTTPResponse:
        port, source = self._story.program.tracking_port, (HONEST, 0)
        if self._tls is None:
            return _answer(http.client.HTTPConnection("127.0.0.1", port, PATIENCE_S, source_address=source), path, {})
        secure = http.client.HTTPSConnection(
            "localhost", port, timeout=PATIENCE_S, source_address=source, context=self._tls
        )
        return _answer(secure, path, {})


def _answer(connection: http.client.HTTPConnection, path: str, headers: dict[str, str]) -> http.client.HTTPResponse:
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        answer.read()
        return answer
    finally:
        connection.close()


@contextmanager
def running_story(directory: Path, receiver: Arrivals, tls: tuple[Path, Path] | None = None) -> Iterator[OfferScenario]:
    """Run the program with the first story. tls: certificate and key of the tracking listener."""
    settings = {"trusted_proxies": "192.0.2.1/32", "network_connections": "200"}
    if tls is not None:
        settings |= {"tracking_tls_cert": str(tls[0]), "tracking_tls_key": str(tls[1])}
    program = RunningProgram(directory, **settings)
    program.start(ready=tls is None)
    try:
        if tls is not None:
            poll_until(lambda: _is_ready(program), seconds=60, what="ready")
        yield create_offer_scenario(program, receiver.url("/pb?a={action_id}"))
    finally:
        program.stop()


def _is_ready(program: RunningProgram) -> bool:
    with suppress(OSError, http.client.HTTPException):
        ports = (program.monitoring_port, program.api_port)
        return all(request(port, "GET", "/readyz").status == http.HTTPStatus.OK for port in ports)
    return False


@contextmanager
def attacked(attack: Attack, target: Target, seconds: float) -> Iterator[Any]:
    """Attack in another process while the block runs; yield the number of requests that it sends."""
    sent = _SPAWN.Value("q", 0)
    attacker = _SPAWN.Process(target=flood_attacks.run, args=(attack, target, seconds, sent), daemon=True)
    attacker.start()
    try:
        yield sent
    finally:
        attacker.terminate()
        attacker.join(10)


def await_start(name: str, sent: Any) -> None:
    """Wait until an attack is under way."""
    poll_until(lambda: sent.value > 0, seconds=START_S, what=f"the attack {name}")


def measure(
    story: OfferScenario, receiver: Arrivals, attacks: dict[str, Attack], options: Any, tls: ssl.SSLContext | None
) -> dict[str, Any]:
    """Return the figures of one program: a quiet time and each attack in every round."""
    clients = HonestClients(story, receiver, tls)
    poll_until(lambda: clients._click(), seconds=20, what="the offer at the edge")
    target = Target.of(story, receiver)
    found: dict[str, list[Waits]] = {name: [] for name in ("quiet", *attacks)}
    sent_of: dict[str, int] = dict.fromkeys(attacks, 0)
    for number in range(options.rounds):
        found["quiet"].append(clients.run(options.seconds))
        for name, attack in attacks.items():
            with attacked(attack, target, options.seconds + START_S) as sent:
                await_start(name, sent)
                found[name].append(clients.run(options.seconds))
                sent_of[name] += sent.value
            time.sleep(1)
        print(f"round {number + 1} of {options.rounds} is over", file=sys.stderr, flush=True)
    return _figures(found) | {f"{name}_sent": sent for name, sent in sent_of.items()}


def _figures(found: dict[str, list[Waits]]) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for name, rounds in found.items():
        for kind in MEASURED:
            figures[f"{name}_{kind}_p99_ms"] = round(statistics.median(one.p99(kind) for one in rounds), 1)
        figures[f"{name}_failed"] = sum(one.failed for one in rounds)
    return figures


def worst_ratios(figures: dict[str, Any], attacks: dict[str, Attack]) -> dict[str, float]:
    """Return the ratio of the worst attack for each kind of honest request."""
    ratios = {}
    for kind in MEASURED:
        quiet = max(figures[f"quiet_{kind}_p99_ms"], LEAST_QUIET_MS)
        ratios[f"{kind}_ratio"] = round(max(figures[f"{name}_{kind}_p99_ms"] for name in attacks) / quiet, 2)
    return ratios


def measure_all(directory: Path, options: Any) -> dict[str, Any]:
    """Measure the attacks on a plain listener, then unfinished handshakes on one with TLS."""
    chosen = {
        name: attack for name, attack in flood_attacks.ATTACKS.items() if not options.only or name in options.only
    }
    plain = {name: attack for name, attack in chosen.items() if not attack.needs_tls}
    secure = {name: attack for name, attack in chosen.items() if attack.needs_tls}
    figures: dict[str, Any] = {}
    ratios: list[dict[str, float]] = []
    if plain:
        with Arrivals() as receiver, running_story(directory / "plain", receiver) as story:
            found = measure(story, receiver, plain, options, None)
        ratios.append(worst_ratios(found, plain))
        figures |= found
    if secure:
        certificate, key = self_signed(directory)
        context = ssl.create_default_context(cafile=str(certificate))
        with Arrivals() as receiver, running_story(directory / "tls", receiver, (certificate, key)) as story:
            found = measure(story, receiver, secure, options, context)
        ratios.append(worst_ratios(found, secure))
        figures |= {f"tls_{name}": value for name, value in found.items()}
    if ratios:
        figures |= {name: max(each[name] for each in ratios) for name in ratios[0]}
    if not options.only or PAGES in options.only:
        figures |= flood_pages.measure_pages(directory / "pages", options)
    return figures


if __name__ == "__main__":
    options = options_of(
        "flood", __doc__, seconds=4, of="of each quiet time and each attack",
        rounds={"type": int, "default": 5},
        only={
            "choices": (*flood_attacks.ATTACKS, PAGES), "action": "append",
            "help": "an attack; may be given again; else all",
        },
    )  # fmt: skip
    with data_directory() as directory:
        for name in ("plain", "tls", "pages"):
            (directory / name).mkdir()
        figures = measure_all(directory, options)
        print_figures(figures, options)
    if figures.get("page_ratio", 0.0) > LIMIT:
        sys.exit(f"page_ratio is {figures['page_ratio']}, more than {LIMIT}")
