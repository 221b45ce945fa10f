"""The declaration of a metric, from which docs/metrics.md and old names are generated.

Names follow the conventions of Prometheus: the unit is in the name, in base units (seconds, bytes), and counters end
with `_total`. Labels have few values. No label is named `job` or `instance`: Prometheus adds them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Final, Literal

from prometheus_client import Counter, Gauge, Histogram
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily

from trackyard.base.metrics.shared_files import share_values

Kind = Literal["counter", "gauge", "histogram"]

share_values()


@dataclass(frozen=True, slots=True)
class MetricLabel:
    """A label of a metric.

    meaning: a phrase, which may link to pages as docs/metrics.md does.
    values: every value with its meaning; empty where the meaning explains the values.
    """

    name: str
    meaning: str
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OldName:
    """The old name of a metric, which stays for one release.

    labels: old names of labels, by the new ones.
    values: old values of labels, by the new ones.
    """

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MetricDeclaration:
    """The declaration of a metric.

    name: as Prometheus shows it.
    unit: what the number counts.
    meaning: a sentence without its full stop.
    action: sentences, what to do when it changes.
    buckets: upper limits of a histogram.
    """

    name: str
    kind: Kind
    unit: str
    meaning: str
    action: str
    labels: tuple[MetricLabel, ...] = ()
    alias: OldName | None = None
    buckets: tuple[float, ...] = ()

    @property
    def label_names(self) -> list[str]:
        """Return the names of the metric's labels."""
        return [label.name for label in self.labels]

    def family(self) -> CounterMetricFamily | GaugeMetricFamily:
        """Return an empty family for a collector that reads the values at a scrape."""
        if self.kind == "counter":
            return CounterMetricFamily(self.name, self.meaning, labels=self.label_names)
        return GaugeMetricFamily(self.name, self.meaning, labels=self.label_names)


class BatchHistogram(Histogram):
    """A histogram that takes many observations at once."""

    def add(self, counts: Sequence[int], total: float) -> None:
        """Add observations that were counted elsewhere.

        counts: one number a bucket, the last for what is over all limits.
        total: the sum of the observed values.
        """
        for bucket, count in zip(self._buckets, counts, strict=True):
            if count:
                bucket.inc(count)
        self._sum.inc(total)


@dataclass(slots=True)
class MetricSection:
    """Metrics with one heading of docs/metrics.md; the methods declare one each."""

    title: str
    metrics: list[MetricDeclaration] = field(default_factory=list)

    def __post_init__(self) -> None:
        SECTIONS.append(self)

    def counter(
        self, name: str, unit: str, meaning: str, action: str, *labels: MetricLabel, alias: OldName | None = None
    ) -> Counter:
        """Declare and return a counter. Series of listed values are there from the start, at 0."""
        metric = self._add(MetricDeclaration(name, "counter", unit, meaning, action, labels, alias))
        made = Counter(name, meaning, metric.label_names)
        if labels and all(label.values for label in labels):
            for values in product(*(label.values for label in labels)):
                made.labels(*values)
        return made

    def gauge(
        self, name: str, unit: str, meaning: str, action: str, *labels: MetricLabel, alias: OldName | None = None
    ) -> Gauge:
        """Declare and return a gauge: of several processes the one that set it last counts."""
        metric = self._add(MetricDeclaration(name, "gauge", unit, meaning, action, labels, alias))
        return Gauge(name, meaning, metric.label_names, multiprocess_mode="mostrecent")

    def histogram(
        self,
        name: str,
        meaning: str,
        action: str,
        *labels: MetricLabel,
        buckets: tuple[float, ...],
        alias: OldName | None = None,
    ) -> BatchHistogram:
        """Declare and return a histogram of seconds."""
        metric = self._add(MetricDeclaration(name, "histogram", "seconds", meaning, action, labels, alias, buckets))
        return BatchHistogram(name, meaning, metric.label_names, buckets=buckets)

    def collected(
        self, kind: Kind, name: str, unit: str, meaning: str, action: str, *labels: MetricLabel
    ) -> MetricDeclaration:
        """Declare and return a metric that is read when it is scraped."""
        return self._add(MetricDeclaration(name, kind, unit, meaning, action, labels))

    def _add(self, metric: MetricDeclaration) -> MetricDeclaration:
        self.metrics.append(metric)
        return metric


SECTIONS: Final[list[MetricSection]] = []
"""Every declaration of the modules that were imported, in the order of docs/metrics.md."""
