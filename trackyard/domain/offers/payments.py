"""The payment of a conversion, and its amounts (docs/spec/conversions.md#payments).

An offer stores payment items as JSON objects with their wire names. Amounts are text, because floats are not exact.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any

import msgspec

from trackyard.base.money import ZERO, percent_of, rounded
from trackyard.domain.offers.goals import DEFAULT_GOAL, own_spellings
from trackyard.domain.tracking.subs import SUBS, with_subs


class PaymentType(StrEnum):
    """The way in which charge and payout are computed."""

    FIXED = "fixed"
    PERCENT = "percent"
    MIXED = "mixed"


@with_subs
class Payment(msgspec.Struct, frozen=True, kw_only=True):
    """A payment item. An empty condition is always met.

    total: the charge of the advertiser.
    revenue: the payout of the affiliate. Both are amounts of `currency`, or percents of the sum, by `type`.
    subN: values, comma-separated.
    """

    goal: str = DEFAULT_GOAL
    title: str = ""
    total: Decimal = ZERO
    revenue: Decimal = ZERO
    currency: str
    type: PaymentType = PaymentType.FIXED
    countries: tuple[str, ...] = ()
    country_exclude: bool = False
    cities: tuple[int, ...] = ()
    devices: tuple[str, ...] = ()
    os: tuple[str, ...] = ()
    partners: tuple[int, ...] = ()
    sub1: str = ""


def payment_name(title: str | None, goal_alias: str | None) -> str:
    """Return the shown name of a payment's goal: its title, else its alias, else ""."""
    return title or goal_alias or ""


def payment_of(document: Mapping[str, Any]) -> Payment:
    """Return the payment of a stored item, with its name as the title; null means absent.

    Raises msgspec.ValidationError.
    """
    present = {name: value for name, value in document.items() if value is not None and value != ""}
    if name := payment_name(document.get("title"), document.get("goal_alias")):
        present["title"] = name
    for name in SUBS:
        if isinstance(present.get(name), list):
            present[name] = ",".join(str(value) for value in present[name])
    return msgspec.convert(present, Payment, strict=False)


@dataclass(frozen=True, slots=True)
class Amounts:
    """The amounts of one conversion, in its currency."""

    sum: Decimal
    charge: Decimal
    payout: Decimal


def find_payment(
    general: Iterable[Payment], personal: Iterable[Payment], affiliate_id: int, goal: str, click: Mapping[str, Any]
) -> Payment | None:
    """Return the payment of a conversion for `goal`, or None.

    Personal payments precede the general ones. Of the payments with conditions that the click meets, the payment with
    most conditions is taken, then the first.

    click: its record by column name.
    """
    fitting = matching_payments(general, personal, affiliate_id, goal, click)
    if len(fitting) == 1:
        return fitting[0]
    return max(fitting, key=lambda item: len(conditions_of(item)), default=None)  # max keeps the first of equals


def matching_payments(
    general: Iterable[Payment], personal: Iterable[Payment], affiliate_id: int, goal: str, click: Mapping[str, Any]
) -> list[Payment]:
    """Return the payments that a conversion might earn.

    These are the affiliate's own payments with conditions that the click meets; without any, the general ones.
    Where the offer pays two spellings of the goal, only payments with the exact spelling are returned.
    """
    general, personal = list(general), list(personal)
    spellings = own_spellings(goal, [item.goal for item in (*general, *personal)])
    own = [item for item in personal if affiliate_id in item.partners]
    for items in (own, general):
        fitting = [item for item in items if item.goal in spellings and _matches(item, click)]
        if fitting:
            return fitting
    return []


def conditions_of(item: Payment) -> tuple[str, ...]:
    """Return the names of the conditions of a payment."""
    plain = [name for name in ("countries", "cities", "devices", "os") if getattr(item, name)]
    return (*plain, *(name for name in SUBS if _values(getattr(item, name))))


def compute_amounts(payment: Payment, order_sum: Decimal) -> Amounts:
    """Return the amounts of a conversion. order_sum: in the payment's currency."""
    charge, payout = payment.total, payment.revenue
    if payment.type is not PaymentType.FIXED:
        charge = percent_of(order_sum, charge)
    if payment.type is PaymentType.PERCENT:
        payout = percent_of(order_sum, payout)
    return Amounts(order_sum, rounded(charge), rounded(payout))


def needs_sum(payment: Payment) -> bool:
    """Return whether a part of its amounts is a percentage of the sum."""
    is_percent = payment.type is PaymentType.PERCENT
    return (payment.type is not PaymentType.FIXED and payment.total > 0) or (is_percent and payment.revenue > 0)


def _matches(item: Payment, click: Mapping[str, Any]) -> bool:
    if item.countries and (click["country"] in item.countries) == item.country_exclude:
        return False
    return bool(
        (not item.cities or click["city_id"] in item.cities)
        and _among(click["device"], item.devices)
        and _among(click["os"], item.os)
        and all(_among(click[name], _values(text)) for name in SUBS if (text := getattr(item, name)))
    )


def _among(value: str, allowed: Sequence[str]) -> bool:
    return not allowed or value.casefold() in {name.casefold() for name in allowed}


def _values(text: str) -> list[str]:
    return [value for value in map(str.strip, text.split(",")) if value] if text else []
