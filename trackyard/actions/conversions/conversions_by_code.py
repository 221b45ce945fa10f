"""The promo codes of postbacks without a click (docs/spec/conversions.md#promo-codes)."""

from collections.abc import Callable, Collection, Mapping
from ipaddress import ip_address
from typing import Any, Final

from trackyard.actions.conversions.identities import PostbackRequest
from trackyard.base.clock import Clock
from trackyard.base.ids import IMPORT_EDGE, new_click_id
from trackyard.decision.visitor.databases import AddressDatabases
from trackyard.decision.visitor.geo import GeoLookup
from trackyard.domain.conversions.postbacks import PostbackError, ReceivedPostback
from trackyard.domain.offers.promo_codes import PromoCodeTerms, folded_code
from trackyard.domain.statistics.click_columns import EMPTY_CLICK, Source, columns_from
from trackyard.store.engine.database import Connection
from trackyard.store.offers import promo_codes

_CACHED_ADDRESSES: Final = 500
_REFRESH_MS: Final = 60_000
"""How often replaced address databases are looked for."""


def find_terms(
    conn: Connection, postbacks: Collection[ReceivedPostback], *, lock: bool
) -> Mapping[str, PromoCodeTerms]:
    """Return the terms of the promo codes in postbacks, by the code without letter case.

    lock: no other transaction counts their conversions until the end of this one.
    """
    named = {folded_code(each.promo_code) for each in postbacks if each.names_promo_code}
    found = promo_codes.find_by_code(conn, named, lock=lock)
    used = promo_codes.count_usage(conn, {code.code for code, _ in found.values()})
    return {
        folded: PromoCodeTerms(code, advertiser_id, used.get(code.code, 0))
        for folded, (code, advertiser_id) in found.items()
    }


def request_of(
    postback: ReceivedPostback, terms: Mapping[str, PromoCodeTerms], place: Callable[[str], Any]
) -> PostbackRequest | PostbackError:
    """Return the request of a postback with a promo code, or its fault.

    The request has a click of its own. terms: by `find_terms`. place: returns the geo record of an address.
    """
    found = terms.get(folded_code(postback.promo_code))
    if found is None:
        return PostbackError.NO_PROMO_CODE
    address = _address(postback.reported_ip)
    where = place(address)
    click = {
        **EMPTY_CLICK,
        **{name: getattr(where, name) for name in columns_from(Source.PLACE)},
        "time": postback.time,
        "id": new_click_id(postback.time, IMPORT_EDGE),
        "offer": found.promo_code.offer_id,
        "affiliate": found.promo_code.affiliate_id,
        "advertiser": found.advertiser_id,
        "ip": address,
    }
    return PostbackRequest(postback, click, found)


class VisitorPlaces:
    """The geo records of visitors of promo codes. The first one opens the databases."""

    def __init__(self, databases: AddressDatabases, clock: Clock) -> None:
        self._databases = databases
        self._clock = clock
        self._places: GeoLookup | None = None
        self._refreshed_at = 0

    def place(self, address: str) -> Any:
        """Return the record of an address; the argument must be an address or ""."""
        now = self._clock.now_ms()
        if self._places is None:
            self._places = GeoLookup(self._databases, cache_size=_CACHED_ADDRESSES)
            self._refreshed_at = now
        elif now - self._refreshed_at >= _REFRESH_MS:
            self._places.refresh()
            self._refreshed_at = now
        return self._places.place(address)


def _address(text: str) -> str:
    """Return an address as it was reported, "" for another text."""
    try:
        ip_address(text)
    except ValueError:
        return ""
    return text
