"""Everything that a click decision needs of one offer, cached."""

import sys
from array import array
from bisect import bisect_left
from collections.abc import Callable
from typing import Final

from trackyard.decision.click.caps import CappedCounts, OfferClickCaps
from trackyard.decision.click.hit import Hit
from trackyard.decision.target.json_text import quoted
from trackyard.decision.target.templates import UrlTemplate
from trackyard.decision.targeting.checks import TargetingCheck
from trackyard.decision.targeting.targeting import Targeting
from trackyard.decision.visitor.headers import find_unique_cookie
from trackyard.decision.visitor.visitor import ADDRESS_ONLY, VisitorKey, counted_visitors, sub_visitor
from trackyard.domain.tracking.rejections import Rejection
from trackyard.domain.tracking.ruleset import UNIQUE_HOURS, FullCap, RulesetAdvertiser, RulesetLanding, RulesetOffer

_MAX_NUMBER_LENGTH = 18


class Reservation:
    """The answer of the click state. `full_cap`: the id of a cap without a place, "" = none."""

    __slots__ = ("full_cap", "is_new")

    def __init__(self, is_new: bool, full_cap: str) -> None:
        self.is_new = is_new
        self.full_cap = full_cap


NEW: Final = Reservation(True, "")
"""A place in every cap, for a visitor that is new to the offer."""
SEEN: Final = Reservation(False, "")
"""A place in every cap, for a visitor that was seen."""


StepCheck = Callable[[Hit, "OfferRoute", Reservation], Rejection | None]


class OfferRoute:
    """One offer with its advertiser, its compiled targeting and the checks of its clicks.

    It is made at the first click on the offer and replaced when any part of it changes. Clicks read routes at random,
    so that each line of the processor's cache costs: the fields that nearly all clicks read come first, and equal parts
    of offers are one object.

    checks: the steps that may reject its clicks before the click state is asked; `state_checks`: after it
    ordinary_checks: the part of `checks` that may reject an ordinary hit
    edition: the edition of the ruleset that it was made from
    by_sub3: sub3 identifies its visitors
    hosts_only: statistics leave out clicks of visitors that were seen before
    number: the id as text; `columns`: the advertiser as JSON, for the record
    always_open: takes clicks at all times; `accepts_all`: takes clicks of every active affiliate
    single_url: no targeting group has a URL of its own
    subs_key: the key for the codes that the advertiser gets instead of subs, "" = it gets the subs
    targeting, sub_accounts: None = nothing restricts the offer; the advertiser restricts no sub account
    full_caps: caps of conversions and budget that are full
    connected, disconnected: sorted affiliate ids; None = none
    target: the compiled URL, None = no click needed it yet
    unique_clicks: unique clicks per visitor, at most, within `unique_hours`; further clicks are not unique
    """

    __slots__ = (
        "accepts_all",
        "advertiser",
        "always_open",
        "by_sub3",
        "checks",
        "click_caps",
        "columns",
        "connected",
        "disconnected",
        "edition",
        "empty_sub",
        "full_caps",
        "hosts_only",
        "id",
        "number",
        "offer",
        "ordinary_checks",
        "personal_only",
        "redirect_type",
        "single_url",
        "state_checks",
        "sub_accounts",
        "subs_key",
        "target",
        "targeting",
        "unique_clicks",
        "unique_hours",
        "unique_only",
    )

    def __init__(
        self,
        edition: int,
        offer: RulesetOffer,
        advertiser: RulesetAdvertiser | None = None,
        targeting: Targeting | None = None,
        sub_accounts: TargetingCheck | None = None,
        full_caps: tuple[FullCap, ...] = (),
        connected: "array[int] | None" = None,
        disconnected: "array[int] | None" = None,
        zone: str = "UTC",
    ) -> None:
        self.edition = edition
        self.ordinary_checks: tuple[StepCheck, ...] = ()
        self.checks: tuple[StepCheck, ...] = ()
        self.state_checks: tuple[StepCheck, ...] = ()
        self.single_url = targeting is None or not targeting.has_urls
        self.unique_only = targeting is not None and targeting.unique_only
        self.by_sub3 = targeting is not None and targeting.by_sub3 and not targeting.unique_only
        self.hosts_only = targeting is not None and targeting.hosts_only
        self.unique_clicks, self.unique_hours = unique_limits(advertiser, unique_only=self.unique_only)
        self.target: UrlTemplate | None = None
        self.number = str(offer.id)
        self.columns = sys.intern(quoted(offer.advertiser))
        self.redirect_type = offer.redirect_type
        self.id = offer.id
        self.targeting = targeting
        self.click_caps = OfferClickCaps(offer, zone) if offer.click_caps or offer.duplicate_clicks else None
        self.full_caps = full_caps
        self.sub_accounts = sub_accounts
        self.connected = connected
        self.offer = offer
        self.advertiser = advertiser
        self.disconnected = disconnected
        self.empty_sub = "" if targeting is None else targeting.empty_sub
        self.subs_key = "" if advertiser is None else advertiser.subs_key
        self.personal_only = advertiser is not None and advertiser.personal_only
        scheduled = targeting is not None and targeting.scheduled
        self.always_open = offer.active and not scheduled and offer.start_at is None and offer.stop_at is None
        names_affiliates = advertiser is not None and bool(advertiser.blacklist or advertiser.enabled)
        self.accepts_all = offer.open and disconnected is None and advertiser is not None and not names_affiliates

    @property
    def is_known(self) -> bool:
        """Whether the ruleset has the offer."""
        return self.id != 0

    def is_connected(self, affiliate: int) -> bool:
        """Return whether staff connected the affiliate to the offer."""
        return _contains(self.connected, affiliate)

    def is_disconnected(self, affiliate: int) -> bool:
        """Return whether staff disconnected the affiliate from the offer."""
        return _contains(self.disconnected, affiliate)

    def is_hidden(self, hit: Hit) -> bool:
        """Return whether the offer is private to others: its affiliate must not learn that it exists."""
        return self.offer.private and (hit.affiliate is None or not self.is_connected(hit.affiliate.id))

    def visitor_key(self, hit: Hit) -> VisitorKey:
        """Return the visitor by address and user agent; with uniqIpOnly by the address alone.

        With host_uniqueness_type sub3 it is the number of sub3, where the click has one.
        """
        if self.by_sub3:
            sub = hit.params.get("sub3", "")
            if sub != "":
                return sub_visitor(sub)
        return hit.address, ADDRESS_ONLY if self.unique_only else hit.parsed.fingerprint

    def visitor_keys(self, hit: Hit) -> list[VisitorKey]:
        """Return a key for each unique click that the visitor may have."""
        return counted_visitors(self.visitor_key(hit), self.unique_clicks)

    def unique_cookie(self, hit: Hit) -> str:
        """Return the click at which the visitor was last new to the offer; without a cookie this click."""
        return find_unique_cookie(hit.headers, self.id) or hit.click_id

    def capped_counts(self, hit: Hit) -> CappedCounts | None:
        """Return the counts of click caps in which the click needs a place; None = there are none."""
        if self.click_caps is None or hit.affiliate is None:
            return None
        counts = self.click_caps.counts_for(hit.affiliate.id, hit.country, hit.time_ms)
        if self.click_caps.most_of_visitor:
            return self.click_caps.with_visitor(counts, (hit.address, hit.parsed.fingerprint), hit.time_ms)
        return counts

    def find_full_cap(self, hit: Hit) -> str:
        """Return the id of the first full cap of conversions or budget that counts for this click; "" = none."""
        for cap in self.full_caps:
            if (
                (cap.until is None or hit.time_ms < cap.until)
                and (not cap.affiliates or (hit.affiliate is not None and hit.affiliate.id in cap.affiliates))
                and (not cap.countries or hit.country in cap.countries)
            ):
                return cap.cap
        return ""

    def find_landing(self, hit: Hit) -> RulesetLanding | None:
        """Return the landing in the parameter `l`; None when the parameter is missing or unknown."""
        text = hit.params.get("l")
        if text is None:
            return None
        landing_id = find_number(text)
        return next((landing for landing in self.offer.landings if landing.id == landing_id), None)


def unique_limits(advertiser: RulesetAdvertiser | None, *, unique_only: bool) -> tuple[int, int]:
    """Return how many clicks of a visitor are unique, and within how many hours.

    unique_only: uniqIpOnly, for which it is one in 24 hours
    """
    if advertiser is None or unique_only:
        return 1, UNIQUE_HOURS
    return advertiser.unique_clicks, advertiser.unique_hours


def find_number(text: str) -> int | None:
    """Return the integer id that a visitor wrote; None for another text."""
    if text.isdigit() and text.isascii():
        return int(text) if len(text) <= _MAX_NUMBER_LENGTH else 0
    return None


def without_zeros(text: str) -> str:
    """Return a number without leading zeros, the form that the ruleset knows it by; a hash keeps them."""
    return text.lstrip("0") if len(text) <= _MAX_NUMBER_LENGTH else ""


def _contains(numbers: "array[int] | None", number: int) -> bool:
    if numbers is None:
        return False
    place = bisect_left(numbers, number)
    return place < len(numbers) and numbers[place] == number
