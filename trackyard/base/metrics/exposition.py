"""The text of `/metrics`, and what processes of this machine reported last."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector
from prometheus_client.samples import Sample

from trackyard.base.metrics.declarations import SECTIONS, MetricDeclaration
from trackyard.base.metrics.machine import FILES_SKIPPED
from trackyard.base.metrics.shared_files import DIRECTORY_VARIABLE, SharedReading, read_shared_values


class ProcessStates(NamedTuple):
    """What the processes of this machine last reported.

    queue_lags: seconds by queue. `journal` is the lag of the slowest edge
    ruleset_ages: seconds by edge
    edge_faults: keys of EDGE_FAULTS
    redis_lost: an edge that shares its state cannot reach Redis
    api_redis_lost: the API cannot reach Redis
    """

    queue_lags: dict[str, float]
    ruleset_ages: dict[str, float]
    edge_faults: list[str]
    redis_lost: bool
    api_redis_lost: bool = False


def render_metrics(collectors: Sequence[Collector] = ()) -> tuple[bytes, str]:
    """Return the metrics of all processes of this machine, also under old names, and the content type.

    collectors: collect metrics that are read now.
    """
    registry = CollectorRegistry()
    for collector in (_Reported(), *collectors):
        registry.register(collector)
    return generate_latest(registry), CONTENT_TYPE_LATEST


def read_states() -> ProcessStates:
    """Return the last reported state of the processes.

    It reads the files of all processes: never call it in the loop of an edge.
    """
    lags: dict[str, float] = {}
    ages: dict[str, float] = {}
    faults = set()
    redis_lost = api_redis_lost = False
    for family in _read_reported().families:
        for sample in family.samples:
            if sample.name == _QUEUE_LAG:
                lags[sample.labels["queue"]] = sample.value
            elif sample.name == _JOURNAL_LAG:
                lags["journal"] = max(lags.get("journal", 0.0), sample.value)
            elif sample.name == _RULESET_AGE:
                ages[sample.labels["edge"]] = sample.value
            elif sample.name == _REDIS_UP and not sample.value:
                redis_lost = True
            elif sample.name == _API_REDIS_UP and not sample.value:
                api_redis_lost = True
            elif sample.name == _EDGE_FAULT and sample.value:
                faults.add(sample.labels["fault"])
    return ProcessStates(lags, ages, sorted(faults), redis_lost, api_redis_lost)


_QUEUE_LAG: Final = "trackyard_queue_lag_seconds"
_JOURNAL_LAG: Final = "trackyard_journal_lag_seconds"
_RULESET_AGE: Final = "trackyard_ruleset_age_seconds"
_EDGE_FAULT: Final = "trackyard_edge_fault"
_REDIS_UP: Final = "trackyard_redis_up"
_API_REDIS_UP: Final = "trackyard_api_redis_up"


class _Reported(Collector):
    """The metrics that processes report, each renamed metric under its old and its new name."""

    def collect(self) -> Iterator[Family]:
        renamed = {
            metric.name.removesuffix("_total"): metric
            for section in SECTIONS
            for metric in section.metrics
            if metric.alias is not None
        }
        reading = _read_reported()
        for family in reading.families:
            yield family
            if family.name in renamed:
                yield _under_old_name(family, renamed[family.name])
        skipped = FILES_SKIPPED.family()
        skipped.add_metric([], reading.skipped)
        yield skipped


def _read_reported() -> SharedReading:
    directory = os.environ.get(DIRECTORY_VARIABLE)
    return SharedReading(REGISTRY.collect(), 0) if not directory else read_shared_values(Path(directory))


def _under_old_name(family: Family, metric: MetricDeclaration) -> Family:
    """Return a family under its old name, with its labels' old names and values."""
    alias = metric.alias
    assert alias is not None
    old = alias.name.removesuffix("_total")
    renamed = Family(old, f"Deprecated, use {metric.name}: {family.documentation}", family.type)
    for sample in family.samples:
        labels = {alias.labels.get(name, name): alias.values.get(value, value) for name, value in sample.labels.items()}
        renamed.samples.append(Sample(sample.name.replace(family.name, old, 1), labels, sample.value))
    return renamed
