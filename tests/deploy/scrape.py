"""A scrape of the running program against the declarations, the dashboard and the alert rules."""

from collections.abc import Iterator

from prometheus_client.parser import text_string_to_metric_families

from tests.base.metrics_page import METRICS
from tests.deploy.expressions import OF_PROMETHEUS, selectors
from tests.deploy.files import expressions

_OF_SCRAPE = {"job", "instance"}
WITH_REDIS = {"trackyard_redis_up"}
"""What only a machine with Redis shows; tests/cluster asks for it there."""


def unanswered(text: str) -> list[str]:
    """What expressions ask for and the scrape `text` has not: a metric, or a label of it."""
    labels: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels.setdefault(sample.name, set()).update(sample.labels)
    return [
        f"{name}: {each.name} {sorted(each.used_labels)}"
        for name, expression in expressions()
        for each in selectors(expression)
        if each.name not in OF_PROMETHEUS.keys() | WITH_REDIS
        and (each.name not in labels or each.used_labels - _OF_SCRAPE - labels[each.name])
    ]


def undeclared(text: str) -> list[str]:
    """Samples of the scrape `text` with a name, label or value that no declaration has."""
    old = {metric.alias.name: metric for metric in METRICS.values() if metric.alias is not None}
    return [
        fault
        for family in text_string_to_metric_families(text)
        for fault in _faults(family.name, METRICS | old, [sample.labels for sample in family.samples])
    ]


def _faults(name: str, known: dict[str, object], samples: list[dict[str, str]]) -> Iterator[str]:
    metric = METRICS.get(name) or METRICS.get(f"{name}_total")
    if metric is None:
        if not known.keys() & {name, f"{name}_total"}:
            yield f"{name} is not declared"
        return
    listed = {label.name: label.values for label in metric.labels}
    for labels in samples:
        for label, value in labels.items():
            if label not in listed and (label != "le" or not metric.buckets):
                yield f"{name} has the label {label}"
            elif listed.get(label) and value not in listed[label]:
                yield f"{name} has the value {value} of {label}"
