"""The ruleset in the memory of an edge: each look-up is one dict access."""

import logging
from array import array
from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec

from trackyard.decision.click.hit import KnownAffiliate
from trackyard.decision.click.route import OfferRoute, without_zeros
from trackyard.decision.click.steps import UNKNOWN_OFFER, set_checks
from trackyard.decision.targeting.checks import TargetingCheck
from trackyard.decision.targeting.compiler import find_sub_accounts
from trackyard.decision.targeting.targeting import Targeting
from trackyard.domain.tracking.ruleset import (
    NO_RESTRICTIONS,
    ROW_TYPES,
    UNIQUE_HOURS,
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


def restrictions_of(offer: RulesetOffer) -> Restrictions:
    """Return the restrictions of an offer."""
    return _decode_restrictions(offer.restrictions) if offer.restrictions else NO_RESTRICTIONS


class Ruleset:
    """Tables of compiled rows. `apply` changes them; everything else reads."""

    def __init__(self) -> None:
        self.platform = RulesetPlatform()
        self._advertisers: dict[str, RulesetAdvertiser] = {}
        # Keyed by the text of links, so that a look-up parses nothing.
        self._affiliates: dict[str, KnownAffiliate] = {}
        self._offers: dict[str, RulesetOffer] = {}
        self._by_hash: dict[str, RulesetOffer] = {}
        # Sorted arrays: five million connections are 20 MB here and half a gigabyte as sets.
        self._connected: dict[int, array[int]] = {}
        self._disconnected: dict[int, array[int]] = {}
        self._full_caps: dict[int, tuple[FullCap, ...]] = {}
        self._smartlinks: dict[str, RulesetSmartLink] = {}
        self._pixels: dict[tuple[int, int], tuple[str, ...]] = {}
        # Made at the first click: of many offers few are clicked, and many of them have equal restrictions.
        self._targetings: dict[bytes, Targeting] = {}
        self._sub_accounts: dict[str, TargetingCheck | None] = {}
        self._routes: dict[str, OfferRoute] = {}
        self._edition = 0
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
        """Return a ruleset of (kind, key, payload) entries, see `apply`."""
        made = cls()
        for kind, key, payload in entries:
            made.apply(kind, key, payload)
        return made

    def apply(self, kind: str, key: str, payload: bytes | None) -> None:
        """Set the row of (kind, key), msgpack of its struct, or remove it (None)."""
        put = self._put.get(kind)
        if put is None:
            # A newer program wrote it: this one cannot decide by an unknown kind.
            _log.warning("ruleset row of unknown kind", extra={"kind": kind, "key": key})
            return
        try:
            row: RulesetRow | None = None if payload is None else _decoders[kind].decode(payload)
        except msgspec.ValidationError as error:
            # A newer program wrote it: a decision by a part of it would be wrong.
            _log.error("ruleset row not compiled", extra={"kind": kind, "key": key, "error": str(error)})
            row = None
        put(key, row)

    def find_offer(self, key: str) -> RulesetOffer | None:
        """Return an offer by its integer id in plain decimal or its 24 hex digits."""
        return self._offers.get(key) or self._by_hash.get(key)

    def find_route(self, key: str) -> OfferRoute | None:
        """Return the route of clicks on an offer, by the keys of `find_offer`."""
        route = self._routes.get(key)
        return route if route is not None and route.edition == self._edition else self._make_route(key)

    def _make_route(self, key: str) -> OfferRoute | None:
        offer = self.find_offer(key)
        if offer is None:
            return None
        if len(self._routes) >= _TARGETING_CACHE_SIZE:
            self._routes.clear()
        advertiser = self._advertisers.get(offer.advertiser)
        route = OfferRoute(
            self._edition,
            offer,
            advertiser,
            self._targeting(offer) if offer.restrictions else None,
            None if advertiser is None else self._find_sub_accounts(advertiser),
            self._full_caps.get(offer.id, ()),
            self._connected.get(offer.id),
            self._disconnected.get(offer.id),
            self.platform.timezone,
        )
        # One text object for both: look-ups and records read it.
        self._routes[route.number if key == route.number else key] = set_checks(route)
        return route

    def route_of(self, params: dict[str, str]) -> OfferRoute:
        """Return the route for the parameters of a click, or UNKNOWN_OFFER."""
        key = params.get("offer_id", "")
        return self.find_route(key) or self.find_route(without_zeros(key)) or UNKNOWN_OFFER

    def affiliate_of(self, params: dict[str, str]) -> KnownAffiliate | None:
        """Return the affiliate of the parameters of a click; None when there is none."""
        key = params.get("pid", "")
        return self._affiliates.get(key) or self._affiliates.get(without_zeros(key))

    def _remove_route(self, offer: RulesetOffer | None) -> None:
        """Drop the route of an offer: it changed."""
        if offer is not None:
            self._routes.pop(str(offer.id), None)
            self._routes.pop(offer.hash, None)

    def find_advertiser(self, advertiser_id: str) -> RulesetAdvertiser | None:
        """Return an advertiser by its 24 hex digits."""
        return self._advertisers.get(advertiser_id)

    @property
    def has_own_uniqueness(self) -> bool:
        """Whether any advertiser has its own number or hours of unique clicks per visitor."""
        default = (1, UNIQUE_HOURS)
        return any((each.unique_clicks, each.unique_hours) != default for each in self._advertisers.values())

    def _targeting(self, offer: RulesetOffer) -> Targeting:
        """Return the compiled restrictions of an offer, one object for equal restrictions."""
        found = self._targetings.get(offer.restrictions)
        if found is None:
            if len(self._targetings) >= _TARGETING_CACHE_SIZE:
                self._targetings.clear()
            found = self._targetings[offer.restrictions] = Targeting(restrictions_of(offer))
        return found

    def _find_sub_accounts(self, advertiser: RulesetAdvertiser) -> TargetingCheck | None:
        """Return the check of an advertiser's sub accounts; None = it restricts none."""
        if not advertiser.sub_accounts:
            return None
        if advertiser.id not in self._sub_accounts:
            self._sub_accounts[advertiser.id] = find_sub_accounts("advertiser", advertiser.sub_accounts)
        return self._sub_accounts[advertiser.id]

    def find_smartlink(self, smartlink_id: str) -> RulesetSmartLink | None:
        """Return a SmartLink by its 24 hex digits."""
        return self._smartlinks.get(smartlink_id)

    def pixels(self, offer_id: int, affiliate_id: int) -> tuple[str, ...]:
        """Return the code of an affiliate's pixels for conversions of an offer."""
        return self._pixels.get((offer_id, affiliate_id), ()) if self._pixels else ()

    @property
    def has_pixels(self) -> bool:
        """Whether any affiliate shows pixels."""
        return bool(self._pixels)

    def _put_platform(self, key: str, row: RulesetPlatform | None) -> None:
        self._edition += 1
        self.platform = row or RulesetPlatform()

    def _put_advertiser(self, key: str, row: RulesetAdvertiser | None) -> None:
        self._edition += 1
        self._sub_accounts.pop(key, None)
        _put(self._advertisers, key, row)

    def _put_affiliate(self, key: str, row: RulesetAffiliate | None) -> None:
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


def _put(table: dict[Any, Any], key: object, value: object | None) -> None:
    if value is None:
        table.pop(key, None)
    else:
        table[key] = value
