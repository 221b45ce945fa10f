"""One table of metrics: each word is one number everywhere (docs/spec/statistics.md#metrics)."""

from decimal import Decimal
from pathlib import Path
from typing import get_type_hints

import pytest

from trackyard.api.statistics.rows import FIELD_NAMES, StatsRowView
from trackyard.base.texts.marks import source_of
from trackyard.commands.report.metrics import METRICS as COMMAND_METRICS
from trackyard.domain.statistics.metrics import (
    FIELDS_OF_ROWS,
    METRIC_BY_NAME,
    METRICS,
    MetricDirection,
    MetricSums,
    Unit,
)

SUMS = MetricSums(
    clicks=200, unique=150, rejected=50, impressions=4000, conversions=10, confirmed=5, pending=3, hold=2, declined=4,
    charge=Decimal(100), payout=Decimal(60), confirmed_charge=Decimal(50), confirmed_payout=Decimal(30),
    pending_charge=Decimal(28), pending_payout=Decimal(17), hold_charge=Decimal(22), hold_payout=Decimal(13),
    declined_charge=Decimal(45), declined_payout=Decimal(26),
    cost=Decimal(16), clickless=4, clickless_payout=Decimal(20), clickless_confirmed=1,
    clickless_confirmed_payout=Decimal(6),
)  # fmt: skip
VALUES = {
    # The name: its value, and the value in rows of the API.
    "clicks": (200, 200), "unique": (150, 150), "impressions": (4000, 4000), "conversions": (10, 10),
    "confirmed": (5, 5), "pending": (3, 3), "hold": (2, 2), "declined": (4, 4), "rejected": (50, 50),
    "without_click": (4, 4), "total_epc": ("0.15", "0.15"), "cr": ("0.03", 3), "ctr": ("0.05", 5),
    "charge": (100, 100), "payout": (60, 60), "margin": (40, 40),
    "confirmed_charge": (50, 50), "confirmed_payout": (30, 30), "confirmed_margin": (20, 20),
    "pending_charge": (28, 28), "pending_payout": (17, 17), "pending_margin": (11, 11),
    "hold_charge": (22, 22), "hold_payout": (13, 13), "hold_margin": (9, 9),
    "declined_charge": (45, 45), "declined_payout": (26, 26), "declined_margin": (19, 19),
    "margin_share": ("0.4", 40), "epc": ("0.12", "0.12"), "ecpm": ("7.5", "7.5"), "cost": (16, 16),
    "confirmed_profit": (4, 4), "confirmed_roi": ("0.25", 25), "expected_profit": (24, 24),
    "expected_roi": ("1.5", 150), "expected_epc": ("0.2", "0.2"),
}  # fmt: skip


@pytest.mark.parametrize("metric", METRICS, ids=lambda each: each.name)
def test_metric_of_sums_is_its_value(metric: object) -> None:
    found = METRIC_BY_NAME[metric.name]  # type: ignore[attr-defined]
    value, in_rows = (Decimal(str(each)) for each in VALUES[found.name])
    assert (found.value(SUMS), found.in_rows(SUMS)) == (value, in_rows)


def test_metric_of_nothing_is_nothing_and_zero_in_rows() -> None:
    assert VALUES.keys() == {metric.name for metric in METRICS} and len(METRICS) >= 25
    of_nothing = {metric.value(MetricSums()) for metric in METRICS if metric.per is not None}
    assert of_nothing == {None}
    assert {metric.in_rows(MetricSums()) for metric in METRICS} == {Decimal(0)}


def test_metric_names_are_unique() -> None:
    names = [name for metric in METRICS for name in (metric.name, *metric.old)]
    assert len(names) == len(set(names)) == len(METRIC_BY_NAME)
    labels = [str(metric.label) for metric in METRICS]
    assert len(labels) == len(set(labels)), "two metrics with one word"


def test_metric_is_a_field_of_rows_and_a_metric_of_the_command_line() -> None:
    hints = get_type_hints(StatsRowView)
    fields = [column.name for _, column in FIELDS_OF_ROWS]
    assert set(fields) <= set(FIELD_NAMES) <= hints.keys() and len(fields) >= 8
    assert METRIC_BY_NAME.keys() <= COMMAND_METRICS.keys()


def test_metric_that_is_a_difference_is_the_difference_of_its_sums() -> None:
    seen = [metric for metric in METRICS if metric.less]
    for metric in seen:
        first, *others = (getattr(SUMS, name) for name in metric.less)
        assert metric.value(SUMS) == first - sum(others) and metric.unit is Unit.MONEY
    assert len(seen) == 7


def test_metric_by_sums_of_two_rows_is_that_of_all() -> None:
    both = SUMS + SUMS
    assert both - SUMS == SUMS
    for metric in METRICS:
        value = metric.value(SUMS)
        assert value is not None and metric.value(both) == (2 * value if metric.adds_up else value), metric.name
        assert metric.direction in MetricDirection


def test_metrics_are_those_of_the_document() -> None:
    text = (Path(__file__).parents[3] / "docs" / "spec" / "statistics.md").read_text()
    table = text.partition("## Metrics")[2].partition("## Rates")[0]
    rows = [
        [cell.strip().replace("`", "") for cell in line.split("|")[1:-1]] for line in table.splitlines() if "|" in line
    ]
    found = {row[0]: (row[1], row[3], row[4]) for row in rows[2:]}
    assert found == {
        metric.name: (source_of(metric.label), metric.field.name if metric.field else "", ", ".join(metric.old))
        for metric in METRICS
    }
