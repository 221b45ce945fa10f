"""The rows that decisions on a batch of postbacks need, in few statements for the batch."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, bindparam, func, or_, select

from trackyard.base.money import ZERO
from trackyard.domain.conversions.codes import CodeMode
from trackyard.domain.conversions.conversions import OfferTerms
from trackyard.domain.conversions.sessions import DAY_MS, HOUR_MS
from trackyard.domain.money.referrals import Referral
from trackyard.domain.offers.choices import HoldUnit, OfferStatus, QualityMode
from trackyard.domain.offers.payments import payment_of
from trackyard.domain.people.affiliates import AffiliateStatus
from trackyard.domain.statistics.quality.conversion_signals import UsualTimes
from trackyard.domain.tracking.ip_lists import AddressLists, split_entries
from trackyard.domain.tracking.postbacks import Postback
from trackyard.store.engine.in_lists import among
from trackyard.store.offers import caps
from trackyard.store.platform import settings
from trackyard.store.statistics.usual_times import OfferGoal, get_usual_times
from trackyard.store.tables import advertiser, affiliate, affiliate_postback, offer


@dataclass(frozen=True, slots=True)
class AdvertiserTerms:
    """The columns of an advertiser for a decision.

    secure: its own code or None.
    signing_secret: encrypted, None = its postbacks need no signature.
    """

    secure: str | None
    address_lists: AddressLists
    signing_secret: str | None


@dataclass(frozen=True, slots=True)
class DecisionContext:
    """The rows of offers and affiliates for decisions, in one transaction.

    needs_code: whether postbacks need a code by TRACKYARD_POSTBACK_CODE.
    referrals: by affiliate, for affiliates with a referrer.
    usual_times: by offer and key of the goal, where they are known.
    """

    offers: Mapping[int, OfferTerms]
    affiliate_statuses: Mapping[int, AffiliateStatus]
    advertisers: Mapping[str, AdvertiserTerms]
    platform_secure: str | None
    needs_code: bool
    postbacks: Sequence[Postback]
    referrals: Mapping[int, Referral]
    usual_times: Mapping[OfferGoal, UsualTimes]


def get_decision_context(
    conn: Connection,
    offer_ids: Collection[int],
    affiliate_ids: Collection[int],
    zone: ZoneInfo,
    *,
    lock: bool = False,
) -> DecisionContext:
    """Return the rows that decisions for these offers and affiliates, and their deliveries, need.

    zone: the platform's.
    lock: the offers cannot be edited until the end of the transaction, which counts by their caps.
    """
    offers, ids = _offers(conn, offer_ids, zone, lock), {"ids": affiliate_ids}
    parties = {"affiliates": affiliate_ids, "offers": offer_ids}
    return DecisionContext(
        offers=offers,
        affiliate_statuses=dict(conn.execute(_AFFILIATES, ids).all()),
        advertisers=_advertisers(conn, {terms.advertiser_id for terms in offers.values()}),
        platform_secure=settings.find_setting(conn, settings.HASH_PASSWORD),
        needs_code=(settings.find_code_mode(conn) or CodeMode.NONE) is not CodeMode.NONE,
        postbacks=[Postback(*row) for row in conn.execute(_POSTBACKS, parties)],
        referrals={row.id: Referral(row.ref, row.ref_percent) for row in conn.execute(_REFERRALS, ids)},
        usual_times=get_usual_times(conn, offer_ids),
    )


# Created once: to create a statement costs more than to execute it.
_AFFILIATES: Final = select(affiliate.c.id, affiliate.c.status).where(among(affiliate.c.id, "ids"))
_ADVERTISERS: Final = select(
    *(advertiser.c[name] for name in ("id", "hash_password", "allowed_ip", "disallowed_ip", "signing_secret"))
).where(among(advertiser.c.id, "ids"))
_OFFERS: Final = (
    select(
        *(
            offer.c[name]
            for name in ("id", "advertiser_id", "title", "status", "removed_at", "hold_period", "hold_type")
        ),
        *(offer.c[name] for name in ("payments", "partner_payments", "hash_password", "allowed_ip", "disallowed_ip")),
        *(offer.c[name] for name in ("click_session", "minimal_click_session", "reject_not_uniq_ip")),
        *(offer.c[name] for name in ("one_conversion_per_click", "pixels", "pixel_pages", "pixel_code", "quality")),
        *caps.COLUMNS,
    )
    .where(among(offer.c.id, "ids"))
    .order_by(offer.c.id)
)
_LOCKED_OFFERS: Final = _OFFERS.with_for_update(read=True)
_POSTBACKS: Final = (
    select(*(affiliate_postback.c[name] for name in ("id", "affiliate_id", "offer_id", "url", "status", "goal")))
    .where(among(affiliate_postback.c.affiliate_id, "affiliates"))
    .where(or_(affiliate_postback.c.offer_id.is_(None), among(affiliate_postback.c.offer_id, "offers")))
    .order_by(affiliate_postback.c.id)
)
_REFERRER: Final = affiliate.alias("referrer")
_REFERRALS: Final = (
    select(affiliate.c.id, affiliate.c.ref, _REFERRER.c.ref_percent)
    .join(_REFERRER, _REFERRER.c.id == affiliate.c.ref)
    .where(among(affiliate.c.id, "ids"), _REFERRER.c.ref_percent > ZERO)
)
_NEXT_SESSION: Final = select(func.min(offer.c.click_session)).where(offer.c.click_session > bindparam("last"))


def _offers(conn: Connection, ids: Collection[int], zone: ZoneInfo, lock: bool) -> dict[int, OfferTerms]:
    rows = conn.execute(_LOCKED_OFFERS if lock else _OFFERS, {"ids": ids})
    return {
        row.id: OfferTerms(
            id=row.id,
            advertiser_id=row.advertiser_id,
            title=row.title,
            status=OfferStatus(row.status) if row.removed_at is None else OfferStatus.STOPPED,
            payments=tuple(payment_of(item) for item in row.payments),
            personal_payments=tuple(payment_of(item) for item in row.partner_payments),
            hold_ms=row.hold_period * (HOUR_MS if row.hold_type == HoldUnit.HOURS else DAY_MS),
            secure=row.hash_password or None,
            address_lists=AddressLists(split_entries(row.allowed_ip), split_entries(row.disallowed_ip)),
            caps=caps.compile_stored_caps(row, zone),
            tier_groups=caps.tier_groups_in(row, zone),
            session=row.click_session,
            min_session=row.minimal_click_session,
            unique_ip=row.reject_not_uniq_ip,
            once_per_click=row.one_conversion_per_click,
            quality=QualityMode(row.quality),
            pixels=row.pixels,
            pixel_pages=tuple(row.pixel_pages),
            pixel_code=row.pixel_code,
        )
        for row in rows
    }


def _advertisers(conn: Connection, ids: Collection[str]) -> dict[str, AdvertiserTerms]:
    rows = conn.execute(_ADVERTISERS, {"ids": ids})
    return {
        row.id: AdvertiserTerms(
            secure=row.hash_password or None,
            address_lists=AddressLists(tuple(row.allowed_ip), tuple(row.disallowed_ip)),
            signing_secret=row.signing_secret,
        )
        for row in rows
    }


def get_click_sessions(conn: Connection) -> list[str]:
    """Return every click_session of offers, each once, by one step of an index."""
    found: list[str] = []
    last = ""
    while (value := conn.execute(_NEXT_SESSION, {"last": last}).scalar_one()) is not None:
        found.append(value)
        last = value
    return found
