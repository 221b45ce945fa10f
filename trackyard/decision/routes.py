"""The rules in the memory of one edge: look-ups that cost one dict access each."""

import logging
import sys
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec

from trackyard.decision.target.json_text import quoted
from trackyard.decision.targeting.checks import TargetingCheck
from trackyard.decision.targeting.compiler import find_sub_accounts
from trackyard.decision.targeting.targeting import Targeting
from trackyard.domain.tracking.ruleset import (
    NO_RESTRICTIONS,
    ROW_TYPES,
    FullCap,
    Restrictions,
    RulesetAdvertiser,
    RulesetAffiliate,
    RulesetConnections,
    RulesetFullCaps,
    RulesetOffer,
    RulesetPixels,
    RulesetPlatform,
    RulesetRow,
    RulesetSmartLink,
)

_log = logging.getLogger("trackyard.decision")

_decoders = {kind: msgspec.msgpack.Decoder(row) for kind, row in ROW_TYPES.items()}
_decode_restrictions = msgspec.msgpack.Decoder(Restrictions).decode

_TARGETING_CACHE_SIZE: Final = 131_072
_ACCEPTED_CACHE_SIZE: Final = 131_072
"""Pairs of offer and affiliate whose clicks pass that are remembered: 20 MB."""


def restrictions_of(offer: RulesetOffer) -> Restrictions:
    """The restrictions of an offer's row."""
    return _decode_restrictions(offer.restrictions) if offer.restrictions else NO_RESTRICTIONS


class KnownAffiliate:
    """An affiliate of the rules: what its row says (domain/rules.RulesetAffiliate), where compiled code finds it at
    once. One object for each row, which is told by that from others. number: the id as text."""

    __slots__ = ("active", "id", "name", "number", "server_networks")

    def __init__(self, row: RulesetAffiliate) -> None:
        self.id = row.id
        self.number = str(row.id)
        self.active = row.active
        self.name = row.name
        self.server_networks = row.server_networks


class OfferRoute:
    """All that clicks on one offer ask of the rules, in one place: made at the first of them, and anew when any of it
    changes.

    Ways are walked at random, so that each line of the processor's cache is waited for: what nearly all clicks ask
    comes first, and what many offers have alike is one object.

    edition: of the rules that it was made of · steady: whether it takes clicks at all times · accepts_all: whether it
    takes those of every affiliate that is active · passed: others whose clicks it takes, None = none did so far ·
    counted: whether a cap counts clicks · single_url: whether no targeting group has another · accounts: whether the
    advertiser restricts sub accounts · targeting: None = nothing restricts it · full: caps of conversions and budget
    without a place · id, redirect_type: the offer's · number: the id as text · columns: of a record, the advertiser as
    JSON · target, caps: where clicks go (decide/target) and what counts them (edge/caps), None = not looked up yet.
    """

    __slots__ = (
        "accepted_affiliates",
        "accepts_all",
        "advertiser",
        "always_open",
        "caps",
        "columns",
        "edition",
        "full_caps",
        "has_click_caps",
        "has_sub_accounts",
        "id",
        "number",
        "offer",
        "redirect_type",
        "single_url",
        "target",
        "targeting",
    )

    def __init__(
        self,
        edition: int,
        offer: RulesetOffer,
        advertiser: RulesetAdvertiser | None,
        targeting: Targeting | None,
        full_caps: tuple[FullCap, ...] = (),
        *,
        accepts_all: bool = False,
    ) -> None:
        always = targeting is None or not targeting.scheduled
        self.edition = edition
        self.always_open = offer.active and always and offer.start_at is None and offer.stop_at is None
        self.accepts_all = accepts_all
        self.has_click_caps = bool(offer.click_caps)
        self.single_url = targeting is None or not targeting.has_urls
        self.has_sub_accounts = advertiser is not None and bool(advertiser.sub_accounts)
        self.accepted_affiliates: set[KnownAffiliate] | None = None
        self.targeting = targeting
        self.target: object = None
        self.number = str(offer.id)
        self.columns = sys.intern(quoted(offer.advertiser))
        self.redirect_type = sys.intern(offer.redirect_type)
        self.id = offer.id
        self.full_caps = full_caps
        self.caps: object = None
        self.offer = offer
        self.advertiser = advertiser


class Ruleset:
    """Tables of compiled rules. `apply` changes them; everything else only reads."""

    __slots__ = (
        "_accepted_count",
        "_advertisers",
        "_affiliates",
        "_by_hash",
        "_connected",
        "_disconnected",
        "_edition",
        "_full_caps",
        "_offers",
        "_pixels",
        "_put",
        "_routes",
        "_smartlinks",
        "_sub_accounts",
        "_targetings",
        "platform",
    )

    def __init__(self) -> None:
        self.platform = RulesetPlatform()
        self._advertisers: dict[str, RulesetAdvertiser] = {}
        # Keyed by what visitors write, so that a look-up parses nothing.
        self._affiliates: dict[str, KnownAffiliate] = {}
        self._offers: dict[str, RulesetOffer] = {}
        self._by_hash: dict[str, RulesetOffer] = {}
        # Sorted arrays: five million connections are 20 MB here and half a gigabyte as sets.
        self._connected: dict[int, array[int]] = {}
        self._disconnected: dict[int, array[int]] = {}
        self._full_caps: dict[int, tuple[FullCap, ...]] = {}
        self._smartlinks: dict[str, RulesetSmartLink] = {}
        self._pixels: dict[tuple[int, int], tuple[str, ...]] = {}
        # Made at the first click that asks: of many offers few are clicked, and many of these restrict the same.
        self._targetings: dict[bytes, Targeting] = {}
        self._sub_accounts: dict[str, TargetingCheck | None] = {}
        self._routes: dict[str, OfferRoute] = {}
        self._edition = self._accepted_count = 0
        self._put: dict[str, Callable[[str, Any], None]] = {
            "platform": self._put_platform,
            "advertiser": self._put_advertiser,
            "affiliate": self._put_affiliate,
            "offer": self._put_offer,
            "connections": self._put_connections,
            "full_caps": self._put_full_caps,
            "smartlink": self._put_smartlink,
            "pixels": self._put_pixels,
        }

    @classmethod
    def of(cls, entries: Iterable[tuple[str, str, bytes | None]]) -> "Ruleset":
        """Rules made of (kind, key, payload) entries, as `apply` takes them."""
        made = cls()
        for kind, key, payload in entries:
            made.apply(kind, key, payload)
        return made

    def apply(self, kind: str, key: str, payload: bytes | None) -> None:
        """Sets the row of (kind, key), msgpack of its struct, or removes it (None)."""
        put = self._put.get(kind)
        if put is None:
            # A newer program wrote it; what this one does not know it cannot decide by.
            _log.warning("unknown kind of rule", extra={"kind": kind, "key": key})
            return
        row: RulesetRow | None = None if payload is None else _decoders[kind].decode(payload)
        put(key, row)

    def find_offer(self, key: str) -> RulesetOffer | None:
        """An offer by its integer id in plain decimal or its 24 hex digits."""
        return self._offers.get(key) or self._by_hash.get(key)

    def find_route(self, key: str) -> OfferRoute | None:
        """The way of clicks on an offer, as of `find_offer`."""
        route = self._routes.get(key)
        return route if route is not None and route.edition == self._edition else self._make_route(key)

    def _make_route(self, key: str) -> OfferRoute | None:
        offer = self.find_offer(key)
        if offer is None:
            return None
        if len(self._routes) >= _TARGETING_CACHE_SIZE:
            self._routes.clear()
        advertiser = self._advertisers.get(offer.advertiser)
        targeting = self._targeting(offer) if offer.restrictions else None
        full_caps = self._full_caps.get(offer.id, ())
        accepts_all = offer.open and offer.id not in self._disconnected
        accepts_all = accepts_all and advertiser is not None and not advertiser.blacklist
        route = OfferRoute(self._edition, offer, advertiser, targeting, full_caps, accepts_all=accepts_all)
        # One text for both: a look-up reads it, and so does the record.
        self._routes[route.number if key == route.number else key] = route
        return route

    def remember_accepted(self, route: OfferRoute, affiliate: KnownAffiliate) -> None:
        """Remembers that an offer takes clicks of an affiliate, until the rules change."""
        if self._accepted_count >= _ACCEPTED_CACHE_SIZE:
            self._accepted_count = 0
            self._routes.clear()
        self._accepted_count += 1
        if route.accepted_affiliates is None:
            route.accepted_affiliates = set()
        route.accepted_affiliates.add(affiliate)

    def _remove_route(self, offer: RulesetOffer | None) -> None:
        """Another way is to be made for clicks on an offer."""
        if offer is not None:
            self._routes.pop(str(offer.id), None)
            self._routes.pop(offer.hash, None)

    def find_affiliate(self, key: str) -> KnownAffiliate | None:
        """An affiliate by its id in plain decimal."""
        return self._affiliates.get(key)

    def find_advertiser(self, advertiser_id: str) -> RulesetAdvertiser | None:
        """An advertiser by its 24 hex digits."""
        return self._advertisers.get(advertiser_id)

    def _targeting(self, offer: RulesetOffer) -> Targeting:
        """The restrictions of an offer, compiled at the first click on one that restricts the same."""
        found = self._targetings.get(offer.restrictions)
        if found is None:
            if len(self._targetings) >= _TARGETING_CACHE_SIZE:
                self._targetings.clear()
            found = self._targetings[offer.restrictions] = Targeting(restrictions_of(offer))
        return found

    def find_sub_accounts(self, advertiser: RulesetAdvertiser) -> TargetingCheck | None:
        """The check of the sub accounts of an advertiser of these rules; None when it restricts none."""
        if not advertiser.sub_accounts:
            return None
        if advertiser.id not in self._sub_accounts:
            self._sub_accounts[advertiser.id] = find_sub_accounts("advertiser", advertiser.sub_accounts)
        return self._sub_accounts[advertiser.id]

    def find_smartlink(self, smartlink_id: str) -> RulesetSmartLink | None:
        """A SmartLink category by its 24 hex digits."""
        return self._smartlinks.get(smartlink_id)

    def pixels(self, offer_id: int, affiliate_id: int) -> tuple[str, ...]:
        """The code of the pixels that an affiliate shows to who converts at an offer."""
        return self._pixels.get((offer_id, affiliate_id), ()) if self._pixels else ()

    @property
    def has_pixels(self) -> bool:
        """Whether any affiliate shows pixels."""
        return bool(self._pixels)

    def is_connected(self, offer_id: int, affiliate_id: int) -> bool:
        """Whether staff connected the affiliate to the offer."""
        return _contains(self._connected.get(offer_id), affiliate_id)

    def is_disconnected(self, offer_id: int, affiliate_id: int) -> bool:
        """Whether staff took the affiliate off the offer."""
        return _contains(self._disconnected.get(offer_id), affiliate_id)

    def _put_platform(self, key: str, row: RulesetPlatform | None) -> None:
        self._edition += 1
        self.platform = row or RulesetPlatform()

    def _put_advertiser(self, key: str, row: RulesetAdvertiser | None) -> None:
        self._edition += 1
        self._sub_accounts.pop(key, None)
        _put(self._advertisers, key, row)

    def _put_affiliate(self, key: str, row: RulesetAffiliate | None) -> None:
        self._edition += 1
        _put(self._affiliates, key, None if row is None else KnownAffiliate(row))

    def _put_offer(self, key: str, row: RulesetOffer | None) -> None:
        before = self._offers.get(key)
        if before is not None:
            self._by_hash.pop(before.hash, None)
            self._remove_route(before)
        _put(self._offers, key, row)
        if row is not None:
            self._by_hash[row.hash] = row
            self._remove_route(row)

    def _put_connections(self, key: str, row: RulesetConnections | None) -> None:
        row = row or RulesetConnections(offer=int(key))
        self._remove_route(self._offers.get(key))
        _put(self._connected, row.offer, array("I", row.affiliates) if row.affiliates else None)
        _put(self._disconnected, row.offer, array("I", row.disconnected) if row.disconnected else None)

    def _put_full_caps(self, key: str, row: RulesetFullCaps | None) -> None:
        self._remove_route(self._offers.get(key))
        _put(self._full_caps, int(key), row.caps if row is not None and row.caps else None)

    def _put_smartlink(self, key: str, row: RulesetSmartLink | None) -> None:
        _put(self._smartlinks, key, row)

    def _put_pixels(self, key: str, row: RulesetPixels | None) -> None:
        offer_id, _, affiliate_id = key.partition("-")
        _put(self._pixels, (int(offer_id), int(affiliate_id)), row.codes if row is not None and row.codes else None)


def _contains(numbers: "array[int] | None", number: int) -> bool:
    if numbers is None:
        return False
    place = bisect_left(numbers, number)
    return place < len(numbers) and numbers[place] == number


def _put(table: dict[Any, Any], key: object, value: object | None) -> None:
    if value is None:
        table.pop(key, None)
    else:
        table[key] = value
