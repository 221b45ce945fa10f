"""Offers as the store writes them, with any of their fields."""

from decimal import Decimal
from typing import Any

from tests.support.api import Api
from trackyard.base.ids import new_id
from trackyard.domain.offers.offers import Offer, OfferPayment
from trackyard.domain.offers.payments import PaymentType
from trackyard.store.offers import offers


def payment(**fields: Any) -> OfferPayment:
    """A payment that charges 10 and pays 7 USD."""
    plain: dict[str, Any] = {"currency": "USD", "total": Decimal(10), "revenue": Decimal(7), "type": PaymentType.FIXED}
    return OfferPayment(**plain | fields)


def store_offer(api: Api, **fields: Any) -> Offer:
    """An active public offer with what differs."""
    now = api.clock.now_ms()
    plain: dict[str, Any] = {
        "hash": new_id(now), "title": "Shoes", "url": "https://shop.example/", "status": "active",
        "privacy": "public", "payments": (payment(),), "created_at": now, "updated_at": now,
    }  # fmt: skip
    plain["advertiser_id"] = fields.pop("advertiser_id", None) or api.add_advertiser()
    with api.deps.database.write() as conn:
        return offers.add_offer(conn, Offer(id=0, **plain | fields))
