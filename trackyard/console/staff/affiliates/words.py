"""Words of the pages of affiliates."""

from collections.abc import Mapping
from typing import Final

from trackyard.base.texts.marks import LazyText, lazy_gettext
from trackyard.domain.people.affiliates import STATUS_RULES

STATUSES: Final[Mapping[str, str]] = {status.value: LazyText(rule.label) for status, rule in STATUS_RULES.items()}
"""The statuses of affiliates and their names."""
MARKS: Final[Mapping[str, str]] = {status.value: rule.mark for status, rule in STATUS_RULES.items()}
"""Shape and colour of a status."""
DONE: Final[Mapping[str, str]] = {status.value: LazyText(rule.done) for status, rule in STATUS_RULES.items()}
"""What a change of the status did."""
EMAIL_STATES: Final[Mapping[str, str]] = {
    "confirmed": lazy_gettext("confirmed"),
    "waiting": lazy_gettext("not confirmed yet"),
    "not asked": "",
}
