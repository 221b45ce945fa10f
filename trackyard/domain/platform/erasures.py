"""Personal data and its erasure (docs/retention.md). Pure.

The projector and rebuilds pass records through `redact_erased` first, so erased data never returns.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, Protocol, TypeVar

import msgspec

from trackyard.base.ids import is_hex24
from trackyard.domain.tracking.near_misses import plain_click_id

_VISITOR_COLUMNS: Final = (
    *("ip", "ip_hash", "ua", "referrer", "os_id", "user_id", "fbclid", "ios_idfa", "android_id", "click_ids"),
)

PERSONAL_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "click": _VISITOR_COLUMNS,
        "view": _VISITOR_COLUMNS,
        "call": ("ip", "ua", "query", "body"),
        "server_log": ("ip", "ua", "query", "body"),
        "affiliate_log": ("url",),
        "conversion": ("click_ip", "call_ip", "user_id"),
        "affiliate": (
            *("email", "login", "name", "contact_person", "notes", "status_reason", "decision_words"),
            *("company", "phone", "address_1", "address_2", "city", "country", "zip_code"),
            *("payment_systems", "custom_fields"),
        ),
        "person": ("email", "name"),
        "member": ("name",),
    }
)
"""The columns with personal data, by record or table: the only declaration.

All are texts, except two documents of an affiliate. A click in another record (of a conversion or a queue) has the
texts of `click`.
"""

PERSONAL_PARAMS: Final = ("ip", "referrer", "user_id")
"""The parameters of an inbound postback with personal data."""


ERASED_HOST: Final = "@erased.invalid"
"""How the address of an erased affiliate ends. No mail goes to it (RFC 2606)."""

USER_LENGTH: Final = 255
"""Characters of a user id that conversions store."""


class ErasureSubject(StrEnum):
    """The owner of the personal data that is erased."""

    CLICK = "click"
    USER = "user"
    AFFILIATE = "affiliate"


@dataclass(frozen=True, slots=True)
class Erasure:
    """A request to erase personal data.

    number: rises.
    value: the id of a click or impression, a user id, or the number of an affiliate.
    at: UTC milliseconds; later data of a user or affiliate is not erased.
    """

    number: int
    subject: ErasureSubject
    value: str
    at: int


class ErasableRecord(Protocol):
    """The columns that decide whether a click or an impression was erased. time: UTC milliseconds."""

    time: int
    id: str
    affiliate: int
    user_id: str


V = TypeVar("V", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True)
class ErasedSubjects:
    """All erasures.

    clicks: ids of clicks and impressions.
    users, affiliates: with the time (UTC milliseconds, inclusive) up to which their records are erased.
    newest: the number of the last erasure; 0 = none.
    """

    clicks: frozenset[str] = frozenset()
    users: Mapping[str, int] = field(default_factory=dict)
    affiliates: Mapping[int, int] = field(default_factory=dict)
    newest: int = 0

    @classmethod
    def of(cls, erasures: Iterable[Erasure]) -> "ErasedSubjects":
        """Return the subjects of erasures."""
        clicks: set[str] = set()
        users: dict[str, int] = {}
        affiliates: dict[int, int] = {}
        newest = 0
        for erasure in erasures:
            newest = max(newest, erasure.number)
            if erasure.subject is ErasureSubject.CLICK:
                clicks.add(erasure.value)
            elif erasure.subject is ErasureSubject.USER:
                users[erasure.value] = max(erasure.at, users.get(erasure.value, 0))
            else:
                affiliates[int(erasure.value)] = max(erasure.at, affiliates.get(int(erasure.value), 0))
        return cls(frozenset(clicks), users, affiliates, newest)

    def __bool__(self) -> bool:
        return self.newest > 0

    def with_clicks(self, ids: Iterable[str]) -> "ErasedSubjects":
        """Return the subjects with further clicks."""
        return replace(self, clicks=self.clicks.union(ids))

    def has(self, visit: ErasableRecord) -> bool:
        """Return whether a click or impression is erased."""
        return self.has_record(visit.time, visit.id, visit.affiliate, visit.user_id)

    def has_record(self, time: int, visit_id: str, affiliate: int, user_id: str) -> bool:
        """Return whether the click or impression with these columns is erased."""
        return (
            visit_id in self.clicks
            or time <= self.affiliates.get(affiliate, -1)
            or (user_id != "" and time <= self.users.get(user_id, -1))
        )

    def has_postback(self, time: int, params: Mapping[str, str], click: ErasableRecord | None = None) -> bool:
        """Return whether an inbound postback belongs to an erased click or user id.

        click: the click of the postback, where it is known.
        time: when the postback was received, UTC milliseconds.
        """
        if plain_click_id(params.get("clickid", "")) in self.clicks or (click is not None and self.has(click)):
            return True
        user_id = params.get("user_id", "")
        return user_id != "" and time <= self.users.get(user_id, -1)


NOTHING_ERASED: Final = ErasedSubjects()


def redact_erased(erased_subjects: ErasedSubjects, record: V) -> V:
    """Return a click or impression (journal.records) without personal data if it is erased."""
    return redact_record(record) if erased_subjects and erased_subjects.has(record) else record  # type: ignore[arg-type]


def redact_record(record: V, kind: str = "click") -> V:
    """Return a record without its personal data; the same object when it has none.

    kind: a key of PERSONAL_COLUMNS.
    """
    if not any(getattr(record, name) for name in PERSONAL_COLUMNS[kind]):
        return record
    return msgspec.structs.replace(record, **dict.fromkeys(PERSONAL_COLUMNS[kind], ""))


def redact_click(click: Mapping[str, Any]) -> dict[str, Any]:
    """Return a click's record by column name, without personal data."""
    return {**click, **dict.fromkeys(PERSONAL_COLUMNS["click"], "")}


def redact_params(params: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters of an inbound postback without personal data."""
    return {name: value for name, value in params.items() if name not in PERSONAL_PARAMS}


def find_erasure_error(subject: ErasureSubject, value: str) -> str | None:
    """Return the fault of an erasure as a sentence, or None."""
    if subject is ErasureSubject.CLICK and not is_hex24(value):
        return "a click's id has 24 hex digits"
    if subject is ErasureSubject.AFFILIATE and not (value.isascii() and value.isdigit() and 0 < len(value) <= 9):
        return "an affiliate's id is a number"
    if subject is ErasureSubject.USER and not 1 <= len(value) <= USER_LENGTH:
        return f"a user id has 1 to {USER_LENGTH} characters"
    return None
