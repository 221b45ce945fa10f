"""URLs that offers have called: on conversions and on clicks (docs/spec/postbacks.md#urls-of-offers)."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, case, func, select

from trackyard.domain.offers.choices import CallMethod
from trackyard.store.engine.in_lists import among
from trackyard.store.tables import advertiser, offer

_SUBS_KEY: Final[ColumnElement[Any]] = case(
    (advertiser.c.subaccounts_encryption, func.coalesce(advertiser.c.subs_key, "")), else_=""
)
_CROSS: Final = (
    select(
        *[
            *(offer.c[name] for name in ("id", "cross_postback_url", "cross_postback_method", "cross_postback_body")),
            _SUBS_KEY,
        ]
    )
    .outerjoin(advertiser, advertiser.c.id == offer.c.advertiser_id)
    .where(among(offer.c.id, "ids"), offer.c.cross_postback_url != "")
)


@dataclass(frozen=True, slots=True)
class CrossPostback:
    """The cross_postback_url of an offer.

    body: the body of a POST request; None = GET.
    subs_key: the key of the codes that the advertiser gets instead of subs, "" = the advertiser gets the subs.
    """

    url: str
    body: str | None
    subs_key: str


@dataclass(frozen=True, slots=True)
class ParallelOffer:
    """An offer with a parallel_tracking_url. subs_key: see CrossPostback."""

    id: int
    url: str
    title: str
    subs_key: str


def cross_postbacks(conn: Connection, offer_ids: Collection[int]) -> dict[int, CrossPostback]:
    """Return the cross_postback_url of each of these offers that has one, with its body."""
    if not offer_ids:
        return {}
    return {
        offer_id: CrossPostback(url, (body or "") if method == CallMethod.POST else None, key)
        for offer_id, url, method, body, key in conn.execute(_CROSS, {"ids": offer_ids})
    }


def parallel_urls(conn: Connection) -> dict[int, str]:
    """Return the parallel_tracking_url of every offer that has one. Reads an index of them alone."""
    columns = offer.c
    query = select(columns.id, columns.parallel_tracking_url).where(columns.parallel_tracking_url.is_not(None))
    return {row.id: row.parallel_tracking_url for row in conn.execute(query) if row.parallel_tracking_url}


def parallel_offers(conn: Connection, offer_ids: Collection[int]) -> dict[int, ParallelOffer]:
    """Return the offers with a parallel_tracking_url, of these."""
    columns = offer.c
    query = select(columns.id, columns.parallel_tracking_url, columns.title, _SUBS_KEY)
    joined = query.outerjoin(advertiser, advertiser.c.id == columns.advertiser_id)
    rows = conn.execute(joined.where(columns.id.in_(offer_ids)))
    return {row[0]: ParallelOffer(*row) for row in rows if row[1]}
