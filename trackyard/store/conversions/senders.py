"""The offers and advertisers that postbacks without a click name.

docs/spec/conversions.md#postbacks-without-a-click
"""

from collections.abc import Collection
from typing import Final

from sqlalchemy import or_, select

from trackyard.store.engine.database import Connection
from trackyard.store.engine.in_lists import among
from trackyard.store.tables import advertiser, offer

_OFFERS: Final = select(offer.c.id, offer.c.advertiser_id).where(among(offer.c.id, "ids"))
_OFFER_CODES: Final = select(offer.c.id, offer.c.advertiser_id, offer.c.hash_password, offer.c.pixel_code).where(
    or_(among(offer.c.hash_password, "codes"), among(offer.c.pixel_code, "codes"))
)
_ADVERTISER_CODES: Final = select(advertiser.c.id, advertiser.c.hash_password).where(
    among(advertiser.c.hash_password, "codes")
)


def get_advertisers_of(conn: Connection, offer_ids: Collection[int]) -> dict[int, str]:
    """Return the advertiser of each offer that exists."""
    rows = conn.execute(_OFFERS, {"ids": offer_ids}).all() if offer_ids else []
    return {row.id: row.advertiser_id for row in rows}


def find_owners(conn: Connection, codes: Collection[str]) -> dict[str, set[tuple[int, str]]]:
    """Return the offers and advertisers that have a code, by code.

    The offer is 0 where the code belongs to an advertiser. Empty codes must not be asked for.
    """
    found: dict[str, set[tuple[int, str]]] = {code: set() for code in codes}
    if not codes:
        return found
    for offer_id, advertiser_id, *own in conn.execute(_OFFER_CODES, {"codes": codes}):
        for code in set(own) & found.keys():
            found[code].add((offer_id, advertiser_id))
    for advertiser_id, code in conn.execute(_ADVERTISER_CODES, {"codes": codes}):
        found[code].add((0, advertiser_id))
    return found
