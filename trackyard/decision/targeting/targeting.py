"""Whom an offer takes clicks of, and the URL it has for them (docs/spec/tracking.md#restrictions-and-targeting-groups).

An offer's own restrictions and its targeting groups must both let a click pass. When both refuse it, the reason that
stands first in REASONS is told; of the groups the reason is that of the last one tried.
"""

from hashlib import blake2b
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from trackyard.base.zones import find_zone
from trackyard.decision.targeting.checks import SUBS, TargetingCheck
from trackyard.decision.targeting.compiler import checks_of_group, checks_of_offer
from trackyard.domain.offers.offers import OfferSchedule, TargetingGroup
from trackyard.domain.offers.schedules import is_open
from trackyard.domain.tracking.rejections import DETAIL_LENGTH, Rejection
from trackyard.domain.tracking.ruleset import Restrictions

if TYPE_CHECKING:
    from trackyard.decision.click.hit import Hit

_MINUTE_MS: Final = 60_000
_UTC: Final = ZoneInfo("UTC")


class CompiledGroup:
    """A targeting group. number: its place in the list, from 1 · checks: in the order of their reasons."""

    __slots__ = ("_checks", "_url", "_urls", "number")

    def __init__(self, number: int, group: TargetingGroup) -> None:
        self.number = number
        self._checks = checks_of_group(group)
        self._url = group.url
        self._urls = tuple((item.weight, item.url) for item in group.urls)

    @property
    def has_url(self) -> bool:
        """Whether it has a URL of its own."""
        return bool(self._url or self._urls)

    def find_failed_check(self, hit: "Hit") -> TargetingCheck | None:
        """The first check that the click does not pass."""
        for check in self._checks:
            if not check.passes(hit):
                return check
        return None

    def find_url(self, hit: "Hit") -> str:
        """The URL that stands in for the offer's for this visitor; "" = none does."""
        if self._urls:
            share = _visitor_share(hit)
            for weight, url in self._urls:
                if share < weight:
                    return url
                share -= weight
        return self._url


_CompiledGroups = tuple[CompiledGroup, ...]


class Targeting:
    """The restrictions of one offer, compiled. empty_sub: the parameter that must not be empty, "" = none · scheduled:
    whether it takes clicks at some times alone."""

    __slots__ = (
        "_checks",
        "_general",
        "_is_open",
        "_minute",
        "_personal",
        "_personal_only",
        "_schedule",
        "_zone",
        "empty_sub",
        "has_groups",
        "has_urls",
        "scheduled",
        "unique_only",
    )

    def __init__(self, restrictions: Restrictions) -> None:
        self._checks = checks_of_offer(restrictions)
        general: list[CompiledGroup] = []
        personal: dict[int, list[CompiledGroup]] = {}
        self.has_urls = False
        for number, source in enumerate(restrictions.groups, start=1):
            group = CompiledGroup(number, source)
            self.has_urls = self.has_urls or group.has_url
            for affiliate in frozenset(source.affiliate_id):
                personal.setdefault(affiliate, []).append(group)
            if not source.affiliate_id:
                general.append(group)
        self._general: _CompiledGroups = tuple(general)
        self._personal: dict[int, _CompiledGroups] = {number: tuple(groups) for number, groups in personal.items()}
        self._personal_only = restrictions.personal_only
        self.has_groups = bool(restrictions.groups)
        self.empty_sub = SUBS[restrictions.empty_sub or 0]
        self.unique_only = restrictions.unique_only
        self._schedule: OfferSchedule | None = restrictions.schedule
        self.scheduled = restrictions.schedule is not None
        self._minute = -1
        self._zone = ""
        self._is_open = True

    def is_open(self, hit: "Hit") -> bool:
        """Whether the schedule takes clicks at the time of this one. What zones say changes at whole minutes, so the
        answer holds for one."""
        if self._schedule is None:
            return True
        zone, minute = hit.ruleset.platform.timezone, hit.time_ms // _MINUTE_MS
        if minute != self._minute or zone != self._zone:
            self._is_open = is_open(self._schedule, hit.time_ms, find_zone(zone) or _UTC)
            self._minute, self._zone = minute, zone
        return self._is_open

    def find_rejection(self, hit: "Hit") -> Rejection | None:
        """Why the click is not let in; None = it is. The advertiser's sub accounts are not asked."""
        own_check = self._find_own_failed(hit)
        if not self.has_groups:
            return None if own_check is None else _rejection(own_check, hit)
        failed_check, group = self._find_group_failed(hit)
        if failed_check is None or group is None:
            return None if own_check is None else _rejection(own_check, hit)
        if own_check is not None and own_check.reason_index <= failed_check.reason_index:
            return _rejection(own_check, hit)
        return _rejection(failed_check, hit, group)

    def find_rejection_for(self, reason_index: int, hit: "Hit") -> Rejection | None:
        """Why the click is not let in by the one property whose reason stands at `reason_index` of REASONS."""
        for check in self._checks:
            if check.reason_index == reason_index and not check.passes(hit):
                return _rejection(check, hit)
        failed_check, group = self._find_group_failed(hit)
        return (
            _rejection(failed_check, hit, group)
            if failed_check is not None and failed_check.reason_index == reason_index
            else None
        )

    def find_group(self, hit: "Hit") -> CompiledGroup | None:
        """The targeting group that lets the click pass; None when none does or none is asked."""
        return next((group for group in self._groups_for(hit) if group.find_failed_check(hit) is None), None)

    def _find_own_failed(self, hit: "Hit") -> TargetingCheck | None:
        for check in self._checks:
            if not check.passes(hit):
                return check
        return None

    def _find_group_failed(self, hit: "Hit") -> tuple[TargetingCheck | None, CompiledGroup | None]:
        """The check that failed in the last group tried, and that group; (None, None) when the groups let it pass."""
        failed_check: TargetingCheck | None = None
        last: CompiledGroup | None = None
        for group in self._groups_for(hit):
            last = group
            failed_check = group.find_failed_check(hit)
            if failed_check is None:
                return None, None
        return failed_check, last

    def _groups_for(self, hit: "Hit") -> _CompiledGroups:
        """The groups that count for the affiliate, in the order in which they are tried."""
        if not self._personal or hit.affiliate is None:
            return self._general
        personal = self._personal.get(hit.affiliate.id)
        if personal is None:
            return self._general
        if self._personal_only or (hit.advertiser is not None and hit.advertiser.personal_only):
            return personal
        return personal + self._general


def find_targeting_rejection(hit: "Hit") -> Rejection | None:
    """Why the click is not one that the offer and its advertiser want; None = it is."""
    targeting, advertiser = hit.targeting, hit.advertiser
    if targeting is not None:
        found_rejection = targeting.find_rejection(hit)
        if found_rejection is not None:
            return found_rejection
    if advertiser is not None and advertiser.sub_accounts:
        return find_sub_account_rejection(hit)
    return None


def find_sub_account_rejection(hit: "Hit") -> Rejection | None:
    """Why the sub accounts of the advertiser do not let the click pass."""
    check = None if hit.advertiser is None else hit.ruleset.find_sub_accounts(hit.advertiser)
    return None if check is None or check.passes(hit) else _rejection(check, hit)


def chosen_url(hit: "Hit") -> str:
    """The URL of an accepted click before its macros: that of the landing that `l` names, else that of the targeting
    group which let the click pass, else the offer's.

    A landing goes first: the link asks for it by name, while a group's URLs stand in for the offer's own.
    """
    offer = hit.offer
    if offer is None:
        raise ValueError("an accepted click has an offer")
    landing = hit.find_landing() if "l" in hit.params else None
    if landing is not None:
        return landing.url
    if hit.targeting is None or not hit.targeting.has_urls:
        return offer.url
    group = hit.targeting.find_group(hit)
    return (group.find_url(hit) if group is not None else "") or offer.url


def _visitor_share(hit: "Hit") -> int:
    """0..99, the same for a visitor of an offer each time: by address and user agent."""
    offer_id = 0 if hit.offer is None else hit.offer.id
    key = f"{offer_id}\0{hit.ip}\0{hit.ua}".encode("utf-8", "replace")
    return int.from_bytes(blake2b(key, digest_size=8).digest(), "big") % 100


def _rejection(check: TargetingCheck, hit: "Hit", group: CompiledGroup | None = None) -> Rejection:
    detail = check.detail(hit)
    return Rejection(check.reason, (detail if group is None else f"group {group.number}: {detail}")[:DETAIL_LENGTH])
