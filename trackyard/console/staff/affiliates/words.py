"""Words of the pages of affiliates."""

from collections.abc import Mapping
from typing import Final

STATUSES: Final[Mapping[str, str]] = {
    "active": "Active",
    "on moderation": "On moderation",
    "not active": "Not active",
    "banned": "Blocked",
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
    "active": "is active: it may sign in, send clicks and earn",
    "on moderation": "is on moderation",
    "not active": "is not active: it cannot sign in, and its conversions are declined",
    "banned": "is blocked: it cannot sign in, and its conversions are declined",
}
"""What a change of the status did."""
EMAIL_STATES: Final[Mapping[str, str]] = {
    "confirmed": "confirmed",
    "waiting": "not confirmed yet",
    "not asked": "",
}
