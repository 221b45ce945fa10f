"""Checks of subs and sub accounts (docs/spec/tracking.md#restrictions-and-targeting-groups)."""

from collections.abc import Iterable

from trackyard.decision.click.hit import Hit
from trackyard.decision.targeting.checks import EMPTY, TargetingCheck, describe_failure

SubValues = tuple[tuple[str, str], ...]
"""Pairs of parameter and value."""


class SubCheck(TargetingCheck):
    """Values of subs, by parameter; together: rows of values that a click must not all have."""

    __slots__ = ("_allow", "_deny", "_together")
    reason = "mistargeting-sub"

    def __init__(
        self,
        allow: Iterable[tuple[str, frozenset[str]]],
        deny: Iterable[tuple[str, frozenset[str]]],
        together: Iterable[SubValues],
    ) -> None:
        self._allow = tuple(allow)
        self._deny = tuple(deny)
        self._together = tuple(together)

    def passes(self, hit: Hit) -> bool:
        return not self._fault(hit)

    def detail(self, hit: Hit) -> str:
        return self._fault(hit)

    def _fault(self, hit: Hit) -> str:
        get = hit.params.get
        for name, values in self._deny:
            if get(name, "") in values:
                return describe_failure(name, get(name, "") or EMPTY, True)
        for row in self._together:
            for name, value in row:
                if get(name, "") != value:
                    break
            else:
                pairs = ", ".join(f"{name} {value or EMPTY}" for name, value in row)
                return f"denied together: {pairs}"
        for name, values in self._allow:
            if get(name, "") not in values:
                return describe_failure(name, get(name, "") or EMPTY, False)
        return ""


class BlockedSubCheck(TargetingCheck):
    """Values of subs that rules block for one affiliate, by parameter."""

    __slots__ = ("_blocked",)
    reason = "mistargeting-sub"

    def __init__(self, blocked: Iterable[tuple[str, frozenset[str]]]) -> None:
        self._blocked = tuple(blocked)

    def passes(self, hit: Hit) -> bool:
        for name, values in self._blocked:  # noqa: SIM110 (a generator costs more than the look)
            if hit.params.get(name, "") in values:
                return False
        return True

    def detail(self, hit: Hit) -> str:
        for name, values in self._blocked:
            value = hit.params.get(name, "")
            if value in values:
                return f"a rule blocks {name} {value or EMPTY}"
        return ""


class SubAccountCheck(TargetingCheck):
    """Values of subs that an offer or an advertiser accepts or, excluded, rejects."""

    __slots__ = ("_lists", "_owner")
    reason = "mistargeting-sub-account"

    def __init__(self, owner: str, lists: Iterable[tuple[str, frozenset[str], bool]]) -> None:
        self._owner = owner
        self._lists = tuple(lists)

    def passes(self, hit: Hit) -> bool:
        for name, values, exclude in self._lists:  # noqa: SIM110 (a generator costs more than the look)
            if (hit.params.get(name, "") in values) is exclude:
                return False
        return True

    def detail(self, hit: Hit) -> str:
        for name, values, exclude in self._lists:
            value = hit.params.get(name, "")
            if (value in values) is exclude:
                return f"{self._owner}: {describe_failure(name, value or EMPTY, exclude)}"
        return ""
