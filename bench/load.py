"""`script/bench load`: how fast clicks are loaded into the analytic store, and read by a report.

Loads ranges of clicks as large as the projector's when it comes late, for the asked time, then asks for a day by hour
and affiliate. One process, a chDB of its own. Keys: load_rows_s (click and look-up table, durable), report_rows_s
(rows of the period read a second), report_ms.
"""

import time

from bench.common import data_directory, open_analytics, options_of, print_figures
from tests.support.models.events import NOON, new_click
from trackyard.analytics.load import CATCH_UP_BATCH, click_item, load, lookup_item
from trackyard.analytics.reports.reports import run_report
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.reports import Report
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
    """Return the figures; the time to make clicks is not counted."""
    with data_directory() as home, open_analytics(home) as store:
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
    rows = ranges * CATCH_UP_BATCH
    return {
        "load_rows_s": round(rows / spent),
        "report_rows_s": round(rows / asked),
        "report_ms": round(asked * 1000, 1),
        "rows": rows,
    }


if __name__ == "__main__":
    options = options_of("load", __doc__, seconds=10)
    print_figures(measure(options.seconds), options)
