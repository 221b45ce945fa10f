"""Metrics of what the program compares and checks by itself."""

from typing import Final

from trackyard.base.metrics.declarations import MetricLabel, MetricSection

_watching: Final = MetricSection("Comparisons and checks")

COMPARISONS: Final = _watching.counter(
    "trackyard_comparisons_total",
    "files",
    "Files of advertisers and affiliates that were compared with conversions, or refused",
    "Many `refused`: the answer of each names the row, the column or the sheet; see "
    "[comparisons](spec/conversions.md#comparisons).",
    MetricLabel("side", "sender of the file", {"advertiser": "an advertiser", "affiliate": "an affiliate"}),
    MetricLabel("outcome", "how it ended", {"compared": "it was compared", "refused": "it could not be read"}),
)
URL_CHECKS: Final = _watching.counter(
    "trackyard_url_checks_total",
    "checks",
    "Checks of the URLs of active offers, by outcome",
    "`failed` and `lost_click`: `GET /admin/findings` names the offers. When all fail, this machine does not reach "
    "other hosts. No check for a day: look at `trackyard_task_failures_total` of the task `urls`.",
    MetricLabel(
        "outcome",
        "how it ended",
        {
            "reached": "a page answered",
            "failed": "no page answered, or with an error",
            "lost_click": "a page answered, and redirects lost the click id",
        },
    ),
)
