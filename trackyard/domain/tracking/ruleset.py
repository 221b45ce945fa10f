"""The ruleset of edges: immutable rows, compiled from SQL (docs/spec/engine.md#rulesets).

A row travels as (kind, key, version, row | tombstone) from SQL through `rules.snapshot` and `rules.log` into the memory
of each edge. Rows are msgspec structs: small in memory and fast to decode.
"""

from typing import Final

import msgspec

from trackyard.domain.offers.choices import RedirectType
from trackyard.domain.offers.offers import (
    OfferSchedule,
    RestrictedIsp,
    RestrictedOs,
    SubAccountList,
    TargetingGroup,
    WeightedUrl,
)

SCHEMA_VERSION: Final = 11
"""Rises with any change of a row's form. A snapshot of another schema is built again."""
UNIQUE_HOURS: Final = 24
"""For so many hours a visitor counts as seen, where its advertiser says nothing else."""
MAX_UNIQUE_HOURS: Final = 48
MAX_UNIQUE_CLICKS: Final = 100
RULESET_STALE_S: Final = 10.0
"""A ruleset that was confirmed longer ago is stale; the edge still decides by it, and reports it."""


class RulesetPlatform(msgspec.Struct, frozen=True, gc=False):
    """Settings of the installation that decide a click. One row, key "platform"."""

    trafficback_url: str = ""
    timezone: str = "UTC"
    refuse_bots: bool = True


class RulesetAdvertiser(msgspec.Struct, frozen=True, gc=False):
    """One row an advertiser, key = its id.

    blacklist: the affiliates that it rejects.
    enabled: the only affiliates that may use its offers; empty = all may.
    sub_accounts: by sub number ("1", "2"), for all its offers.
    personal_only: whether its offers apply only the personal targeting of an affiliate that has some.
    subs_key: the key for the codes that it gets instead of subs, "" = it gets the subs.
    unique_clicks: unique clicks per visitor and offer, at most, within `unique_hours`; further clicks are not unique.
    """

    id: str
    blacklist: frozenset[int] = frozenset()
    sub_accounts: dict[str, SubAccountList] = {}
    personal_only: bool = False
    enabled: frozenset[int] = frozenset()
    subs_key: str = ""
    unique_clicks: int = 1
    unique_hours: int = UNIQUE_HOURS


class RulesetAffiliate(msgspec.Struct, frozen=True, gc=False):
    """One row an affiliate, key = its id.

    rejection: the reason for which its clicks are rejected, "" = they count.
    name: fills {affiliate_name}; never the login, which may be an e-mail address.
    server_networks: addresses and networks from which it may report the clicks of others (`ip=`, `ua=`); empty = none.
    """

    id: int
    rejection: str = ""
    name: str = ""
    server_networks: tuple[str, ...] = ()


class RulesetLanding(msgspec.Struct, frozen=True, gc=False):
    """A page of an offer, a landing or a transit page."""

    id: int
    url: str
    transit: bool = False


class ClickCap(msgspec.Struct, frozen=True, gc=False):
    """A cap that rejects clicks (docs/spec/conversions.md#caps). The lists are filled for `exact`."""

    id: str
    period: str
    value: int
    affiliate_type: str = "all"
    affiliates: tuple[int, ...] = ()
    country_type: str = "all"
    countries: tuple[str, ...] = ()


class Restrictions(msgspec.Struct, frozen=True, omit_defaults=True):
    """The requirements of an offer for clicks (docs/spec/tracking.md#restrictions-and-targeting-groups).

    countries: the countries of an offer with strictly_country.
    empty_sub: number of the sub that must not be empty.
    personal_only: consider_personal_targeting_only.
    unique_only: uniqIpOnly.
    by_sub3: host_uniqueness_type is sub3.
    hosts_only: statistics leave out clicks of visitors that were seen before.
    blocked: values of subs that rules block, by affiliate and number of the sub.
    """

    schedule: OfferSchedule | None = None
    countries: tuple[str, ...] = ()
    os: tuple[RestrictedOs, ...] = ()
    isps: tuple[RestrictedIsp, ...] = ()
    devices: tuple[str, ...] = ()
    brands: tuple[str, ...] = ()
    connection: str = ""
    subs: tuple[dict[str, str], ...] = ()
    sub_accounts: dict[str, SubAccountList] = {}
    groups: tuple[TargetingGroup, ...] = ()
    personal_only: bool = False
    empty_sub: int | None = None
    unique_only: bool = False
    by_sub3: bool = False
    hosts_only: bool = False
    blocked: dict[int, dict[int, tuple[str, ...]]] = {}


NO_RESTRICTIONS: Final = Restrictions()


class ReplacedSub(msgspec.Struct, frozen=True, gc=False):
    """Values that the advertiser gets for a sub, one of them at random for each click.

    always: also where the link has a value of its own.
    """

    sub: str
    values: tuple[str, ...]
    always: bool = False


class RulesetOffer(msgspec.Struct, frozen=True, gc=False):
    """One row an offer, key = its integer id. Times are UTC milliseconds; None = no limit.

    open: whether any affiliate may send traffic (privacy public), except disconnected ones; otherwise it must be
    connected.
    restrictions: msgpack of Restrictions, b"" = none. Bytes take a tenth of the memory, and few offers are clicked.
    click_caps: the click caps that reject clicks, in caps_timezone ("" = the platform's).
    macro_url: text that is appended to the target URL of an accepted click.
    private: whether only connected affiliates may know that it exists (privacy private).
    impression_urls: targets for shares of impressions; the rest goes to impressions_url.
    impression_overcap: whether full click caps reject impressions.
    duplicate_clicks: accepted clicks per visitor and day; 0 = all.
    replaced_subs: macros of the target URL that get other values.
    """

    id: int
    hash: str
    title: str
    advertiser: str
    url: str
    active: bool
    open: bool
    preview_url: str = ""
    trafficback_url: str = ""
    start_at: int | None = None
    stop_at: int | None = None
    landings: tuple[RulesetLanding, ...] = ()
    redirect_type: RedirectType = RedirectType.HTTP_302
    allow_deeplink: bool = False
    allow_impressions: bool = False
    impressions_url: str = ""
    caps_timezone: str = ""
    click_caps: tuple[ClickCap, ...] = ()
    restrictions: bytes = b""
    macro_url: str = ""
    private: bool = False
    impression_urls: tuple[WeightedUrl, ...] = ()
    impression_overcap: bool = False
    duplicate_clicks: int = 0
    replaced_subs: tuple[ReplacedSub, ...] = ()


class RulesetConnections(msgspec.Struct, frozen=True, gc=False):
    """The affiliates connected to one offer, key = the offer's integer id; sorted ids.

    disconnected: affiliates that staff disconnected; they may not use the offer even when it is open.
    """

    offer: int
    affiliates: tuple[int, ...] = ()
    disconnected: tuple[int, ...] = ()


class FullCap(msgspec.Struct, frozen=True, gc=False):
    """A full cap of conversions or of a budget, which rejects clicks.

    Empty lists = of any. until: when its period ends (UTC ms), None = never.
    """

    cap: str
    affiliates: tuple[int, ...] = ()
    countries: tuple[str, ...] = ()
    until: int | None = None


class RulesetFullCaps(msgspec.Struct, frozen=True, gc=False):
    """The full caps of one offer, key = its integer id; no row = none is full."""

    offer: int
    caps: tuple[FullCap, ...] = ()


class RulesetSmartLinkOffer(msgspec.Struct, frozen=True, gc=False):
    """An offer of a SmartLink category. epc: payouts a click over 7 days, without declined conversions."""

    offer: int
    epc: float = 0


class RulesetSmartLink(msgspec.Struct, frozen=True, gc=False):
    """One row a SmartLink category, key = its id; the best EPC first, then the smallest id."""

    id: str
    offers: tuple[RulesetSmartLinkOffer, ...] = ()


class RulesetPixels(msgspec.Struct, frozen=True, gc=False):
    """The active and accepted pixels of an affiliate for an offer. Key = "offer-affiliate"."""

    offer: int
    affiliate: int
    codes: tuple[str, ...] = ()


RulesetRow = (
    RulesetPlatform
    | RulesetAdvertiser
    | RulesetAffiliate
    | RulesetOffer
    | RulesetConnections
    | RulesetFullCaps
    | RulesetSmartLink
    | RulesetPixels
)

ROW_TYPES: Final[dict[str, type[RulesetRow]]] = {
    "platform": RulesetPlatform,
    "advertiser": RulesetAdvertiser,
    "affiliate": RulesetAffiliate,
    "offer": RulesetOffer,
    "connections": RulesetConnections,
    "full_caps": RulesetFullCaps,
    "smartlink": RulesetSmartLink,
    "pixels": RulesetPixels,
}
"""Kind of rows to their type."""
