"""Staff users (docs/api/staff.md#get-adminuserid)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from trackyard.domain.people.account_statuses import AccountStatusRule
from trackyard.domain.people.roles import Role

FIRST_ADMINISTRATOR: Final = "admin@localhost"
"""The e-mail address of the administrator that the first start makes."""

MESSENGERS: Final = ("whatsapp", "telegram", "viber", "facebook", "wechat", "internal_telegram_username")
"""Fields of a staff user with its names in messengers, besides skype."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StaffStatusRule(AccountStatusRule):
    """The consequences of a staff status.

    is_at_work: whether the person gets mails, and may take over what others manage.
    """

    is_at_work: bool = False


class StaffStatus(StrEnum):
    """The status of a staff user. STAFF_STATUS_RULES has what follows from each."""

    ACTIVE = "active"
    BLOCKED = "blocked"

    @property
    def rule(self) -> StaffStatusRule:
        """Return the rule of the status."""
        return STAFF_STATUS_RULES[self]


STAFF_STATUS_RULES: Final[Mapping[StaffStatus, StaffStatusRule]] = MappingProxyType(
    {
        StaffStatus.ACTIVE: StaffStatusRule(
            may_sign_in=True,
            is_at_work=True,
            label="Active",
            mark="active",
            done="{name} may sign in again, and its keys work.",
        ),
        StaffStatus.BLOCKED: StaffStatusRule(
            label="Blocked",
            mark="stopped",
            done="{name} is blocked. Its sessions ended, and its keys do not work.",
        ),
    }
)
"""Every status, in the order in which pages list them."""
SIGNING_IN: Final = tuple(status for status, rule in STAFF_STATUS_RULES.items() if rule.may_sign_in)
AT_WORK: Final = tuple(status for status, rule in STAFF_STATUS_RULES.items() if rule.is_at_work)


@dataclass(frozen=True, slots=True, kw_only=True)
class Staff:
    """A person of the network.

    id, password_hash, created_at, updated_at: given when it is stored; times are UTC milliseconds.
    password_hash: None until a password is set.
    password_until: when a mailed password ends, UTC milliseconds; None = the person chose it.
    statistics_revenue, statistics_rows: switches of domain/statistics/switches.py; None is the platform's.
    permissions: "area.feature" to the level that narrows what its roles give (domain/people/staff_permissions.py).
    """

    id: str = ""
    email: str
    password_hash: str | None = None
    password_until: int | None = None
    first_name: str = ""
    last_name: str = ""
    skype: str = ""
    whatsapp: str = ""
    telegram: str = ""
    viber: str = ""
    facebook: str = ""
    wechat: str = ""
    internal_telegram_username: str = ""
    work_hours: str = ""
    roles: list[Role] = field(default_factory=list)
    status: StaffStatus = StaffStatus.ACTIVE
    last_login_at: int | None = None
    statistics_revenue: str | None = None
    statistics_rows: str | None = None
    permissions: dict[str, str] = field(default_factory=dict)
    created_at: int = 0
    updated_at: int = 0
