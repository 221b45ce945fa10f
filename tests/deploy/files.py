"""The alert rules and the dashboard, as read from their files."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml

DEPLOY: Final = Path(__file__).parents[2] / "deploy"
RULES: Final[dict[str, Any]] = yaml.safe_load((DEPLOY / "prometheus" / "rules.yml").read_text())
PROMETHEUS: Final[dict[str, Any]] = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text())
DASHBOARD: Final[dict[str, Any]] = json.loads((DEPLOY / "grafana" / "trackyard.json").read_text())

ALERTS: Final[dict[str, dict[str, Any]]] = {rule["alert"]: rule for group in RULES["groups"] for rule in group["rules"]}
PANELS: Final[list[dict[str, Any]]] = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]


def expressions() -> Iterator[tuple[str, str]]:
    """Every expression with the name of its rule or panel."""
    for name, rule in ALERTS.items():
        yield name, rule["expr"]
    for panel in PANELS:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]
    for note in DASHBOARD["annotations"]["list"]:
        yield note["name"], note["expr"]
