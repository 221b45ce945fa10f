"""Restrictions and targeting groups of an offer, compiled.

See docs/spec/tracking.md#restrictions-and-targeting-groups.

A click must pass the offer's own restrictions and one of its targeting groups. When both reject it, the reason that
comes first in REJECTION_REASONS is recorded; the groups have the reason of the last one tried.
"""

from typing import Final
from zoneinfo import ZoneInfo

from trackyard.base.zones import find_zone
from trackyard.decision.click.hit import Hit
from trackyard.decision.targeting.checks import SUBS, CountryCheck, IspCheck, PlaceCheck, TargetingCheck
from trackyard.decision.targeting.compiler import checks_of_blocks, checks_of_group, checks_of_offer
from trackyard.domain.offers.offers import GroupCondition, OfferSchedule, TargetingGroup
from trackyard.domain.offers.schedules import is_open
from trackyard.domain.tracking.rejections import DETAIL_LENGTH, Rejection
from trackyard.domain.tracking.ruleset import Restrictions

_MINUTE_MS: Final = 60_000
_UTC: Final = ZoneInfo("UTC")


class CompiledGroup:
    """A targeting group, compiled. number: its place in the list, from 1."""

    __slots__ = ("_any", "_checks", "_url", "_urls", "number")

    def __init__(self, number: int, group: TargetingGroup) -> None:
        self.number = number
        self._checks = checks_of_group(group)
        self._any = group.condition == GroupCondition.OR
        self._url = group.url
        self._urls = tuple((item.weight, item.url) for item in group.urls)

    @property
    def has_url(self) -> bool:
        """Whether the group has a URL of its own."""
        return bool(self._url or self._urls)

    def find_failed_check(self, hit: Hit) -> TargetingCheck | None:
        """Return the first check that the click does not pass; of a group with `or`, when it passes none."""
        for check in self._checks:
            if not check.passes(hit):
                return check if not self._any or self._passes_none(hit) else None
        return None

    def _passes_none(self, hit: Hit) -> bool:
        for check in self._checks:  # noqa: SIM110 (a generator costs more than the look)
            if check.passes(hit):
                return False
        return True

    def admits(self, kind: type[TargetingCheck], word: str) -> bool:
        """Return whether visitors with a word may pass.

        The countries of its places and providers are not known.

            kind: the kind of check that uses the word.
        """
        own = [check for check in self._checks if isinstance(check, kind)]
        if self._any:
            return not own or len(own) < len(self._checks) or any(check.admits(word) for check in own)
        if kind is CountryCheck and not own and any(map(_names_places, self._checks)):
            return False
        return all(check.admits(word) for check in own)

    def find_url(self, share: int) -> str:
        """Return the URL that replaces the offer's for this share of visitors; "" = none."""
        if self._urls:
            for weight, url in self._urls:
                if share < weight:
                    return url
                share -= weight
        return self._url


_CompiledGroups = tuple[CompiledGroup, ...]


class Targeting:
    """The restrictions of one offer, compiled.

    empty_sub: the parameter that must not be empty, "" = none
    scheduled: takes clicks at some times only
    """

    __slots__ = (
        "_blocked",
        "_checks",
        "_general",
        "_is_open",
        "_minute",
        "_personal",
        "_personal_only",
        "_schedule",
        "_zone",
        "by_sub3",
        "empty_sub",
        "has_urls",
        "hosts_only",
        "scheduled",
        "unique_only",
    )

    def __init__(self, restrictions: Restrictions) -> None:
        self._checks = checks_of_offer(restrictions)
        self._blocked = checks_of_blocks(restrictions)
        general: list[CompiledGroup] = []
        personal: dict[int, list[CompiledGroup]] = {}
        self.has_urls = False
        for number, source in enumerate(restrictions.groups, start=1):
            if not source.enabled:
                continue
            group = CompiledGroup(number, source)
            self.has_urls = self.has_urls or group.has_url
            for affiliate in frozenset(source.affiliate_id):
                personal.setdefault(affiliate, []).append(group)
            if not source.affiliate_id:
                general.append(group)
        self._general: _CompiledGroups = tuple(general)
        self._personal: dict[int, _CompiledGroups] = {number: tuple(groups) for number, groups in personal.items()}
        self._personal_only = restrictions.personal_only
        self.empty_sub = SUBS[restrictions.empty_sub or 0]
        self.unique_only = restrictions.unique_only
        self.by_sub3 = restrictions.by_sub3
        self.hosts_only = restrictions.hosts_only
        self._schedule: OfferSchedule | None = restrictions.schedule
        self.scheduled = restrictions.schedule is not None
        self._minute = -1
        self._zone = ""
        self._is_open = True

    def is_open(self, hit: Hit) -> bool:
        """Return whether the schedule is open at the time of the click.

        Zones change at whole minutes, so the answer is cached for a minute.
        """
        if self._schedule is None:
            return True
        zone, minute = hit.platform.timezone, hit.time_ms // _MINUTE_MS
        if minute != self._minute or zone != self._zone:
            self._is_open = is_open(self._schedule, hit.time_ms, find_zone(zone) or _UTC)
            self._minute, self._zone = minute, zone
        return self._is_open

    @property
    def personal_affiliates(self) -> tuple[int, ...]:
        """Return the affiliates with targeting groups of their own."""
        return tuple(self._personal)

    def admits(self, kind: type[TargetingCheck], word: str, affiliate_id: int | None) -> bool:
        """Return whether visitors with a word of one kind may get through, whatever else they are.

        affiliate_id: None = of an affiliate without groups of its own.
        """
        if not all(check.admits(word) for check in self._checks if isinstance(check, kind)):
            return False
        personal = () if affiliate_id is None else self._personal.get(affiliate_id, ())
        groups = personal if personal and self._personal_only else personal + self._general
        return not groups or any(group.admits(kind, word) for group in groups)

    def find_rejections(self, hit: Hit, personal_only: bool) -> dict[str, Rejection]:
        """Return the rejections of a click by reason.

        An own restriction goes before a group with the same reason.
        personal_only: the advertiser wants personal groups alone
        """
        found: dict[str, Rejection] = {}
        for check in self._checks:
            if not check.passes(hit):
                found[check.reason] = check_rejection(check, hit)
        if self._blocked and hit.affiliate is not None:
            blocked = self._blocked.get(hit.affiliate.id)
            if blocked is not None and not blocked.passes(hit):
                found.setdefault(blocked.reason, check_rejection(blocked, hit))
        failed: TargetingCheck | None = None
        number = 0
        for group in self._groups_for(hit, personal_only):
            failed, number = group.find_failed_check(hit), group.number
            if failed is None:
                break
        if failed is not None:
            found.setdefault(failed.reason, check_rejection(failed, hit, number))
        return found

    def find_group(self, hit: Hit, personal_only: bool) -> CompiledGroup | None:
        """Return the targeting group that the click passes; None = there is none."""
        groups = self._groups_for(hit, personal_only)
        return next((group for group in groups if group.find_failed_check(hit) is None), None)

    def _groups_for(self, hit: Hit, personal_only: bool) -> _CompiledGroups:
        """Return the groups for the affiliate, in the order in which they are tried."""
        if not self._personal or hit.affiliate is None:
            return self._general
        personal = self._personal.get(hit.affiliate.id)
        if personal is None:
            return self._general
        if self._personal_only or personal_only:
            return personal
        return personal + self._general


def _names_places(check: TargetingCheck) -> bool:
    return isinstance(check, IspCheck) or (isinstance(check, PlaceCheck) and not check.is_open)


def check_rejection(check: TargetingCheck, hit: Hit, group: int = 0) -> Rejection:
    """Return the rejection of a failed check; `group` is the number of its targeting group, 0 = none."""
    detail = check.detail(hit)
    return Rejection(check.reason, (f"group {group}: {detail}" if group else detail)[:DETAIL_LENGTH])
