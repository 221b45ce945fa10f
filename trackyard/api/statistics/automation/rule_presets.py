"""Presets of rules (docs/spec/automation.md#presets)."""

from trackyard.actions.deps import Deps
from trackyard.api.statistics.automation.rules import ConditionView, condition_view
from trackyard.domain.people.roles import Permission
from trackyard.domain.statistics.automation.rule_presets import PRESETS, RulePreset
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request.params import NoParams
from trackyard.wire.response.envelope import Answer, View

routes = Routes[Deps]()


class RulePresetView(View):
    """Fields of a rule to begin with."""

    name: str
    title: str
    reason: str
    source: str
    each: list[str]
    hours: int
    conditions: list[ConditionView]
    minimum: int
    action: str
    needs_goals: bool


class RulePresetsAnswer(Answer):
    """All presets."""

    presets: list[RulePresetView]


@routes.get("/admin/rule-presets", for_staff(Permission.RULES_WRITE), id="admin.rule-presets.list")
def list_(request: ApiRequest[Deps], _params: NoParams) -> RulePresetsAnswer:
    """List presets of rules: thresholds that others publish, and our own.

    Send the fields of one to add a rule, with what it shall be about.
    """
    return RulePresetsAnswer(presets=[_view(name, preset) for name, preset in PRESETS.items()])


def _view(name: str, preset: RulePreset) -> RulePresetView:
    return RulePresetView(
        name=name,
        title=str(preset.title),
        reason=str(preset.reason),
        source=preset.source,
        each=list(preset.each),
        hours=preset.hours,
        conditions=[condition_view(preset.condition)],
        minimum=preset.minimum,
        action=preset.action.value,
        needs_goals=preset.needs_goals,
    )
