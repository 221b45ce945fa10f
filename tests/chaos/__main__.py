"""`script/chaos`: injects faults, then proves that nothing was lost or counted twice."""

import argparse
import json
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from tests.chaos.evidence import read_books, read_stores, settle
from tests.chaos.faults import HOUR_S, FaultInjector
from tests.chaos.places import Place, cluster, one_machine, one_machine_with_stores
from tests.chaos.receiver import FaultyReceiver
from tests.chaos.schedule import draw_schedule
from tests.chaos.traffic import Plan, SentTraffic, Target, Traffic
from tests.chaos.verdict import RunEvidence, find_problems
from tests.support.offer_scenario import SHOP, OfferScenario, create_offer_scenario
from tests.support.processes.program import poll_until, request

PLACES: Final = {"one": one_machine, "stores": one_machine_with_stores, "cluster": cluster}
OFFERS: Final = 4
_SETTLE_S: Final = 120.0


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(prog="script/chaos", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600, help="of traffic and faults; what follows takes longer")
    parser.add_argument("--clicks", type=float, default=2000, help="a second, as far as the machine bears it")
    parser.add_argument("--postbacks", type=float, default=200, help="a second")
    parser.add_argument("--seed", type=int, help="of the schedule of faults, to repeat it")
    parser.add_argument("--stores", action="store_true", help="PostgreSQL, Redis and ClickHouse on the one machine")
    parser.add_argument("--cluster", action="store_true", help="four machines with these stores")
    parser.add_argument("--keep", type=Path, help="an empty directory for the files of the run, which stay")
    parser.add_argument("--json", action="store_true", help="the figures as one JSON object on the last line")
    return parser.parse_args(arguments)


def run(options: argparse.Namespace, show: Callable[[str], None]) -> tuple[RunEvidence, dict[str, Any]]:
    """Run chaos; return the evidence and the figures."""
    kind = "cluster" if options.cluster else "stores" if options.stores else "one"
    seed: int = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 31)
    show(f"seed {seed}")
    evidence = RunEvidence()
    with ExitStack() as stack:
        directory = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ty-chaos-")))
        directory.mkdir(parents=True, exist_ok=True)
        directory.chmod(0o755)  # PostgreSQL runs as another user
        receiver = stack.enter_context(FaultyReceiver())
        place = stack.enter_context(PLACES[kind](directory, options.seconds))
        if options.keep:
            for machine in place.machines:
                stack.callback(machine.disk.keep)
                stack.callback(machine.stop)
        stories = _create_stories(place, receiver)
        injector = FaultInjector(place, receiver, show)
        sent = _inject(options, seed, place, stories, injector)
        settled_s = _settle(place, sent, options.seconds, injector.failures, show)
        read_books(place, sent, stories, evidence)
        for machine in place.machines:
            machine.stop()
        read_stores(place, evidence)
        evidence.arrivals = receiver.arrivals()
        evidence.stops = [stop for machine in place.machines for stop in machine.stops]
        evidence.failures = [*injector.failures, *(each for machine in place.machines for each in machine.failures)]
        figures = {"seed": seed, "place": kind, "seconds": options.seconds}
        return evidence, figures | _figures(options.seconds, sent, evidence, injector, place, settled_s)


def _create_stories(place: Place, receiver: FaultyReceiver) -> list[OfferScenario]:
    """Make the offers, each with an affiliate and its server; wait until every edge knows them."""
    stories = [create_offer_scenario(place.api, receiver.url(host)) for host in range(1, OFFERS + 1)]
    for edge in place.edges:
        for story in stories:
            path = f"/click?pid={story.affiliate}&offer_id={story.offer}"

            def knows(port: int = edge.program.tracking_port, path: str = path) -> bool:
                return SHOP in request(port, "HEAD", path).headers.get("location", "")

            for _ in range(8):  # the edges of a machine answer in turn
                poll_until(knows, seconds=30, what="the offers at the edges")
    return stories


def _inject(
    options: argparse.Namespace, seed: int, place: Place, stories: list[OfferScenario], injector: FaultInjector
) -> SentTraffic:
    ports = tuple(each.program.tracking_port for each in place.edges)
    targets = tuple(Target(each.offer, each.affiliate) for each in stories)
    rows = draw_schedule(seed, options.seconds, place.stores is not None)
    with Traffic(Plan(ports, targets, options.clicks, options.postbacks, seed)) as traffic:
        injector.run(rows, options.seconds)
        for machine in place.machines:
            try:
                machine.revive()
            except AssertionError as fault:
                injector.failures.append(str(fault))
        return traffic.end()


def _settle(place: Place, sent: SentTraffic, seconds: float, failures: list[str], show: Callable[[str], None]) -> float:
    """Wait until all is counted; return the seconds.

    What was planned while the clock was an hour ahead is due in an hour. To spare that hour all clocks are ahead now.
    """
    for machine in place.machines:
        machine.control.shift(HOUR_S + 60)
    begun = time.monotonic()
    try:
        settle(place, sent, _SETTLE_S + 2 * seconds, show)
    except AssertionError as fault:
        failures.append(f"it did not settle: {fault}")
    return time.monotonic() - begun


def _figures(
    seconds: float, sent: SentTraffic, evidence: RunEvidence, injector: FaultInjector, place: Place, settled_s: float
) -> dict[str, Any]:
    arrivals = evidence.arrivals.values()
    return {
        "clicks_s": round(len(sent.clicks) / seconds),
        "postbacks_s": round(sent.calls / seconds),
        "clicks_acknowledged": len(sent.clicks),
        "clicks_unsure": sent.unsure,
        "clicks_refused": sent.refused,
        "clicks_recorded": len(evidence.clicks_recorded),
        "clicks_counted": len(evidence.clicks_counted),
        "actions_sent": len(sent.actions),
        "actions_acknowledged": len(sent.acknowledged),
        "postbacks_sent_again": sent.calls_again,
        "conversions": len(evidence.conversions),
        "postback_verdicts": ", ".join(f"{text} {number}" for text, number in sorted(evidence.verdicts.items())),
        "deliveries": len(evidence.reports),
        "deliveries_superseded": len(evidence.superseded),
        "deliveries_arrived": sum(1 for each in arrivals if each.accepted),
        "requests_to_affiliates": sum(each.requests for each in arrivals),
        "settled_s": round(settled_s, 1),
        "longest_stop_s": round(max((took for _, took, _ in evidence.stops), default=0.0), 1),
        "disk": "a small file system" if place.machines[0].disk.is_mounted else "a double",
        "faults": dict(sorted(injector.counts.items())),
    }


def conclude(evidence: RunEvidence, figures: dict[str, Any], as_json: bool) -> int:
    """Print the figures and what is wrong; return the exit status."""
    problems = find_problems(evidence)
    for name, value in figures.items():
        if name != "faults":
            print(f"{name:>24} {value}")
    for name, number in figures.get("faults", {}).items():
        print(f"{name:>32} {number} times")
    print("\n".join(["", *problems]) if problems else "\nnothing lost, nothing twice", flush=True)
    if as_json:
        print(json.dumps(figures | {"problems": problems}), flush=True)
    return 1 if problems else 0


def main() -> None:
    """Run chaos; the exit status is 1 on any outcome but the promised one."""
    options = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # leaves nothing behind
    evidence, figures = run(options, lambda line: print(line, flush=True))
    sys.exit(conclude(evidence, figures, options.json))


if __name__ == "__main__":
    main()
