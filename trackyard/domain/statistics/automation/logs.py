"""The logs of rules: changes, firings, blocked subs (docs/spec/automation.md#logs)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from trackyard.domain.statistics.automation.rules import RuleAction, RuleKind


@dataclass(frozen=True, slots=True)
class FiringFilter:
    """The filters of a list of firings. An empty collection selects all.

    since, until: bounds of the time at which they fired, UTC milliseconds, `until` exclusive.
    """

    rule_id: str = ""
    since: int = 0
    until: int = 2**53
    kinds: Collection[RuleKind] = ()
    actions: Collection[RuleAction] = ()
    offers: Collection[int] = ()
    affiliates: Collection[int] = ()
    advertisers: Collection[str] = ()


class BlockEntry(NamedTuple):
    """An entry of the log of blocked subs. action: block or unblock."""

    at: int
    offer_id: int
    affiliate_id: int
    sub_index: str
    sub_value: str
    action: str
    rule_id: str
    firing_id: str
    readings: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class RuleChange:
    """The addition, edit or removal of a rule.

    type: add, update or delete. offers, affiliates: the rule's ids between commas: ",3,". rule: its columns then.
    """

    id: str
    rule_id: str
    kind: RuleKind
    type: str
    by: str
    at: int
    offers: str
    affiliates: str
    rule: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ChangeFilter:
    """Which changes are listed. An empty list is any. since, until: UTC milliseconds, `until` exclusive."""

    since: int
    until: int
    offers: Sequence[int] = ()
    affiliates: Sequence[int] = ()
    types: Sequence[str] = ()
