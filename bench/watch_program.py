"""A network with a known truth, played through the program by a shifted clock.

It has an edge, journals, stores, jobs and the API. The characters of `trackyard demo` click and convert at the edge;
the projector loads its journal, the processor of the worker decides the postbacks, the loader loads what follows. Once
a day, at 6, 12, 18 or 24 h in turn, jobs judge rules and alerts, and findings, health, open alerts and firings are read
over the API, as an operator would. At the end the look back of each rule judges every hour.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from bench.common import open_analytics, open_sqlite
from tests.support.api import ADMIN_KEY, CIPHER, UNBOUNDED, opened
from tests.support.client import ApiClient
from trackyard.actions.platform.installation import first_start
from trackyard.actions.platform.traffic_findings import QualityMemory
from trackyard.api.app import build
from trackyard.api.catalogue import CATALOGUE
from trackyard.base.clock import ManualClock
from trackyard.commands.demo.cast import CastTraffic, make_cast
from trackyard.commands.demo.characters import RULES, Truth, culprit_of
from trackyard.commands.demo.past import open_past_edge, read_ruleset
from trackyard.jobs.conversions.inbox import PostbackProcessor
from trackyard.jobs.loading.projector import Projector
from trackyard.jobs.schedule.alerts import AlertWatcher
from trackyard.runtime import settings

BEFORE_DAYS: Final = 28
"""Days before the watched ones: the usual of rules and alerts."""
DAYS: Final = 30
FAULT_DAY: Final = 12
"""The watched day from which on everything wrong is wrong."""
BEGIN_MS: Final = 1_788_220_800_000
"""2026-09-01 00:00 UTC."""
HOUR_MS: Final = 3_600_000
DAY_MS: Final = 24 * HOUR_MS
_STEP_MS: Final = 6 * HOUR_MS
_HEALTH_DAYS: Final = 5
"""Days in which the health of each affiliate is looked at once: it covers seven."""
_CHECKS: Final = ("offers", "quality")
"""Checks of the findings that are about traffic."""


@dataclass(frozen=True, slots=True)
class Found:
    """Something that the program found.

    kind: of the finding, with its place. truth: what is wrong, HONEST = nothing. day: of the watched ones.
    sentence: what the API says about it.
    """

    kind: str
    truth: Truth
    subject: str
    day: int
    sentence: str = ""


@dataclass(slots=True)
class Played:
    """What a network had and what was found, each thing once, at its first day."""

    clicks: int = 0
    conversions: int = 0
    cpu_s: float = 0.0
    found: list[Found] = field(default_factory=list)


def play(home: Path, seed: int, scale: float, *, honest: bool) -> Played:
    """Return what the program finds in a network. honest: nothing is wrong in it."""
    with ExitStack() as stack:
        return _Program(home, stack, seed, scale, honest=honest).run()


class _Program:
    """An installation in a directory, with all its parts in this process."""

    def __init__(self, home: Path, stack: ExitStack, seed: int, scale: float, *, honest: bool) -> None:
        self._clock = ManualClock(BEGIN_MS - 60_000)
        database = stack.enter_context(open_sqlite(home))
        analytics = stack.enter_context(open_analytics(home))
        first_start(database, CIPHER, self._clock, ADMIN_KEY)
        deps = replace(opened(database, analytics).deps, clock=self._clock, quality=QualityMemory())
        self._api = ApiClient(build(deps, limits=UNBOUNDED), CATALOGUE, ADMIN_KEY)
        self._cast = make_cast(self, lambda: None, demo=False)
        self._projector = Projector(database, analytics, home / "journal", home / "rules", self._clock)
        self._projector.rules.publish()
        changed_at = self._clock.now_ms()
        self._clock.advance(10_000)
        self._projector.rules.publish()
        ruleset = read_ruleset(home / "rules", changed_at)
        config = settings.load({"TRACKYARD_DATA_DIR": str(home)})
        self._edge = open_past_edge(config, 1, self._clock, ruleset, stack)
        self._processor = PostbackProcessor(database, "USD", ZoneInfo("UTC"), self._clock)
        self._watcher = AlertWatcher(deps, "bench")
        faults_at = None if honest else BEGIN_MS + (BEFORE_DAYS + FAULT_DAY) * DAY_MS
        self._traffic = CastTraffic(self._cast, str(seed), scale, BEGIN_MS, faults_at, demo=False)
        self._offers = {number: key for key, number in self._cast.offers.items()}
        self._affiliates = {number: key for key, number in self._cast.affiliates.items()}
        self._advertisers = {number: key for key, number in self._cast.advertisers.items()}

    def post(self, path: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to POST `path`."""
        answer: dict[str, Any] = self._api.call("POST", path, json=params).json()
        return answer

    def run(self) -> Played:
        """Play every day and return what was found."""
        played, used = Played(), time.process_time()
        first: dict[tuple[str, str, Truth], Found] = {}
        for at in range(BEGIN_MS, BEGIN_MS + (BEFORE_DAYS + DAYS) * DAY_MS, _STEP_MS):
            self._send(at, at + _STEP_MS)
            day = (at - BEGIN_MS) // DAY_MS - BEFORE_DAYS
            if day >= 0 and (at // _STEP_MS) % 4 == day % 4:  # another time each day
                self._judge(at + _STEP_MS)
                for found in self._look(day):
                    first.setdefault((found.kind, found.subject, found.truth), found)
        for found in self._look_back():
            known = first.setdefault((found.kind, found.subject, found.truth), found)
            first[found.kind, found.subject, found.truth] = min(known, found, key=lambda each: each.day)
        days = {"filter[date_from]": "2026-08-01", "filter[date_to]": "2026-12-31"}
        for row in self._api.get("/3.0/stats/getbyprogram", **days)["stats"]:
            played.clicks += int(row["traffic"]["raw"])
            played.conversions += row["actions"]["total"]["count"]
        played.found, played.cpu_s = list(first.values()), time.process_time() - used
        return played

    def _send(self, begin: int, end: int) -> None:
        """Send the requests of some hours, and let the program load and decide all of them."""
        for _ in self._traffic.send(begin, end, self._edge.send):
            pass
        self._edge.advance_to(end)
        self._edge.write_checkpoint(end)
        projector, more = self._projector, True
        while more:
            more = projector.journals.load_next() or projector.journals.resolve_waiting()
            while self._processor.step():
                more = True
            while projector.outbox.load_next():
                more = True

    def _judge(self, end: int) -> None:
        """Let the jobs judge the last whole hours: rules as they are due, and alerts."""
        while self._projector.automation.run_one(end):
            pass
        self._watcher.look()

    def _look(self, day: int) -> Iterator[Found]:
        """Yield what the API shows on a day."""
        for alert in self._api.get("/3.1/admin/alerts", state="open", limit=100)["alerts"]:
            offer = self._offers.get(alert["offer_id"], "") or self._advertisers.get(alert["advertiser_id"] or "", "")
            affiliate = self._affiliates.get(alert["affiliate_id"], "")
            yield _found(day, alert["sentence"], f"alert {alert['finding']}", offer, affiliate)
        for firing in self._api.get("/3.1/admin/rule-firings", limit=200)["firings"]:
            yield self._firing(firing, day)
        yield from self._look_at_findings(day)
        yield from self._look_at_health(day)

    def _look_at_findings(self, day: int) -> Iterator[Found]:
        for check in self._api.get("/3.1/admin/findings")["checks"]:
            for each in check["findings"] if check["check"] in _CHECKS else ():
                found = each["evidence"]
                offer = self._offers[int(found.get("offer") or each["subject"])]
                affiliate = self._affiliates[int(found["affiliate"])] if "affiliate" in found else ""
                yield _found(day, each["sentence"], f"finding {each['kind']}", offer, affiliate)

    def _look_at_health(self, day: int) -> Iterator[Found]:
        """Look at each offer and at some affiliates, which take turns.

        Each offer has an advertiser of its own.
        """
        things = [("offer", number, key, "") for key, number in self._cast.offers.items()]
        people = [("partner", number, "", key) for key, number in self._cast.affiliates.items()]
        things += people[day % _HEALTH_DAYS :: _HEALTH_DAYS]
        for path, number, offer, affiliate in things:
            for each in self._api.get(f"/3.1/admin/{path}/{number}/health")["health"]["findings"]:
                if each["verdict"] == "quiet" or "Affiliate " in each["sentence"]:
                    continue  # those of quality are in the findings
                yield _found(day, each["sentence"], f"health {each['kind']}", offer, affiliate)

    def _look_back(self) -> Iterator[Found]:
        """Yield what the look back of each rule finds in every hour of the watched days.

        Each affiliate is asked about alone, so that no firing is beyond the newest that are shown.
        """
        parts: list[tuple[dict[str, Any], list[int]]] = [
            (rule, [affiliate])
            for rule in RULES
            for affiliate in (self._cast.affiliates.values() if "affiliate" in rule["each"] else [0])
        ]
        for rule, affiliates in parts:
            named = {"affiliates": affiliates} if affiliates[0] else {}
            for firing in self.post("/3.1/admin/rules/look-back", rule | named)["firings"]:
                yield self._firing(firing, (_moment(firing["until"]) - 1 - BEGIN_MS) // DAY_MS - BEFORE_DAYS)

    def _firing(self, firing: dict[str, Any], day: int) -> Found:
        element, readings = firing["element"], firing["readings"]
        affiliate = self._affiliates[int(element["affiliate"])] if "affiliate" in element else ""
        subject = self._offers[int(element["offer"])], affiliate, element.get("sub1", "")
        sentence = "; ".join(f"{each['metric']} {each['value']}, bound {each['bound']}" for each in readings)
        return _found(day, sentence, f"rule {firing['rule_title']}", *subject)


def _found(day: int, sentence: str, kind: str, offer: str, affiliate: str = "", sub: str = "") -> Found:
    subject = " ".join(filter(None, (offer, affiliate, sub)))
    return Found(kind, culprit_of(offer, affiliate, sub), subject, day, sentence)


def _moment(text: str) -> int:
    from datetime import UTC, datetime

    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


def main() -> None:
    """Play one network in a directory, and print what was found as JSON."""
    import msgspec

    home, seed, scale, honest = sys.argv[1:]
    played = play(Path(home), int(seed), float(scale), honest=honest == "honest")
    print(msgspec.json.encode(played).decode())


if __name__ == "__main__":
    main()
