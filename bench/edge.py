"""`script/bench edge`: clicks a second of the edge, and of nginx that answers a bare 302.

wrk, one thread on a core of its own, sends the clicks of traffic.py in turn to nginx, to the edge with its journal on,
and to the edge's server with a fixed answer, one worker each on the other core; `cpu_us` next to each rate is what the
server's processes computed for a request, `wrk computed` shows that wrk was not the limit. Then clicks arrive at half
the edge's saturated rate: 256 connections each wait a random time before the next click, so that they come
independently of each other. `load` sends the clicks of browsers.py at 10, 25, 50 and 90 % of the edge's saturated rate
to the edge and to nginx in turn, and prints what a click costs each of them. Then 10 offers against 100,000, two edges
against one (not pinned: they and wrk share what cores there are), and where the microseconds go.

Needs the Debian packages wrk and nginx.
"""

import json
import re
import statistics
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Final

from bench import steps
from bench.browsers import browser_rules, write_browser_script
from bench.common import data_directory, options_of
from bench.servers import Rate, Server, nginx, protocol, rate_of
from bench.traffic import need, rules, send, write_script
from tests.support.clicks.edge import publish
from tests.support.processes.program import poll_until, request
from trackyard.base.metrics import ACCEPTED
from trackyard.runtime.compiled import in_use

ROUNDS: Final = 2
PACED_CONNECTIONS: Final = 256
FEW, MANY = 10, 100_000
SHARES: Final = (0.1, 0.25, 0.5, 0.9)
"""Of the saturated rate."""
_WARM_S: Final = 1.5


def measure_rates(directory: Path, seconds: float) -> dict[str, Any]:
    """Measure nginx, the edge and its bare server, then the edge at half rate."""
    publish(directory / "rules", rules())
    script = write_script(directory)
    rates: dict[str, list[Rate]] = {"nginx": [], "edge": [], "bare": []}
    with ExitStack() as stack:
        servers = {
            "nginx": stack.enter_context(nginx(directory)),
            "edge": stack.enter_context(protocol(directory)),
            "bare": stack.enter_context(protocol(None)),
        }
        for server in servers.values():
            rate_of(server, script, min(seconds, _WARM_S))
        for _ in range(ROUNDS):
            for name, server in servers.items():
                rates[name].append(_report(name, rate_of(server, script, seconds)))
        rate = statistics.mean(one.rate for one in rates["edge"])
        slow = write_script(directory, delay_ms=PACED_CONNECTIONS * 1000 / (rate / 2))
        paced = send(slow, servers["edge"].port, seconds, PACED_CONNECTIONS)
        accepted = _accepted(servers["edge"])
    figures: dict[str, Any] = {"p50_ms": paced.p50_ms, "p99_ms": paced.p99_ms, "accepted": accepted}
    for name, measured in rates.items():
        figures[f"{name}_rps"] = round(statistics.mean(one.rate for one in measured))
        figures[f"{name}_cpu_us"] = round(statistics.mean(one.cpu_us for one in measured), 2)
    figures["ratio"] = round(figures["edge_rps"] / figures["nginx_rps"], 3)
    figures["cpu_ratio"] = round(figures["nginx_cpu_us"] / figures["edge_cpu_us"], 3)
    print(f"the edge makes {figures['ratio']} of nginx's rate, by the processor's time {figures['cpu_ratio']}")
    print(f"at half its rate ({paced.rate:.0f}/s) p50 {paced.p50_ms} ms, p99 {paced.p99_ms} ms", flush=True)
    return figures


def measure_load(directory: Path, seconds: float) -> dict[str, Any]:
    """Measure the edge and nginx with clicks of browsers, at shares of the edge's saturated rate.

    Eight measurements of `seconds` each at shares, two at the highest rate, and two of 1.5 seconds before.
    """
    publish(directory / "rules", browser_rules())
    script = write_browser_script(directory)
    measured: dict[tuple[str, float], Rate] = {}
    with ExitStack() as stack:
        servers = {"nginx": stack.enter_context(nginx(directory)), "edge": stack.enter_context(protocol(directory))}
        for name, server in servers.items():
            rate_of(server, script, min(seconds, _WARM_S))
            measured[name, 1] = rate_of(server, script, seconds)
        for share in SHARES:
            slow = write_browser_script(directory, PACED_CONNECTIONS * 1000 / (measured["edge", 1].rate * share))
            for name, server in servers.items():
                measured[name, share] = rate_of(server, slow, seconds, PACED_CONNECTIONS)
        reasons = _recorded(servers["edge"])
    figures = load_figures(measured, reasons)
    for line in load_lines(figures):
        print(line, flush=True)
    return {"load": figures}


def load_figures(measured: Mapping[tuple[str, float], Rate], reasons: Mapping[str, float]) -> dict[str, Any]:
    """Return microseconds a click of edge and nginx by share of the rate, and the rejected share.

    measured: by the name of a server and the share, 1 = saturated. reasons: recorded clicks by reason.
    """
    total = sum(reasons.values())
    figures: dict[str, Any] = {"rejected": round(1 - reasons.get(ACCEPTED, 0) / total, 3) if total else 0.0}
    for share in (*SHARES, 1):
        edge, other = measured["edge", share], measured["nginx", share]
        figures[f"{share:.0%}"] = {
            "rps": round(edge.rate),
            "edge_us": round(edge.cpu_us, 1),
            "nginx_us": round(other.cpu_us, 1),
            "ratio": round(other.cpu_us / edge.cpu_us, 3),
        }
    return figures


def load_lines(figures: Mapping[str, Any]) -> Iterator[str]:
    """Yield the figures as a table of text."""
    yield f"{figures['rejected']:.1%} of the clicks were rejected"
    yield f"{'of the highest':>16} {'clicks/s':>9} {'edge us':>8} {'nginx us':>9} {'ratio':>6}"
    for share, row in figures.items():
        if share != "rejected":
            yield f"{share:>16} {row['rps']:>9} {row['edge_us']:>8} {row['nginx_us']:>9} {row['ratio']:>6}"


def measure_offers(directory: Path, seconds: float) -> dict[str, Any]:
    """Measure an edge with few offers and one with many, in turn."""
    rates: dict[int, list[Rate]] = {FEW: [], MANY: []}
    with ExitStack() as stack:
        running = {}
        for offers in rates:
            place = directory / str(offers)
            publish(place / "rules", rules(offers))
            running[offers] = (stack.enter_context(protocol(place)), write_script(place, offers))
        for server, script in running.values():
            poll_until(partial(_is_ready, server.port), seconds=60, what="the rules at the edge")
            rate_of(server, script, min(seconds, _WARM_S))
        for _ in range(ROUNDS):
            for offers, (server, script) in running.items():
                rates[offers].append(_report(f"{offers} offers", rate_of(server, script, seconds)))
    few, many = (statistics.mean(one.rate for one in rates[offers]) for offers in (FEW, MANY))
    few_us, many_us = (statistics.mean(one.cpu_us for one in rates[offers]) for offers in (FEW, MANY))
    print(f"{MANY} offers: {1 - many / few:.1%} fewer clicks a second than {FEW}, by the processor's time", end=" ")
    print(f"{1 - few_us / many_us:.1%}", flush=True)
    drops = {"offers_drop": round(1 - many / few, 3), "offers_cpu_drop": round(1 - few_us / many_us, 3)}
    return {f"offers_{FEW}_rps": round(few), f"offers_{MANY}_rps": round(many), **drops}


def measure_edges(directory: Path, seconds: float) -> dict[str, Any]:
    """Measure one edge, then two that share port and state."""
    publish(directory / "rules", rules())
    script = write_script(directory)
    figures: dict[str, Any] = {}
    for count in (1, 2):
        with ExitStack() as stack:
            first = stack.enter_context(protocol(directory, slots=count))
            if count == 2:
                stack.enter_context(protocol(directory, slots=2, edge=2, port=first.port))
            time.sleep(0.5)  # the second one's port answers already, by the first
            send(script, first.port, min(seconds, _WARM_S))
            sent = send(script, first.port, seconds)
            figures[f"edges_{count}_rps"] = round(sent.rate)
            print(f"{count} edges: {sent.rate:.0f}/s; wrk computed {sent.busy:.0%} of the time", flush=True)
    return figures


def measure_steps(directory: Path, seconds: float) -> dict[str, Any]:
    """Measure the steps of a click in microseconds, without sockets."""
    figures = steps.measure()
    print(f"the modules are {'compiled' if in_use() else 'plain Python'}")
    for step, microseconds in figures.items():
        print(f"{step:>18} {microseconds:6.2f} us")
    return {"steps_us": figures, "compiled": in_use()}


PARTS: Final = {
    "rates": measure_rates,
    "load": measure_load,
    "offers": measure_offers,
    "edges": measure_edges,
    "steps": measure_steps,
}


def _is_ready(port: int) -> bool:
    return request(port, "GET", "/readyz").status == 200


def _report(name: str, rate: Rate) -> Rate:
    print(f"{name:>14}: {rate.rate:>7.0f}/s, {rate.cpu_us:5.1f} us of the processor", end="")
    print(f"; wrk computed {rate.wrk_busy:.0%} of the time", flush=True)
    return rate


def _recorded(server: Server) -> dict[str, float]:
    """Return the recorded clicks of an edge by reason."""
    time.sleep(1.5)  # the edge hands its counts over once a second
    return clicks_by_reason(request(server.monitoring_port, "GET", "/metrics").body.decode())


def _accepted(server: Server) -> float:
    """Return the share of accepted clicks; exit when many were rejected."""
    counts = _recorded(server)
    share = counts.get(ACCEPTED, 0) / sum(counts.values())
    print(f"{sum(counts.values()):.0f} clicks recorded, {share:.1%} accepted: {counts}")
    if share < 0.9:
        sys.exit("more than a tenth of the clicks were rejected")
    return round(share, 3)


def clicks_by_reason(metrics: str) -> dict[str, float]:
    """Return the recorded clicks by the reason of the metric, which is ACCEPTED for most."""
    found = re.findall(r'trackyard_clicks_total{reason="(.*)"} (\S+)', metrics)
    return {reason: float(count) for reason, count in found}


if __name__ == "__main__":
    options = options_of(
        "edge", __doc__, seconds=5,
        only={"choices": PARTS, "action": "append", "help": "a part; may be given again; else all"},
    )  # fmt: skip
    need("wrk", "nginx", "taskset")
    figures: dict[str, Any] = {}
    with data_directory() as directory:
        for part in options.only or PARTS:
            figures |= PARTS[part](directory / part, options.seconds)
    if options.json:
        print(json.dumps(figures))
