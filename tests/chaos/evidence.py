"""Reads from journals, SQL, statistics, the API and the receiver what a run led to."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from tests.chaos.places import Place
from tests.chaos.traffic import SentTraffic
from tests.chaos.verdict import Conversion, Report, RunEvidence
from tests.support.offer_scenario import OfferScenario, period_around_today
from tests.support.processes.program import KEY, RunningProgram, poll_until
from trackyard.analytics.engine.connection import Analytics, QueryLimits
from trackyard.journal import segments
from trackyard.journal.reader import next_range
from trackyard.journal.records import RecordKind, decode_click
from trackyard.store.engine.database import Database

QUEUES: Final = ("inbox", "outbox", "delivery", "conversion_task")
PAYOUT: Final = Decimal(7)
STILL_S: Final = 30.0
_DIGITS: Final = 4
"""Amounts are stored as whole numbers of the fourth decimal place."""


def database_of(program: RunningProgram) -> str:
    """Return the address of the SQL database of a machine."""
    default = f"sqlite:///{program.directory / 'data' / 'trackyard.db'}"
    return program.environment.get("TRACKYARD_DATABASE_URL") or default


def _rows(database: Database, sql: str) -> list[Any]:
    with database.read() as connection:
        return list(connection.exec_driver_sql(sql))


def queue_rows(database: Database) -> dict[str, int]:
    """Return how many rows wait in each queue."""
    return {queue: int(_rows(database, f"SELECT count(*) FROM {queue}")[0][0]) for queue in QUEUES}


def settle(place: Place, sent: SentTraffic, seconds: float, show: Callable[[str], None]) -> None:
    """Wait until every queue is empty and the report has what was acknowledged. Raises WaitTimeout."""
    shown, still_since = list[str](), [0.0]
    with Database(database_of(place.api)) as database:

        def is_settled() -> bool:
            left = queue_rows(database)
            reported, conversions = _reported(place.api), _rows(database, "SELECT count(*) FROM conversion")[0][0]
            waiting = ", ".join(f"{number} in {queue}" for queue, number in left.items() if number)
            line = f"           settling: {reported} of {len(sent.clicks)} clicks, {conversions} conversions; {waiting}"
            if shown[-1:] != [line]:
                shown.append(line)
                show(line)
                still_since[0] = time.monotonic()
            if any(left.values()):
                return False
            is_counted = reported >= len(sent.clicks) and conversions >= len(sent.acknowledged)
            return is_counted or time.monotonic() - still_since[0] > STILL_S  # what is missing then does not come

        poll_until(_patient(is_settled), seconds=seconds, what="every queue is empty")


def _patient(probe: Callable[[], bool]) -> Callable[[], bool]:
    """Return a probe that asks less often than it is asked, so that the program has the machine."""
    calls = Counter[str]()

    def asked() -> bool:
        calls["all"] += 1
        return calls["all"] % 40 == 1 and probe()

    return asked


def _reported(api: RunningProgram) -> int:
    days = {f"filter[{name}]": day for name, day in period_around_today().items()}
    rows = api.api("GET", "/3.0/stats/getbydate", days, key=KEY)["stats"]
    return sum(int(row["traffic"]["raw"]) for row in rows)


def read_books(place: Place, sent: SentTraffic, stories: list[OfferScenario], evidence: RunEvidence) -> None:
    """Add what the running program answers, and what SQL has."""
    evidence.clicks_acknowledged = sent.clicks
    evidence.clicks_unsure = sent.unsure
    evidence.actions_sent, evidence.actions_acknowledged = sent.actions, sent.acknowledged
    evidence.clicks_reported = _reported(place.api)
    evidence.audits = {each.name: _audit(each.program) for each in place.machines}
    with Database(database_of(place.api)) as database:
        evidence.left = queue_rows(database)
        found = _rows(database, "SELECT id, action_id, click_id, status, affiliate_id FROM conversion")
        evidence.conversions = [Conversion(*row[:4]) for row in found]
        paid = Counter(row[4] for row in found if row[3] == "confirmed")
        events = _rows(database, "SELECT conversion_id, status FROM conversion_event")
        evidence.reports = {(str(conversion), str(status)) for conversion, status in events}
        ledger: dict[int, Decimal] = {}
        for affiliate, available in _rows(database, "SELECT affiliate_id, available FROM ledger"):
            ledger[affiliate] = ledger.get(affiliate, Decimal(0)) + Decimal(available).scaleb(-_DIGITS)
    evidence.balances = {
        story.affiliate: (
            _plain(Decimal(str(story.balance()["available"].get("USD", 0)))),
            _plain(ledger.get(story.affiliate, Decimal(0))),
            _plain(PAYOUT * paid[story.affiliate]),
        )
        for story in stories
    }


def _audit(program: RunningProgram) -> str:
    done = program.command("audit", seconds=600)
    return "" if done.returncode == 0 else f"exit status {done.returncode}: {(done.stdout + done.stderr)[-600:]}"


def _plain(amount: Decimal) -> str:
    return f"{amount.normalize():f}"


def read_stores(place: Place, evidence: RunEvidence) -> None:
    """Add what journals and statistics have; the program does not run any more."""
    recorded: Counter[str] = Counter()
    for machine in place.edges:
        recorded.update(_recorded(machine.program.directory / "data" / "journal"))
    evidence.clicks_recorded = recorded
    api = place.api
    address = api.environment.get("TRACKYARD_ANALYTICS_URL") or f"chdb://{api.directory}/data/analytics"
    with closing(Analytics.open(address, limits=QueryLimits(seconds=300))) as store:
        counted = store.rows("SELECT id, count() FROM click GROUP BY id", {}, tuple[str, int])
        evidence.clicks_counted = dict(counted)
        facts = "SELECT conversion_id, sum(sign) FROM fact GROUP BY conversion_id"
        evidence.conversions_counted = dict(store.rows(facts, {}, tuple[str, int]))
        evidence.superseded = _superseded(store)
        verdicts = "SELECT argMax(response, revision) AS last FROM server_log GROUP BY id"
        counts = f"SELECT last, count() FROM ({verdicts}) GROUP BY last"
        evidence.verdicts = {text or "accepted": number for text, number in store.rows(counts, {}, tuple[str, int])}


def _superseded(store: Analytics) -> set[Report]:
    sql = "SELECT DISTINCT conversion_id, status FROM affiliate_log WHERE outcome = 'superseded'"
    numbers = {1: "confirmed", 2: "pending", 3: "declined", 5: "hold"}
    return {(conversion, numbers[status]) for conversion, status in store.rows(sql, {}, tuple[str, int])}


def _recorded(journal: Path) -> Iterator[str]:
    """Yield the id of each click of all journals of a directory."""
    for edge in segments.list_edges(journal):
        name, position = None, 0
        while (found := next_range(journal, edge, name, position, records=10_000)) is not None:
            name, position = found.journal, found.end
            yield from (decode_click(payload).id for _, kind, payload in found.frames if kind is RecordKind.CLICK)
