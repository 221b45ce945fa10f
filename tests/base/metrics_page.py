"""docs/metrics.md: every metric with its unit, labels and what to do, from the declarations.

usage: python -m tests.base.metrics_page
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from trackyard.base import metrics
from trackyard.base.metrics import machine, turns, watching
from trackyard.base.metrics.declarations import SECTIONS, MetricDeclaration

assert metrics and machine and turns and watching  # they declare

PAGE: Final = Path(__file__).parents[2] / "docs" / "metrics.md"
METRICS: Final = {metric.name: metric for section in SECTIONS for metric in section.metrics}
"""Every declaration by name."""

_LAST: Final = ("Strangers and turns of pages", "Comparisons and checks", "Machine and processes")
"""The sections at the end. Modules may be imported in any order."""
_HEAD: Final = """# Metrics

What `/metrics` of the monitoring listener shows ([operating](operating.md#watching-it)). Counters are of all processes
of the machine since the last start; Prometheus adds the labels `job` and `instance`. A histogram has `_bucket` (with
the label `le`), `_sum` and `_count`. An old name stays for one release, with a note in its HELP. The page is written by
`script/docs` from the declarations in `trackyard/base/metrics`.
"""


def page() -> str:
    """The page."""
    parts = [_HEAD]
    for section in sorted(SECTIONS, key=lambda each: _LAST.index(each.title) if each.title in _LAST else -1):
        parts.append(f"## {section.title}\n")
        parts += ["\n".join(_lines(metric)) + "\n" for metric in section.metrics]
    return "\n".join(parts)


def _lines(metric: MetricDeclaration) -> Iterator[str]:
    yield f"### {metric.name}"
    yield ""
    yield f"{metric.meaning}. {metric.kind.capitalize()} of {metric.unit}."
    yield ""
    for label in metric.labels:
        yield f"- `{label.name}`: {label.meaning}{':' if label.values else '.'}"
        yield from (f"  - `{value}`: {meaning}" for value, meaning in label.values.items())
    if metric.buckets:
        yield f"- Upper limits: {', '.join(f'{limit:g}' for limit in metric.buckets)}."
    yield f"- What to do: {metric.action}"
    if metric.alias is not None:
        renamed = [f"label `{old}` for `{new}`" for new, old in metric.alias.labels.items()]
        yield f"- {', '.join([f'Old name: `{metric.alias.name}`', *renamed])}."


if __name__ == "__main__":
    PAGE.write_text(page())
