"""`script/bench load`: how fast clicks are loaded into the analytic store, and read by a report.

Loads ranges of clicks as large as the projector's when it comes late, for the asked time, then asks for a day by hour
and affiliate. One process, a chDB of its own. Keys: load_rows_s (click and look-up table, durable), report_rows_s
(rows of the period read a second), report_ms.
"""

import argparse
import json
import sys
import tempfile
import time

from trackyard.analytics.reports.query import Report

from tests.support.models.events import NOON, new_click
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.engine.schema import migrate
from trackyard.analytics.load import CATCH_UP_BATCH, click_item, load, lookup_item
from trackyard.analytics.reports.reports import run_report
from trackyard.domain.people.scope import Scope
from trackyard.journal.records import encode

_AGENT = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Mobile"


def _payloads(number: int) -> list[bytes]:
    return [
        encode(
            new_click(
                place,
                time=NOON + place % 86_400_000,
                affiliate=place % 500,
                offer=place % 2000,
                ua=_AGENT,
                sub1=f"s{place % 1000}",
                ip=f"192.0.2.{place % 250}",
            )
        )
        for place in range(number * CATCH_UP_BATCH, (number + 1) * CATCH_UP_BATCH)
    ]


def measure(seconds: float) -> dict[str, float]:
    """The figures. Making the clicks is not counted."""
    with tempfile.TemporaryDirectory() as name:
        store = Analytics.open(f"chdb://{name}/analytics")
        migrate(store)
        spent, ranges = 0.0, 0
        while spent < seconds:
            payloads = _payloads(ranges)
            begun = time.monotonic()
            items = [click_item("001-1700049600000", place, payload) for place, payload in enumerate(payloads)]
            load(store, "click", items, f"range {ranges}")
            load(store, "click_lookup", [lookup_item(payload) for payload in payloads], f"range {ranges}")
            spent += time.monotonic() - begun
            ranges += 1
        report = Report(Scope.everything(), NOON, NOON + 86_400_000, ("hour", "affiliate"), zone="Asia/Kathmandu")
        begun = time.monotonic()
        run_report(store, report)
        asked = time.monotonic() - begun
        store.close()
    rows = ranges * CATCH_UP_BATCH
    return {
        "load_rows_s": round(rows / spent),
        "report_rows_s": round(rows / asked),
        "report_ms": round(asked * 1000, 1),
        "rows": rows,
    }


def main() -> int:
    """Measure loading."""
    parser = argparse.ArgumentParser(prog="script/bench load", description=__doc__)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--json", action="store_true", help="the figures as one JSON object on the last line")
    options = parser.parse_args()
    figures = measure(options.seconds)
    for name, value in figures.items():
        print(f"{name:>16} {value}")
    if options.json:
        print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
