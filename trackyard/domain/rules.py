"""The rules an edge decides from: immutable rows, compiled from what staff wrote (architecture.md, Rules).

A row travels as (kind, key, version, row | tombstone) from SQL through `rules.snapshot` and `rules.log`
into the memory of each edge. Rows are msgspec structs: slotted, cheap to hold and to decode.
"""

from typing import Final

import msgspec

SCHEMA: Final = 2
"""Changes whenever a row's form does: a snapshot of another schema is built anew."""


class Platform(msgspec.Struct, frozen=True, gc=False):
    """Settings of the installation that decide a click. One row, key "platform"."""

    trafficback_url: str = ""


class Advertiser(msgspec.Struct, frozen=True, gc=False):
    """One row an advertiser, key = its id. `blacklist` holds the affiliates it refuses."""

    id: str
    blacklist: frozenset[int] = frozenset()


class Affiliate(msgspec.Struct, frozen=True, gc=False):
    """One row an affiliate, key = its id. `name` fills {affiliate_name}."""

    id: int
    active: bool
    name: str = ""


class Landing(msgspec.Struct, frozen=True, gc=False):
    """A landing (or transit) page of an offer."""

    id: int
    url: str


class Offer(msgspec.Struct, frozen=True, gc=False):
    """One row an offer, key = its integer id. Times are UTC milliseconds; None = no limit.

    `open` says that any affiliate may send traffic (privacy public) but those that staff took off it; else it must
    be connected.
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
    landings: tuple[Landing, ...] = ()


class Connections(msgspec.Struct, frozen=True, gc=False):
    """The affiliates connected to one offer, key = the offer's integer id; sorted ids. `disconnected`: those that
    staff took off it, who may not use it though it be open."""

    offer: int
    affiliates: tuple[int, ...] = ()
    disconnected: tuple[int, ...] = ()


Row = Platform | Advertiser | Affiliate | Offer | Connections

KINDS: Final[dict[str, type[Row]]] = {
    "platform": Platform,
    "advertiser": Advertiser,
    "affiliate": Affiliate,
    "offer": Offer,
    "connections": Connections,
}
"""Kind on the wire → the type of its rows."""
