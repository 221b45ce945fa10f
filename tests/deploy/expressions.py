"""What expressions of PromQL ask for: metrics, labels, functions, thresholds."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

import promql_parser as promql

from tests.base.metrics_page import METRICS
from trackyard.base.metrics.declarations import MetricDeclaration

OF_PROMETHEUS: Final = {"up": ("job", "instance")}
"""Metrics that Prometheus makes itself, with their labels."""
_ADDED: Final = ("job", "instance")
_PARTS: Final = ("_bucket", "_sum", "_count")
_COMPARISONS: Final = (">", "<", "==", ">=", "<=")


@dataclass(frozen=True)
class Selector:
    """One metric in an expression.

    matchers: (label, operator, value).
    functions: around it, the inmost first; range: of `[5m]`, None = an instant.
    grouping: labels of `by` around it.
    """

    name: str
    matchers: tuple[tuple[str, str, str], ...]
    functions: tuple[str, ...]
    range: timedelta | None
    grouping: tuple[str, ...]

    @property
    def metric(self) -> MetricDeclaration | None:
        """The declaration; None for a metric of Prometheus or an unknown one."""
        if self.name in METRICS and METRICS[self.name].kind != "histogram":
            return METRICS[self.name]
        found = [METRICS.get(self.name.removesuffix(part)) for part in _PARTS if self.name.endswith(part)]
        return next((each for each in found if each is not None and each.kind == "histogram"), None)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that its series have once Prometheus stored them."""
        if self.name in OF_PROMETHEUS:
            return OF_PROMETHEUS[self.name]
        assert self.metric is not None, f"{self.name} is not declared"
        le = ("le",) if self.name.endswith("_bucket") else ()
        return (*self.metric.label_names, *_ADDED, *le)

    @property
    def used_labels(self) -> set[str]:
        """The labels that the expression names."""
        return {label for label, _, _ in self.matchers} | set(self.grouping)


def plain(expression: str) -> str:
    """An expression of a dashboard with its variables filled in."""
    return expression.replace("$__rate_interval", "1m").replace("$instance", ".*")


def selectors(expression: str) -> list[Selector]:
    """Every metric in an expression. Raises ValueError for one that does not parse."""
    return list(_selectors(promql.parse(plain(expression)), (), ()))


def thresholds(expression: str) -> list[tuple[str, float]]:
    """The comparisons with a number in an expression: (operator, number)."""
    found: list[tuple[str, float]] = []

    def visit(node: Any) -> bool:
        if isinstance(node, promql.BinaryExpr) and str(node.op) in _COMPARISONS:
            assert isinstance(node.rhs, promql.NumberLiteral), "a threshold is on the right"
            found.append((str(node.op), node.rhs.val))
        return True

    promql.walk(promql.parse(plain(expression)), visit)
    return found


def _selectors(node: Any, functions: tuple[str, ...], grouping: tuple[str, ...]) -> Iterator[Selector]:
    if isinstance(node, promql.VectorSelector | promql.MatrixSelector):
        vector = node if isinstance(node, promql.VectorSelector) else node.vector_selector
        matchers = tuple((each.name, _operator(each.op), each.value) for each in vector.matchers.matchers)
        span = node.range if isinstance(node, promql.MatrixSelector) else None
        yield Selector(vector.name or "", matchers, functions, span, grouping)
    elif isinstance(node, promql.Call):
        for argument in node.args:
            yield from _selectors(argument, (node.func.name, *functions), grouping)
    elif isinstance(node, promql.AggregateExpr):
        assert node.modifier is None or node.modifier.type == promql.AggModifierType.By
        by = () if node.modifier is None else tuple(node.modifier.labels)
        yield from _selectors(node.expr, (str(node.op), *functions), (*by, *grouping))
    elif isinstance(node, promql.BinaryExpr):
        yield from _selectors(node.lhs, functions, grouping)
        yield from _selectors(node.rhs, functions, grouping)
    elif isinstance(node, promql.ParenExpr | promql.UnaryExpr):
        yield from _selectors(node.expr, functions, grouping)
    else:
        assert isinstance(node, promql.NumberLiteral), f"{node} is not expected"


def _operator(op: promql.MatchOp) -> str:
    names = ((promql.MatchOp.Equal, "="), (promql.MatchOp.NotEqual, "!="), (promql.MatchOp.Re, "=~"))
    return next((name for known, name in names if op == known), "!~")
