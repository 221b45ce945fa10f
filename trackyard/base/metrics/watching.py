"""Metrics of what the program compares and checks by itself."""

from typing import Final

from trackyard.base.metrics.declarations import MetricLabel, MetricSection

_watching: Final = MetricSection("Comparisons and checks")

COMPARISONS: Final = _watching.counter(
    "trackyard_comparisons_total",
    "files",
    "Files of advertisers and affiliates that were compared with conversions, or refused",
    "Many `refused`: the answer of each has the row, the column or the sheet; see "
    "[comparisons](spec/conversions.md#comparisons).",
    MetricLabel("side", "sender of the file", {"advertiser": "an advertiser", "affiliate": "an affiliate"}),
    MetricLabel("outcome", "how it ended", {"compared": "it was compared", "refused": "it could not be read"}),
)
URL_CHECKS: Final = _watching.counter(
    "trackyard_url_checks_total",
    "checks",
    "Checks of the URLs of active offers, by outcome",
    "`failed` and `lost_click`: `GET /admin/findings` lists the offers. When all fail, this machine does not reach "
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
FEED_READS: Final = _watching.counter(
    "trackyard_feed_reads_total",
    "readings",
    "Readings of product feeds from their URLs, by outcome",
    "`failed`: the page of each feed has its last error, as does `last_error` of `GET /admin/product-feeds`. When "
    "all fail, this machine does not reach other hosts. No reading for a week: look at "
    "`trackyard_task_failures_total` of the task `feeds`.",
    MetricLabel(
        "outcome",
        "how it ended",
        {
            "replaced": "the products were replaced",
            "unchanged": "the server said that the file is the same",
            "failed": "no file was read, or one with a fault; the products stay",
        },
    ),
)
REPAIRED_PARTS: Final = _watching.counter(
    "trackyard_repaired_parts_total",
    "parts",
    "Parts of statistics that chDB could not write whole to a full disk, and that were repaired",
    "Add space. `lost`: rows of an insert are loaded again from the journal; run `trackyard audit` to see whether "
    "others are missing, and `trackyard rebuild` if so.",
    MetricLabel(
        "outcome",
        "what became of its rows",
        {"replaced": "the parts that it was merged from took its place", "lost": "there were no such parts"},
    ),
)
RULE_RUNS: Final = _watching.counter(
    "trackyard_rule_runs_total",
    "windows",
    "Windows that rules were run on",
    "`failed`: a rule could not run. The findings say which and why: `trackyard doctor`.",
    MetricLabel("result", "how it ended", {"judged": "the rule was judged", "failed": "the rule could not run"}),
)
RULE_FIRINGS: Final = _watching.counter(
    "trackyard_rule_firings_total",
    "firings",
    "What rules found, each once",
    "Many at once: look at the page Rules of the console, where each can be undone.",
    MetricLabel("action", "what the rule does, as in the API"),
)
