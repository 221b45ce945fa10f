"""Names of the things that lists and reports mention."""

from collections.abc import Iterable, Set
from dataclasses import dataclass, field

from trackyard.domain.offers.lists import OfferName
from trackyard.domain.people.affiliates import AffiliateName
from trackyard.domain.people.staff import Staff
from trackyard.store.engine.database import Connection
from trackyard.store.offers import offers
from trackyard.store.people import advertisers, affiliates


@dataclass(frozen=True, slots=True)
class EntityNames:
    """Current names by id, without removed records. cities: by their stored names."""

    offers: dict[int, OfferName] = field(default_factory=dict)
    affiliates: dict[int, AffiliateName] = field(default_factory=dict)
    advertisers: dict[str, str] = field(default_factory=dict)
    managers: dict[str, Staff] = field(default_factory=dict)
    cities: dict[str, str] = field(default_factory=dict)


def with_names(
    conn: Connection,
    known: EntityNames,
    *,
    offer_ids: Iterable[int],
    affiliate_ids: Iterable[int],
    advertiser_ids: Iterable[str] = (),
) -> EntityNames:
    """Return the names of ids; names in `known` are not read again."""
    return EntityNames(
        offers=known.offers | offers.names_of(conn, set(offer_ids) - known.offers.keys()),
        affiliates=known.affiliates | affiliates.names_of(conn, set(affiliate_ids) - known.affiliates.keys()),
        advertisers=known.advertisers | advertisers.titles_of(conn, set(advertiser_ids) - known.advertisers.keys()),
    )


def names_in_conversions(
    conn: Connection, known: EntityNames, offer_ids: Set[int], affiliate_ids: Set[int], advertiser_ids: Set[str]
) -> EntityNames:
    """Return the names that conversions mention; a removed offer has none."""
    present = offers.existing_titles(conn, offer_ids - known.offers.keys())
    return with_names(conn, known, offer_ids=present, affiliate_ids=affiliate_ids, advertiser_ids=advertiser_ids)
