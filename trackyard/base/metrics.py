"""Every metric of the program. `/metrics` of the monitoring listener shows those of all processes.

Processes of one machine share them through files (PROMETHEUS_MULTIPROC_DIR, set before this module is imported).
"""

import os
from typing import Final, NamedTuple

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

CLICKS = Counter("trackyard_clicks", "Clicks decided, by rejection reason (empty = accepted)", ["reason"])
POSTBACKS = Counter("trackyard_calls", "Inbound postbacks recorded")
CONNECTIONS_DROPPED = Counter(
    "trackyard_connections_dropped", "Connections closed at once, over a limit of connections", ["listener"]
)
UNRECORDED = Counter(
    "trackyard_unrecorded",
    "Requests of strangers answered and not recorded, by kind: click, impression, postback",
    ["kind"],
)
EDGE_REQUESTS = Counter("trackyard_edge_requests", "Requests of the tracking listener", ["path", "status"])
RULESET_VERSION = Gauge(
    "trackyard_rule_version", "Version of the ruleset in memory", ["edge"], multiprocess_mode="mostrecent"
)
RULESET_AGE = Gauge(
    "trackyard_rules_age_seconds",
    "Time since the source last confirmed that the ruleset is the newest",
    ["edge"],
    multiprocess_mode="mostrecent",
)
EDGE_FAULT = Gauge(
    "trackyard_edge_fault", "1 while an edge answers 503, by fault", ["edge", "fault"], multiprocess_mode="mostrecent"
)

API_REQUESTS = Counter("trackyard_api_requests", "Requests of the API", ["method", "path", "status"])
SIGN_INS = Counter(
    "trackyard_sign_ins", "Attempts to sign in by outcome: accepted, wrong, throttled, second_factor", ["outcome"]
)
API_SECONDS = Histogram("trackyard_api_seconds", "Time an API request took", ["path"])

LOADED_ROWS = Counter("trackyard_loaded_rows", "Rows loaded into the analytic store", ["table"])
LOAD_SECONDS = Histogram("trackyard_load_seconds", "Time of one load into the analytic store", ["table"])
REBUILT_ROWS = Counter("trackyard_rebuilt_rows", "Rows written by rebuilds", ["table"])
REBUILDS = Counter("trackyard_rebuilds", "Rebuilds by how they ended", ["stage"])
ROWS_EMPTIED = Counter("trackyard_rows_emptied", "Rows from which personal data was emptied", ["table"])
ROWS_DROPPED = Counter("trackyard_rows_dropped", "Rows of the analytic store that were too old", ["table"])
JOURNALS_COMPRESSED = Counter("trackyard_journals_packed", "Finished journals that were compressed")
JOURNALS_REWRITTEN = Counter("trackyard_journals_rewritten", "Compressed journals from which erased data was removed")
JOURNALS_REMOVED = Counter("trackyard_journals_removed", "Compressed journals that were too old")
JOURNAL_LAG = Gauge(
    "trackyard_journal_lag_seconds",
    "Age of the oldest journal record not loaded",
    ["edge"],
    multiprocess_mode="mostrecent",
)
JOURNAL_GAPS = Counter("trackyard_journal_gaps", "Damaged places found in journals")
RECORDS_QUARANTINED = Counter(
    "trackyard_records_aside", "Records that could not be loaded, kept in damaged/", ["queue"]
)
QUEUE_DEPTH = Gauge("trackyard_queue_depth", "Rows waiting in a queue", ["queue"], multiprocess_mode="mostrecent")
QUEUE_LAG = Gauge(
    "trackyard_queue_lag_seconds",
    "Age of the oldest row due in a queue",
    ["queue"],
    multiprocess_mode="mostrecent",
)

POSTBACKS_DECIDED = Counter("trackyard_calls_decided", "Inbound postbacks by fault (empty = took effect)", ["response"])
DELIVERIES = Counter("trackyard_deliveries", "Attempts of outbound postbacks by outcome", ["outcome"])
PARALLEL_REQUESTS = Counter("trackyard_parallel_calls", "Requests to parallel_tracking_url by outcome", ["outcome"])
MAILS = Counter("trackyard_mails", "Attempts to send a mail by outcome", ["outcome"])
DELIVERY_SECONDS = Histogram("trackyard_delivery_seconds", "Time of one attempt of an outbound postback")


EDGE_FAULTS: Final = {"journal": "the journal is not writable", "rules": "no rules were read yet"}
"""The faults of an edge, in words."""


def render_metrics() -> tuple[bytes, str]:
    """Return the metrics of all processes of this machine and their content type."""
    return generate_latest(_registry()), CONTENT_TYPE_LATEST


class ProcessStates(NamedTuple):
    """What the processes of this machine last reported.

    queue_lags: seconds by queue; `journal` = of the slowest edge
    ruleset_ages: seconds by edge
    edge_faults: keys of EDGE_FAULTS
    """

    queue_lags: dict[str, float]
    ruleset_ages: dict[str, float]
    edge_faults: list[str]


def read_states() -> ProcessStates:
    """Return what the processes last reported.

    It reads the files of all of them: never in the loop of an edge.
    """
    states = ProcessStates({}, {}, [])
    faults = set()
    for metric in _registry().collect():
        for sample in metric.samples:
            if sample.name == "trackyard_queue_lag_seconds":
                states.queue_lags[sample.labels["queue"]] = sample.value
            elif sample.name == "trackyard_journal_lag_seconds":
                states.queue_lags["journal"] = max(states.queue_lags.get("journal", 0.0), sample.value)
            elif sample.name == "trackyard_rules_age_seconds":
                states.ruleset_ages[sample.labels["edge"]] = sample.value
            elif sample.name == "trackyard_edge_fault" and sample.value:
                faults.add(sample.labels["fault"])
    states.edge_faults.extend(sorted(faults))
    return states


def _registry() -> CollectorRegistry:
    if not os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        return REGISTRY
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return registry
