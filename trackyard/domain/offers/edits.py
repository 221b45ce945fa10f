"""What becomes of an offer when staff write to it: pure (docs/api/offers.md#post-adminoffer).

What is written is a map by field of domain/offers/offers.py, holding what was sent and no more. Most fields replace
what is stored. Those of `_MERGES` are joined with it, so this runs where the stored offer is locked.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from trackyard.domain.offers.choices import RedirectType
from trackyard.domain.offers.offers import Cap, Landing, Offer, OfferPayment, OfferSchedule, SubAccountList, Tier

WrittenFields = Mapping[str, Any]
"""Field → value. Other than in Offer: payments and partner_payments hold maps of the sent fields · landings, caps and
commission_tiers have no ids yet · schedule and sub_accounts ("1", "2") are maps of what was sent, None = cleared ·
description_lang and kpi hold the sent languages, {} = cleared · hide_referer is the deprecated flag · strictly_os is
the deprecated form of restriction_os."""

FieldError = tuple[str, str]
"""(wire name, sentence)."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class NewPartDefaults:
    """What new parts get. currency: of a payment that names none · new_id: makes ids of caps and tiers · now_ms: when
    new tiers begin to count, 0 = with the first conversion of the offer."""

    currency: str
    new_id: Callable[[], str]
    now_ms: int = 0


def changed_fields(before: Offer, written: WrittenFields, defaults: NewPartDefaults) -> dict[str, Any]:
    """The fields that differ from `before` once `written` is in force."""
    values: dict[str, Any] = {}
    for name, value in written.items():
        merge = _MERGES.get(name)
        values |= {name: value} if merge is None else merge(before, value, defaults)
    for name in ("redirect_type", "restriction_os"):
        if name in written:
            values[name] = written[name]  # today's name wins over hide_referer and strictly_os
    return {name: value for name, value in values.items() if value != getattr(before, name)}


def field_errors(before: Offer, written: WrittenFields) -> list[FieldError]:
    """What contradicts itself or what is stored."""
    faults = []
    for number, sent in written.get("sub_accounts", {}).items():
        stored = before.sub_accounts.get(number, SubAccountList())
        if not sent.get("values") and sent.get("exclude", stored.exclude) != stored.exclude:
            faults.append((f"sub_account_{number}_except", f"This value is sent together with sub_account_{number}."))
    if written.get("schedule"):
        schedule = _schedule(before, written["schedule"], None)["schedule"]
        if schedule.date_start and schedule.date_to and schedule.date_to < schedule.date_start:
            faults.append(("schedule[date_to]", "This value must not be before date_start."))
    return faults


def is_visible_change(before: Offer, after: Offer) -> bool:
    """Whether something changed that affiliates see."""
    hidden = ({"payments"} if after.hide_payments else set()) | ({"caps"} if after.hide_caps else set())
    return any(getattr(before, name) != getattr(after, name) for name in _VISIBLE_FIELDS - hidden)


def _payments(stored: Sequence[OfferPayment], sent: Iterable[Mapping[str, Any]], defaults: NewPartDefaults) -> Any:
    """The list as sent; an item with the goal of the stored one in its place keeps what it does not say."""
    made = []
    for index, values in enumerate(sent):
        base = stored[index] if index < len(stored) else None
        if base is None or values.get("goal", base.goal) != base.goal:
            base = OfferPayment(currency=defaults.currency)
        made.append(replace(base, **values))
    return tuple(made)


def _landings(before: Offer, sent: Sequence[Landing], _defaults: NewPartDefaults) -> dict[str, Any]:
    """The list as sent; a landing keeps its number, by which links name it, while its URL or its title stays."""
    last = max((before.last_number, *(landing.id for landing in before.landings)))
    made = []
    continued = _match_stored(before.landings, sent, _same_page, _url, _title)
    for landing, stored in zip(sent, continued, strict=True):
        last += stored is None
        made.append(replace(landing, id=last if stored is None else stored.id))
    return {"landings": tuple(made), "last_number": last}


def _caps(before: Offer, sent: Sequence[Cap], defaults: NewPartDefaults) -> dict[str, Any]:
    """The list as sent; a cap keeps its id while only its value changes."""
    stored = _match_stored(before.caps, sent, _same_cap, lambda cap: replace(cap, id="", value=_ANY_VALUE))
    pairs = zip(sent, stored, strict=True)
    return {"caps": tuple(replace(cap, id=defaults.new_id() if old is None else old.id) for cap, old in pairs)}


def _tiers(before: Offer, sent: Sequence[Tier], defaults: NewPartDefaults) -> dict[str, Any]:
    """Return the list as sent. A tier keeps its counters while only `value` and `modifier_value` change; another one
    counts from now on, or together with those that it differs from in these two alone."""
    continued = _match_stored(before.commission_tiers, sent, _same_tier, _same_tier_group)
    began = {_same_tier_group(old): old.since for old in continued if old is not None}
    tiers = []
    for tier, old in zip(sent, continued, strict=True):
        if old is None:
            tiers.append(replace(tier, id=defaults.new_id(), since=began.get(_same_tier_group(tier), defaults.now_ms)))
        else:
            tiers.append(replace(tier, id=old.id, since=old.since))
    return {"commission_tiers": tuple(tiers)}


def _schedule(before: Offer, sent: Mapping[str, Any] | None, _defaults: NewPartDefaults | None) -> dict[str, Any]:
    return {"schedule": None if sent is None else replace(before.schedule or OfferSchedule(), **sent)}


def _texts(stored: Mapping[str, str], sent: Mapping[str, str]) -> dict[str, str]:
    """Texts by language: an empty one is taken out, an empty map takes out all."""
    return {language: text for language, text in ({**stored, **sent} if sent else {}).items() if text}


def _sub_accounts(before: Offer, sent: Mapping[str, Mapping[str, Any]], _defaults: NewPartDefaults) -> dict[str, Any]:
    """A list as sent, with the `exclude` sent beside it (else the documented False); an empty one is taken out."""
    lists = dict(before.sub_accounts)
    for number, values in sent.items():
        if "values" in values:
            lists[number] = SubAccountList(**values)
    return {"sub_accounts": {number: item for number, item in lists.items() if item.values}}


def _hide_referer(before: Offer, hide: bool, _defaults: NewPartDefaults) -> dict[str, Any]:
    if hide:
        return {"redirect_type": RedirectType.HTTP_302_HIDDEN}
    return {
        "redirect_type": RedirectType.HTTP_302
        if before.redirect_type == RedirectType.HTTP_302_HIDDEN
        else before.redirect_type
    }


def _match_stored(before: Sequence[T], items: Sequence[T], *keys: Callable[[T], Hashable]) -> list[T | None]:
    """For each item the stored one that it continues: the first that is alike by the first key, those that are left
    by the next one. Each stored one is continued once."""
    found: list[T | None] = [None] * len(items)
    left = list(before)
    for key in keys:
        waiting: dict[Hashable, deque[T]] = defaultdict(deque)
        for stored in left:
            waiting[key(stored)].append(stored)
        for index, item in enumerate(items):
            if found[index] is None and (alike := waiting.get(key(item))):
                found[index] = alike.popleft()
        left = [stored for alike in waiting.values() for stored in alike]
    return found


_ANY_VALUE: Final = Decimal(0)

_VISIBLE_FIELDS: Final = frozenset(
    {"title", "status", "privacy", "url_preview", "payments", "partner_payments", "caps", "landings", "countries"}
    | {"targeting", "schedule", "description_lang", "kpi", "sources", "creatives", "start_at", "stop_at"}
)
"""Fields that affiliates see."""


def _same_cap(cap: Cap) -> Hashable:
    return replace(cap, id="")


def _same_tier(tier: Tier) -> Hashable:
    return replace(tier, id="", since=0)


def _same_tier_group(tier: Tier) -> Hashable:
    return replace(tier, id="", since=0, value=_ANY_VALUE, modifier_value=_ANY_VALUE)


def _same_page(landing: Landing) -> Hashable:
    return replace(landing, id=0)


def _url(landing: Landing) -> Hashable:
    return landing.url


def _title(landing: Landing) -> Hashable:
    return landing.title


_MERGES: Final[dict[str, Callable[[Offer, Any, NewPartDefaults], dict[str, Any]]]] = {
    "payments": lambda before, sent, defaults: {"payments": _payments(before.payments, sent, defaults)},
    "partner_payments": lambda before, sent, defaults: {
        "partner_payments": _payments(before.partner_payments, sent, defaults)
    },
    "landings": _landings,
    "caps": _caps,
    "commission_tiers": _tiers,
    "schedule": _schedule,
    "description_lang": lambda before, sent, _defaults: {"description_lang": _texts(before.description_lang, sent)},
    "kpi": lambda before, sent, _defaults: {"kpi": _texts(before.kpi, sent)},
    "sub_accounts": _sub_accounts,
    "hide_referer": _hide_referer,
    "strictly_os": lambda _before, sent, _defaults: {"restriction_os": sent},
}
