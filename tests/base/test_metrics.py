"""The declarations of metrics: names, units, labels, their page, and old names."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.base.metrics_page import METRICS, PAGE, page
from trackyard.base import metrics
from trackyard.base.metrics import exposition
from trackyard.base.metrics.declarations import MetricDeclaration
from trackyard.domain.tracking.outbound_calls import DeliveryOutcome
from trackyard.runtime.settings import SETTINGS
from trackyard.store.platform.rebuilds import RebuildStage

ALIASES: Final = {metric.alias.name: metric for metric in METRICS.values() if metric.alias is not None}
BASE_UNITS: Final = {"seconds": "_seconds", "Unix seconds": "_timestamp_seconds", "bytes": "_bytes"}
_NAMED: Final = re.compile(r"`((?:trackyard|process)_[a-z_]+)`")
_SETTING: Final = re.compile(r"`TRACKYARD_([A-Z_]+)`")

ALL: Final = pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)


def shown() -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Every sample of /metrics by name and labels."""
    text = exposition.render_metrics()[0].decode()
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_metrics_page_equals_declarations() -> None:
    assert PAGE.read_text() == page()


@ALL
def test_metric_name_has_its_base_unit(metric: MetricDeclaration) -> None:
    assert re.fullmatch(r"(trackyard|process)(_[a-z]+)+", metric.name)
    assert metric.name.endswith("_total") == (metric.kind == "counter")
    if metric.unit in BASE_UNITS and metric.name != "process_start_time_seconds":
        assert metric.name.removesuffix("_total").endswith(BASE_UNITS[metric.unit])
    assert metric.kind != "histogram" or metric.name.endswith("_duration_seconds")
    assert not re.search(r"_(ms|milliseconds|kb|mb|percent)(_|$)", metric.name)


@ALL
def test_metric_labels_leave_names_of_prometheus_alone(metric: MetricDeclaration) -> None:
    assert not {"job", "instance", "le", "quantile"} & set(metric.label_names)
    assert len(set(metric.label_names)) == len(metric.labels)


@ALL
def test_metric_texts_name_existing_metrics_and_settings(metric: MetricDeclaration) -> None:
    assert metric.meaning and not metric.meaning.endswith(".")
    assert metric.action.endswith(".")
    text = " ".join((metric.action, *(label.meaning for label in metric.labels)))
    assert [name for name in _NAMED.findall(text) if name not in METRICS] == []
    assert [name for name in _SETTING.findall(text) if name.lower() not in SETTINGS] == []


def test_metric_texts_name_existing_lines_of_the_log() -> None:
    source = "".join(path.read_text() for path in sorted((PAGE.parents[1] / "trackyard").rglob("*.py")))
    named = {name for metric in METRICS.values() for name in re.findall(r"`([a-z]+(?: [a-z]+)+)`", metric.action)}
    events = {name for name in named if not name.startswith("trackyard ")}
    assert len(events) > 5
    assert {name for name in events if f'"{name}"' not in source} == set()


def test_metric_names_and_old_names_are_unique() -> None:
    assert not METRICS.keys() & ALIASES.keys()
    assert len(ALIASES) == sum(metric.alias is not None for metric in METRICS.values())


def test_metrics_are_declared_in_one_package_only() -> None:
    package = PAGE.parents[1] / "trackyard"
    users = [path for path in package.rglob("*.py") if "prometheus_client" in path.read_text()]
    assert {path.parent for path in users} == {package / "base" / "metrics"}


def test_documents_name_metrics_that_exist() -> None:
    pages = [page for page in PAGE.parent.rglob("*.md") if page != PAGE]
    named = {(page.name, name) for page in pages for name in _NAMED.findall(page.read_text())}
    assert len(named) > 10
    assert {(page, name) for page, name in named if name not in METRICS} == set()


def test_metric_values_of_labels_are_those_of_the_program() -> None:
    (outcome,) = METRICS["trackyard_deliveries_total"].labels
    assert set(outcome.values) == {each.value for each in DeliveryOutcome}
    (stage,) = METRICS["trackyard_rebuilds_total"].labels
    assert set(stage.values) == {each.value for each in RebuildStage if each.ended}


def test_metric_with_listed_values_is_shown_from_the_start() -> None:
    assert ("trackyard_deliveries_total", (("outcome", "superseded"),)) in shown()


def test_renamed_metric_is_shown_under_both_names() -> None:
    metrics.POSTBACKS.inc()
    metrics.API_SECONDS.labels("read").observe(0.3)
    found = shown()
    for (name, labels), value in found.items():
        metric = METRICS.get(name)
        if metric is not None and metric.alias is not None and not metric.alias.labels:
            assert found[metric.alias.name, labels] == value
    bucket = (("kind", "read"), ("le", "0.5"))
    assert (
        found["trackyard_api_seconds_bucket", bucket] == found["trackyard_api_request_duration_seconds_bucket", bucket]
    )
    assert found["trackyard_calls_total", ()] >= 1
    assert (
        b"# HELP trackyard_calls_total Deprecated, use trackyard_inbound_postbacks_total:"
        in exposition.render_metrics()[0]
    )


def test_renamed_label_keeps_its_old_name_and_value_under_the_old_metric() -> None:
    metrics.POSTBACKS_DECIDED.labels(metrics.ACCEPTED).inc(3)
    metrics.POSTBACKS_DECIDED.labels("Access denied").inc(2)
    found = shown()
    for outcome, response in ((metrics.ACCEPTED, ""), ("Access denied", "Access denied")):
        value = found["trackyard_inbound_postbacks_decided_total", (("outcome", outcome),)]
        assert found["trackyard_calls_decided_total", (("response", response),)] == value


def test_files_of_shared_values_have_their_space_on_the_disk_from_the_start(tmp_path: Path) -> None:
    environment = os.environ | {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    count = "from trackyard.base import metrics; metrics.CLICKS.labels('accepted').inc(3)"
    subprocess.run([sys.executable, "-c", count], env=environment, check=True, timeout=60)
    files = {file.name.rpartition("_")[0]: file.stat() for file in tmp_path.iterdir()}
    assert set(files) == {"counter", "gauge_mostrecent", "histogram"}
    assert all(found.st_blocks * 512 >= found.st_size > 0 for found in files.values())
    show = "from trackyard.base.metrics import exposition; print(exposition.render_metrics()[0].decode())"
    shown = subprocess.run([sys.executable, "-c", show], env=environment, capture_output=True, text=True, timeout=60)
    assert 'trackyard_clicks_total{reason="accepted"} 3.0' in shown.stdout, shown.stderr
