"""The rules in the memory of one edge: look-ups that cost one dict access each."""

import logging
import sys
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec

from trackyard.decision.target.json_text import quoted
from trackyard.decision.targeting.checks import Check
from trackyard.decision.targeting.compiler import find_sub_accounts
from trackyard.decision.targeting.targeting import Targeting
from trackyard.domain.tracking.ruleset import (
    KINDS,
    NO_RESTRICTIONS,
    Advertiser,
    Affiliate,
    Connections,
    FullCap,
    FullCaps,
    Offer,
    Pixels,
    Platform,
    Restrictions,
    Row,
    SmartLink,
)

_log = logging.getLogger("trackyard.decision")

_decoders = {kind: msgspec.msgpack.Decoder(row) for kind, row in KINDS.items()}
_decode_restrictions = msgspec.msgpack.Decoder(Restrictions).decode

_TARGETINGS_KEPT: Final = 131_072
_PASSED_KEPT: Final = 131_072
"""Pairs of offer and affiliate whose clicks pass that are remembered: 20 MB."""


def restrictions_of(offer: Offer) -> Restrictions:
    """The restrictions of an offer's row."""
    return _decode_restrictions(offer.restrictions) if offer.restrictions else NO_RESTRICTIONS


class KnownAffiliate:
    """An affiliate of the rules: what its row says (domain/rules.Affiliate), where compiled code finds it at once. One
    object for each row, which is told by that from others. number: the id as text."""

    __slots__ = ("active", "id", "name", "number", "server_networks")

    def __init__(self, row: Affiliate) -> None:
        self.id = row.id
        self.number = str(row.id)
        self.active = row.active
        self.name = row.name
        self.server_networks = row.server_networks


class Way:
    """All that clicks on one offer ask of the rules, in one place: made at the first of them, and anew when any of it
    changes.

    Ways are walked at random, so that each line of the processor's cache is waited for: what nearly all clicks ask
    comes first, and what many offers have alike is one object.

    edition: of the rules that it was made of · steady: whether it takes clicks at all times · takes_all: whether it
    takes those of every affiliate that is active · passed: others whose clicks it takes, None = none did so far ·
    counted: whether a cap counts clicks · one_url: whether no targeting group has another · accounts: whether the
    advertiser restricts sub accounts · targeting: None = nothing restricts it · full: caps of conversions and budget
    without a place · id, redirect_type: the offer's · number: the id as text · columns: of a record, the advertiser as
    JSON · target, caps: where clicks go (decide/target) and what counts them (edge/caps), None = not looked up yet.
    """

    __slots__ = (
        "accounts",
        "advertiser",
        "caps",
        "columns",
        "counted",
        "edition",
        "full",
        "id",
        "number",
        "offer",
        "one_url",
        "passed",
        "redirect_type",
        "steady",
        "takes_all",
        "target",
        "targeting",
    )

    def __init__(
        self,
        edition: int,
        offer: Offer,
        advertiser: Advertiser | None,
        targeting: Targeting | None,
        full: tuple[FullCap, ...] = (),
        *,
        takes_all: bool = False,
    ) -> None:
        always = targeting is None or not targeting.scheduled
        self.edition = edition
        self.steady = offer.active and always and offer.start_at is None and offer.stop_at is None
        self.takes_all = takes_all
        self.counted = bool(offer.click_caps)
        self.one_url = targeting is None or not targeting.has_urls
        self.accounts = advertiser is not None and bool(advertiser.sub_accounts)
        self.passed: set[KnownAffiliate] | None = None
        self.targeting = targeting
        self.target: object = None
        self.number = str(offer.id)
        self.columns = sys.intern(quoted(offer.advertiser))
        self.redirect_type = sys.intern(offer.redirect_type)
        self.id = offer.id
        self.full = full
        self.caps: object = None
        self.offer = offer
        self.advertiser = advertiser


class Rules:
    """Tables of compiled rules. `apply` changes them; everything else only reads."""

    __slots__ = (
        "_advertisers",
        "_affiliates",
        "_by_hash",
        "_connected",
        "_disconnected",
        "_edition",
        "_full",
        "_offers",
        "_passed",
        "_pixels",
        "_put",
        "_smartlinks",
        "_sub_accounts",
        "_targetings",
        "_ways",
        "platform",
    )

    def __init__(self) -> None:
        self.platform = Platform()
        self._advertisers: dict[str, Advertiser] = {}
        # Keyed by what visitors write, so that a look-up parses nothing.
        self._affiliates: dict[str, KnownAffiliate] = {}
        self._offers: dict[str, Offer] = {}
        self._by_hash: dict[str, Offer] = {}
        # Sorted arrays: five million connections are 20 MB here and half a gigabyte as sets.
        self._connected: dict[int, array[int]] = {}
        self._disconnected: dict[int, array[int]] = {}
        self._full: dict[int, tuple[FullCap, ...]] = {}
        self._smartlinks: dict[str, SmartLink] = {}
        self._pixels: dict[tuple[int, int], tuple[str, ...]] = {}
        # Made at the first click that asks: of many offers few are clicked, and many of these restrict the same.
        self._targetings: dict[bytes, Targeting] = {}
        self._sub_accounts: dict[str, Check | None] = {}
        self._ways: dict[str, Way] = {}
        self._edition = self._passed = 0
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
    def of(cls, entries: Iterable[tuple[str, str, bytes | None]]) -> "Rules":
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
        row: Row | None = None if payload is None else _decoders[kind].decode(payload)
        put(key, row)

    def find_offer(self, key: str) -> Offer | None:
        """An offer by its integer id in plain decimal or its 24 hex digits."""
        return self._offers.get(key) or self._by_hash.get(key)

    def find_way(self, key: str) -> Way | None:
        """The way of clicks on an offer, as of `find_offer`."""
        way = self._ways.get(key)
        return way if way is not None and way.edition == self._edition else self._make_way(key)

    def _make_way(self, key: str) -> Way | None:
        offer = self.find_offer(key)
        if offer is None:
            return None
        if len(self._ways) >= _TARGETINGS_KEPT:
            self._ways.clear()
        advertiser = self._advertisers.get(offer.advertiser)
        targeting = self._targeting(offer) if offer.restrictions else None
        full = self._full.get(offer.id, ())
        takes_all = offer.open and offer.id not in self._disconnected
        takes_all = takes_all and advertiser is not None and not advertiser.blacklist
        way = Way(self._edition, offer, advertiser, targeting, full, takes_all=takes_all)
        # One text for both: a look-up reads it, and so does the record.
        self._ways[way.number if key == way.number else key] = way
        return way

    def let_pass(self, way: Way, affiliate: KnownAffiliate) -> None:
        """Remembers that an offer takes clicks of an affiliate, until the rules change."""
        if self._passed >= _PASSED_KEPT:
            self._passed = 0
            self._ways.clear()
        self._passed += 1
        if way.passed is None:
            way.passed = set()
        way.passed.add(affiliate)

    def _forget_way(self, offer: Offer | None) -> None:
        """Another way is to be made for clicks on an offer."""
        if offer is not None:
            self._ways.pop(str(offer.id), None)
            self._ways.pop(offer.hash, None)

    def find_affiliate(self, key: str) -> KnownAffiliate | None:
        """An affiliate by its id in plain decimal."""
        return self._affiliates.get(key)

    def find_advertiser(self, advertiser_id: str) -> Advertiser | None:
        """An advertiser by its 24 hex digits."""
        return self._advertisers.get(advertiser_id)

    def _targeting(self, offer: Offer) -> Targeting:
        """The restrictions of an offer, compiled at the first click on one that restricts the same."""
        found = self._targetings.get(offer.restrictions)
        if found is None:
            if len(self._targetings) >= _TARGETINGS_KEPT:
                self._targetings.clear()
            found = self._targetings[offer.restrictions] = Targeting(restrictions_of(offer))
        return found

    def find_sub_accounts(self, advertiser: Advertiser) -> Check | None:
        """The check of the sub accounts of an advertiser of these rules; None when it restricts none."""
        if not advertiser.sub_accounts:
            return None
        if advertiser.id not in self._sub_accounts:
            self._sub_accounts[advertiser.id] = find_sub_accounts("advertiser", advertiser.sub_accounts)
        return self._sub_accounts[advertiser.id]

    def find_smartlink(self, smartlink_id: str) -> SmartLink | None:
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
        return _holds(self._connected.get(offer_id), affiliate_id)

    def is_disconnected(self, offer_id: int, affiliate_id: int) -> bool:
        """Whether staff took the affiliate off the offer."""
        return _holds(self._disconnected.get(offer_id), affiliate_id)

    def _put_platform(self, key: str, row: Platform | None) -> None:
        self._edition += 1
        self.platform = row or Platform()

    def _put_advertiser(self, key: str, row: Advertiser | None) -> None:
        self._edition += 1
        self._sub_accounts.pop(key, None)
        _put(self._advertisers, key, row)

    def _put_affiliate(self, key: str, row: Affiliate | None) -> None:
        self._edition += 1
        _put(self._affiliates, key, None if row is None else KnownAffiliate(row))

    def _put_offer(self, key: str, row: Offer | None) -> None:
        before = self._offers.get(key)
        if before is not None:
            self._by_hash.pop(before.hash, None)
            self._forget_way(before)
        _put(self._offers, key, row)
        if row is not None:
            self._by_hash[row.hash] = row
            self._forget_way(row)

    def _put_connections(self, key: str, row: Connections | None) -> None:
        row = row or Connections(offer=int(key))
        self._forget_way(self._offers.get(key))
        _put(self._connected, row.offer, array("I", row.affiliates) if row.affiliates else None)
        _put(self._disconnected, row.offer, array("I", row.disconnected) if row.disconnected else None)

    def _put_full_caps(self, key: str, row: FullCaps | None) -> None:
        self._forget_way(self._offers.get(key))
        _put(self._full, int(key), row.caps if row is not None and row.caps else None)

    def _put_smartlink(self, key: str, row: SmartLink | None) -> None:
        _put(self._smartlinks, key, row)

    def _put_pixels(self, key: str, row: Pixels | None) -> None:
        offer_id, _, affiliate_id = key.partition("-")
        _put(self._pixels, (int(offer_id), int(affiliate_id)), row.codes if row is not None and row.codes else None)


def _holds(numbers: "array[int] | None", number: int) -> bool:
    if numbers is None:
        return False
    place = bisect_left(numbers, number)
    return place < len(numbers) and numbers[place] == number


def _put(table: dict[Any, Any], key: object, value: object | None) -> None:
    if value is None:
        table.pop(key, None)
    else:
        table[key] = value
