"""Presets are rules that can be added, and docs name the source of each threshold."""

import re
from pathlib import Path

from trackyard.domain.statistics.automation.rule_presets import PRESETS, RulePreset
from trackyard.domain.statistics.automation.rules import Rule, find_faults

PAGE = Path(__file__).parents[4] / "docs/spec/automation.md"


def threshold(preset: RulePreset) -> str:
    """A threshold as the page writes it."""
    condition = preset.condition
    side = "below" if condition.is_below else "above"
    bound = f"{condition.bound} % {side} the usual" if condition.is_usual else f"{side} {condition.bound}"
    return f"`{condition.metric}` {bound}, {preset.hours} h, {preset.minimum}, `{preset.action.value}`"


def test_each_preset_is_a_rule_without_faults_once_its_goals_are_named() -> None:
    for name, preset in PRESETS.items():
        first, second = ("1", "2") if preset.needs_goals else ("", "")
        rule = Rule(id="", title=preset.title, each=preset.each, hours=preset.hours, conditions=(preset.condition,),
                    minimum=preset.minimum, action=preset.action, first_goal=first, second_goal=second)  # fmt: skip
        assert find_faults(rule) == {}, name
        assert rule.needs_goals is preset.needs_goals, name


def test_page_names_the_threshold_and_the_source_of_each_preset() -> None:
    text = PAGE.read_text().partition("\n## Presets\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \| (.*?) \|$", text, re.MULTILINE)
    assert [name for name, *_ in rows] == list(PRESETS)
    for name, each, shown, reason in rows:
        preset = PRESETS[name]
        assert (each, shown) == (", ".join(preset.each), threshold(preset))
        link = re.search(r"\]\((https://[^)]+)\)", reason)
        assert (link[1] if link else "") == preset.source, name
        assert reason.startswith("published" if preset.source else "ours"), name
