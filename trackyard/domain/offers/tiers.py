"""Commission tiers: changes of amounts by an affiliate's success. Pure.

docs/spec/conversions.md#commission-tiers. Tiers that are equal in all but value and modifier_value are one ladder, of
which the highest reached step applies. The steps are fixed when a conversion is made and stored with it, so that its
amounts can be computed again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec

from trackyard.base.money import percent_of, rounded
from trackyard.domain.offers.caps import counted_statuses
from trackyard.domain.offers.choices import CapScope
from trackyard.domain.offers.counters import CapType, Count, LimitDefinition, LimitSide, Traits, goal_side_of, side_of
from trackyard.domain.offers.goals import goal_key, goal_keys
from trackyard.domain.offers.offers import COUNTED_STATUSES, ModifierTarget, ModifierType, Tier
from trackyard.domain.offers.payments import Amounts


class Modifier(msgspec.Struct, frozen=True):
    """The change that a reached step makes.

    value: an amount of the payment's currency, or percents.
    payment_type: the changed amount.
    """

    type: ModifierType
    value: Decimal
    payment_type: ModifierTarget


class TierGroup(msgspec.Struct, frozen=True):
    """A ladder of tiers.

    steps: highest first, with the value at which each is reached.
    targets: the keys of the goals that it changes; empty = all.
    """

    type: CapType
    measure: LimitDefinition
    steps: tuple[tuple[Decimal, Modifier], ...]
    targets: frozenset[str] = frozenset()

    def changes(self, traits: Traits) -> bool:
        """Return whether it may change such a conversion."""
        return (not self.targets or goal_key(traits.goal) in self.targets) and self.measure.covers(traits)


def tier_groups_of(offer_id: int, tiers: Iterable[Tier], zone: ZoneInfo) -> tuple[TierGroup, ...]:
    """Return the ladders of an offer's tiers, in order. zone: caps_timezone, or the platform's."""
    alike: dict[Tier, list[Tier]] = {}
    for tier in tiers:
        alike.setdefault(tier_group_key(tier), []).append(tier)
    return tuple(_tier_group(offer_id, members, zone) for members in alike.values())


def tier_group_key(tier: Tier) -> Tier:
    """Return the common fields of the tiers of one ladder."""
    names = {name: tuple(sorted(goal_keys(getattr(tier, name)))) for name in ("goals", "target_goals")}
    return msgspec.structs.replace(tier, id="", since=0, value=_ANY_VALUE, modifier_value=_ANY_VALUE, **names)


def reached_modifiers(
    tier_groups: Iterable[TierGroup], traits: Traits, counts: Mapping[str, Count]
) -> tuple[Modifier, ...]:
    """Return the modifiers of a new conversion, in order.

    counts: by counter's name, without the conversion itself.
    """
    found = []
    for ladder in tier_groups:
        if ladder.changes(traits):
            held = counts[ladder.measure.counter_of(traits).name].of(ladder.type)
            step = next((modifier for value, modifier in ladder.steps if held >= value), None)
            if step is not None:
                found.append(step)
    return tuple(found)


def apply_modifiers(worth: Amounts, modifiers: Sequence[Modifier]) -> Amounts:
    """Return amounts changed by each modifier in turn."""
    for modifier in modifiers:
        if modifier.payment_type != ModifierTarget.TOTAL:
            worth = replace(worth, payout=_apply_modifier(worth.payout, modifier, worth.sum))
        if modifier.payment_type != ModifierTarget.PAYOUT:
            worth = replace(worth, charge=_apply_modifier(worth.charge, modifier, worth.sum))
    return worth


def modifiers_of(documents: Iterable[Mapping[str, Any]]) -> tuple[Modifier, ...]:
    """Return the modifiers that are stored with a conversion."""
    return tuple(msgspec.convert(document, Modifier, strict=False) for document in documents)


def documents_of(modifiers: Iterable[Modifier]) -> list[dict[str, Any]]:
    """Return modifiers in the form in which they are stored, see `modifiers_of`."""
    return [msgspec.to_builtins(modifier) for modifier in modifiers]


_ANY_VALUE: Final = Decimal(0)


def _tier_group(offer_id: int, members: Sequence[Tier], zone: ZoneInfo) -> TierGroup:
    first = members[0]  # all tiers of a ladder count since the same time
    steps = [
        (tier.value, Modifier(tier.modifier_type, tier.modifier_value, tier.modifier_payment_type))
        for tier in sorted(members, key=lambda tier: tier.value, reverse=True)
    ]
    measure = LimitDefinition(
        offer_id,
        first.id,
        first.timeframe,
        zone,
        counted_statuses(tuple(first.conversion_status) or COUNTED_STATUSES),
        goal=goal_side_of(CapScope.EXACT if first.goals else CapScope.ALL, first.goals),
        affiliate=side_of(first.affiliate_type, first.affiliates),
        country=_limit_side(first.countries),
        since=first.since,
    )
    return TierGroup(first.type, measure, tuple(steps), goal_keys(first.target_goals))


def _limit_side(values: Sequence[str]) -> LimitSide:
    return LimitSide(only=frozenset(values) if values else None)


def _apply_modifier(amount: Decimal, modifier: Modifier, order_sum: Decimal) -> Decimal:
    match modifier.type:
        case ModifierType.BY_FIX:
            return rounded(amount + modifier.value)
        case ModifierType.BY_PERCENT:
            return amount + percent_of(amount, modifier.value)
        case ModifierType.TO_FIX:
            return rounded(modifier.value)
        case ModifierType.TO_PERCENT:
            return percent_of(order_sum, modifier.value)
