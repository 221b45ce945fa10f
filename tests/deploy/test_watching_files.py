"""Alert rules and dashboard ask for metrics and labels that the program has."""

import re
from collections import Counter
from typing import Any, Final

import promql_parser as promql
import pytest

from tests.base.metrics_page import METRICS
from tests.deploy.expressions import OF_PROMETHEUS, Selector, selectors, thresholds
from tests.deploy.files import ALERTS, DASHBOARD, PANELS, PROMETHEUS, RULES, expressions
from trackyard.domain.tracking.ruleset import RULESET_STALE_S
from trackyard.edge.record_limits import MIN_FREE_SHARE
from trackyard.runtime.monitoring.readiness import LATE_COPY_SECONDS, STALLED_SECONDS
from trackyard.runtime.settings import SETTINGS

EACH_EXPRESSION: Final = pytest.mark.parametrize(
    ("name", "expression"), [pytest.param(name, text, id=name) for name, text in expressions()]
)
EACH_ALERT: Final = pytest.mark.parametrize("rule", ALERTS.values(), ids=ALERTS)
OF_COUNTERS: Final = {"rate", "increase", "irate"}
OF_GAUGES: Final = {"changes", "predict_linear", "delta", "deriv"}
LIMITS: Final = {
    "TrackyardRulesetStale": [(">", RULESET_STALE_S)],
    "TrackyardProjectorStalled": [(">", STALLED_SECONDS)],
    "TrackyardJournalCopyLate": [(">", LATE_COPY_SECONDS)],
    "TrackyardDiskFull": [("<", MIN_FREE_SHARE)],
    "TrackyardDiskLow": [("<", 2 * MIN_FREE_SHARE)],
}
"""Thresholds that are limits of the program, or a multiple."""
_LABEL: Final = re.compile(r"\$labels\.(\w+)|\{\{\s*(\w+)\s*\}\}")


def seconds(duration: str) -> float:
    return promql.parse_duration(duration).total_seconds()


def scrape_seconds() -> float:
    return seconds(PROMETHEUS["global"]["scrape_interval"])


@EACH_EXPRESSION
def test_watching_expression_names_declared_metrics_and_labels(name: str, expression: str) -> None:
    found = selectors(expression)
    assert found
    for each in found:
        assert each.used_labels <= set(each.labels), each.name
        assert each.name in OF_PROMETHEUS or each.metric is not None


@EACH_EXPRESSION
def test_watching_expression_matches_values_that_exist(name: str, expression: str) -> None:
    for each in selectors(expression):
        values = {} if each.metric is None else {label.name: label.values for label in each.metric.labels}
        for label, operator, value in each.matchers:
            if listed := values.get(label):
                matched = [known for known in listed if re.fullmatch(value, known)]
                assert matched and len(matched) < len(listed), f"{label}{operator}{value} of {each.name}"


@EACH_EXPRESSION
def test_watching_expression_uses_functions_on_their_kind_of_metric(name: str, expression: str) -> None:
    for each in selectors(expression):
        if each.metric is None:
            continue
        gauge, inmost = each.metric.kind == "gauge", set(each.functions[:1])
        assert not inmost & (OF_COUNTERS if gauge else OF_GAUGES), each.name
        assert gauge or (inmost <= OF_COUNTERS and inmost), f"{each.name} only rises: ask for its rate"
        assert ("histogram_quantile" in each.functions) == each.name.endswith("_bucket")
        assert not each.name.endswith("_bucket") or "le" in each.grouping


@EACH_ALERT
def test_alert_rule_is_complete(rule: dict[str, Any]) -> None:
    assert rule.keys() <= {"alert", "expr", "for", "labels", "annotations"}
    assert re.fullmatch(r"Trackyard[A-Z]\w+", rule["alert"])
    assert rule["labels"]["severity"] in ("critical", "warning")
    texts = rule["annotations"]
    assert texts.keys() == {"summary", "description", "metric"}
    assert texts["description"].endswith(".") and not texts["summary"].endswith(".")
    named = selectors(rule["expr"])
    assert texts["metric"] in OF_PROMETHEUS or texts["metric"] in METRICS
    assert any(each.name.startswith(texts["metric"]) for each in named)
    shown = {label for match in _LABEL.findall(texts["summary"] + texts["description"]) for label in match if label}
    assert shown <= _kept(named[0])
    for setting in re.findall(r"TRACKYARD_([A-Z_]+)", texts["description"]):
        assert setting.lower() in SETTINGS


@EACH_ALERT
def test_alert_rule_has_time_for_several_scrapes(rule: dict[str, Any]) -> None:
    spans = [each.range.total_seconds() for each in selectors(rule["expr"]) if each.range is not None]
    assert all(span >= 4 * scrape_seconds() for span in spans)
    if "for" in rule:
        assert seconds(rule["for"]) >= 2 * scrape_seconds()
    else:
        assert spans, "a single scrape must not raise an alert"


@EACH_ALERT
def test_alert_rule_has_a_threshold_that_its_metric_can_pass(rule: dict[str, Any]) -> None:
    limits = thresholds(rule["expr"])
    assert limits
    for each in selectors(rule["expr"]):
        if each.metric is not None and each.metric.buckets:
            (limit,) = [number for _, number in limits]
            assert limit in each.metric.buckets[:-1], "a quantile is exact at the limit of a bucket"
    if rule["alert"] in LIMITS:
        assert limits == LIMITS[rule["alert"]]


def test_alert_rules_and_groups_have_unique_names() -> None:
    names = [rule["alert"] for group in RULES["groups"] for rule in group["rules"]]
    groups = [group["name"] for group in RULES["groups"]]
    assert len(set(names)) == len(names) and len(set(groups)) == len(groups)
    assert LIMITS.keys() <= set(names)
    assert PROMETHEUS["rule_files"] == ["rules.yml"]
    assert [job["job_name"] for job in PROMETHEUS["scrape_configs"]] == ["trackyard"]
    (target,) = PROMETHEUS["scrape_configs"][0]["static_configs"][0]["targets"]
    assert target == SETTINGS["monitoring_listen"].default


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel["title"])
def test_dashboard_panel_is_complete(panel: dict[str, Any]) -> None:
    assert panel["title"] and panel["description"].endswith(".")
    assert panel["fieldConfig"]["defaults"]["unit"]
    assert panel["datasource"]["uid"] == "${datasource}"
    assert len({target["refId"] for target in panel["targets"]}) == len(panel["targets"]) > 0
    for target in panel["targets"]:
        shown = {label for match in _LABEL.findall(target["legendFormat"]) for label in match if label}
        for each in selectors(target["expr"]):
            assert shown <= _kept(each), target["expr"]
            assert ("instance", "=~", ".*") in each.matchers, "every panel follows the chosen machine"


def test_dashboard_panels_fill_the_grid_without_overlap() -> None:
    ids = Counter(panel["id"] for panel in DASHBOARD["panels"])
    assert set(ids.values()) == {1}
    cells: Counter[tuple[int, int]] = Counter()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        cells.update(
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        )
    assert set(cells.values()) == {1}
    assert {each["name"] for each in DASHBOARD["templating"]["list"]} == {"datasource", "instance"}


def _kept(selector: Selector) -> set[str]:
    """The labels that an expression leaves to its result."""
    aggregates = {"sum", "max", "min", "avg", "count"} & set(selector.functions)
    return set(selector.grouping) - {"le"} if aggregates else set(selector.labels)
