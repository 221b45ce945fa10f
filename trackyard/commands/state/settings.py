"""`trackyard settings`: what is in force, and what set it."""

from collections.abc import Sequence

from trackyard.commands.frame.output import TableColumn, table
from trackyard.runtime.effective_settings import EffectiveSetting
from trackyard.runtime.setting_sources import SettingSource


def setting_lines(found: Sequence[EffectiveSetting]) -> list[str]:
    """Return a table of settings; settings with their default value are last."""
    rows = sorted(found, key=lambda each: each.source is SettingSource.DEFAULT)
    columns = (TableColumn("Setting"), TableColumn("Value"), TableColumn("Set by"))
    return table(columns, [[each.variable, each.value, _setter(each)] for each in rows])


def _setter(setting: EffectiveSetting) -> str:
    return "default" if setting.source is SettingSource.DEFAULT else setting.place


def settings_answer(found: Sequence[EffectiveSetting]) -> dict[str, dict[str, str]]:
    """Return the settings for programs, by variable."""
    return {each.variable: {"value": each.value, "source": each.source.value, "place": each.place} for each in found}
