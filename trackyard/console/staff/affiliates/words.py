"""Words of the pages of affiliates."""

from collections.abc import Mapping
from typing import Final

from trackyard.base.texts.marks import lazy_gettext

STATUSES: Final[Mapping[str, str]] = {
    "active": lazy_gettext("Active"),
    "on moderation": lazy_gettext("On moderation"),
    "not active": lazy_gettext("Not active"),
    "banned": lazy_gettext("Blocked"),
}
"""The statuses of affiliates and their names."""
MARKS: Final[Mapping[str, str]] = {
    "active": "active",
    "on moderation": "pending",
    "not active": "suspended",
    "banned": "stopped",
}
"""Shape and colour of a status."""
DONE: Final[Mapping[str, str]] = {
    "active": lazy_gettext("{name} is active: it may sign in, send clicks and earn."),
    "on moderation": lazy_gettext("{name} is on moderation."),
    "not active": lazy_gettext("{name} is not active: it cannot sign in, and its conversions are declined."),
    "banned": lazy_gettext("{name} is blocked: it cannot sign in, and its conversions are declined."),
}
"""What a change of the status did."""
EMAIL_STATES: Final[Mapping[str, str]] = {
    "confirmed": lazy_gettext("confirmed"),
    "waiting": lazy_gettext("not confirmed yet"),
    "not asked": "",
}
