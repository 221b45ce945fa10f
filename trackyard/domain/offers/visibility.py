"""The payments, caps and targeting groups of an offer that an affiliate sees.

docs/spec/offers.md#fields-for-affiliates
"""

from collections.abc import Mapping
from decimal import Decimal

import msgspec

from trackyard.domain.offers.choices import CapScope
from trackyard.domain.offers.counters import CapType
from trackyard.domain.offers.goals import find_spelling, is_same_goal
from trackyard.domain.offers.offers import Cap, ModifierTarget, Offer, OfferPayment, TargetingGroup, Tier
from trackyard.domain.offers.payments import payment_name
from trackyard.domain.offers.periods import CapPeriod
from trackyard.domain.tracking.subs import SUBS

_PAYMENT_CONDITIONS = ("countries", "cities", "devices", "os", *SUBS)
"""The conditions of a payment, apart from its goal."""


def payments_for(offer: Offer, affiliate_id: int) -> tuple[OfferPayment, ...]:
    """Return the affiliate's own payments, then the general ones that they do not replace.

    None are returned when payments are hidden.
    """
    if offer.hide_payments:
        return ()
    own = tuple(item for item in offer.partner_payments if affiliate_id in item.partners)
    general = (item for item in offer.payments if not any(_replaces(mine, item) for mine in own))
    return (*own, *general)


def caps_for(offer: Offer, affiliate_id: int) -> tuple[Cap, ...]:
    """Return the caps that count the affiliate's conversions, and its own day limit.

    No caps are returned when caps are hidden. Of the affiliates of a cap, the affiliate sees only itself.
    """
    if offer.hide_caps:
        return ()
    shared = [cap for cap in offer.caps if cap.affiliate_type != CapScope.EXACT or affiliate_id in cap.affiliates]
    shown = [msgspec.structs.replace(cap, affiliates=(affiliate_id,)) if cap.affiliates else cap for cap in shared]
    return (*shown, *_own_limits(offer, affiliate_id))


def targeting_for(offer: Offer, affiliate_id: int) -> tuple[TargetingGroup, ...]:
    """Return the targeting groups for the affiliate's clicks, its own first.

    docs/spec/tracking.md#restrictions-and-targeting-groups
    """
    own = tuple(
        msgspec.structs.replace(group, affiliate_id=(affiliate_id,))
        for group in offer.targeting
        if group.enabled and affiliate_id in group.affiliate_id
    )
    if own and offer.consider_personal_targeting_only:
        return own
    return (*own, *(group for group in offer.targeting if group.enabled and not group.affiliate_id))


def tiers_for(offer: Offer, affiliate_id: int) -> tuple[Tier, ...]:
    """Return the tiers that change the affiliate's payouts, without changes of charges.

    No tiers are returned when payments are hidden. Of the affiliates of a tier, the affiliate sees only itself.
    """
    if offer.hide_payments:
        return ()
    shared = [tier for tier in offer.commission_tiers if tier.modifier_payment_type != ModifierTarget.TOTAL]
    return tuple(
        msgspec.structs.replace(
            tier, modifier_payment_type=ModifierTarget.PAYOUT, affiliates=(affiliate_id,) if tier.affiliates else ()
        )
        for tier in shared
        if tier.affiliate_type != CapScope.EXACT or affiliate_id in tier.affiliates
    )


def goal_names(offer: Offer, affiliate_id: int | None = None) -> dict[str, str]:
    """Return the titles of the paid goals: a payment's title, else its alias, else the value.

    affiliate_id: the reader, who sees only the titles of its own payments; None = staff.
    """
    names: dict[str, str] = {}
    seen = (*offer.payments, *offer.partner_payments) if affiliate_id is None else payments_for(offer, affiliate_id)
    for item in seen:
        names[item.goal] = names.get(item.goal) or payment_name(item.title, item.goal_alias)
    return {goal: name or goal for goal, name in names.items()}


def goal_name(names: Mapping[str, str], goal: str) -> str:
    """Return the name of a goal of `goal_names` in any spelling, or the goal."""
    spelling = find_spelling(goal, names)
    return goal if spelling is None else names[spelling]


def _replaces(own: OfferPayment, general: OfferPayment) -> bool:
    """Return whether the own payment applies to every conversion of the general one."""
    if not is_same_goal(own.goal, general.goal):
        return False
    if own.countries and own.country_exclude != general.country_exclude:
        return False
    conditions = ((_values(getattr(own, name)), _values(getattr(general, name))) for name in _PAYMENT_CONDITIONS)
    return all(not mine or mine == theirs for mine, theirs in conditions)


def _values(condition: str | tuple[str, ...] | tuple[int, ...]) -> frozenset[str | int]:
    if isinstance(condition, str):
        return frozenset(value.strip().casefold() for value in condition.split(",") if value.strip())
    return frozenset(value.casefold() if isinstance(value, str) else value for value in condition)


def _own_limits(offer: Offer, affiliate_id: int) -> list[Cap]:
    return [
        Cap(
            id=f"personal-{affiliate_id}",
            period=CapPeriod.DAY,
            type=CapType.CONVERSIONS,
            value=Decimal(limit.caps),
            affiliate_type=CapScope.EXACT,
            affiliates=(affiliate_id,),
        )
        for limit in offer.personal_limits
        if limit.partner == affiliate_id
    ]
