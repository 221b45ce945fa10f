"""The changes that staff make to an offer. Pure.

docs/api/offers.md#post-adminoffer. Most sent fields replace the stored ones. Fields of `_MERGES` are joined with them,
so the stored offer must be locked.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from operator import attrgetter
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from trackyard.domain.offers.choices import CallMethod, RedirectType
from trackyard.domain.offers.goals import DEFAULT_GOAL, find_spelling, is_same_goal, trimmed_goal
from trackyard.domain.offers.offers import Cap, Landing, Offer, OfferPayment, OfferSchedule, SubAccountList, Tier
from trackyard.domain.offers.tiers import tier_group_key

WrittenFields = Mapping[str, Any]
"""The sent fields of an offer, by name. These differ from the fields of Offer:

- payments and partner_payments hold maps of the sent fields.
- landings, caps and commission_tiers have no ids yet.
- schedule and sub_accounts ("1", "2") are maps of the sent parts, None = cleared.
- description_lang and kpi hold the sent languages, {} = cleared.
- hide_referer and strictly_os are deprecated forms of redirect_type and restriction_os.
"""

FieldError = tuple[str, str]
"""(wire name, sentence)."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class NewPartDefaults:
    """The values that new parts of an offer get.

    currency: for a payment without a currency.
    new_id: makes ids for caps and tiers.
    now_ms: when new tiers begin to count, 0 = with the first conversion of the offer.
    """

    currency: str
    new_id: Callable[[], str]
    now_ms: int = 0


def changed_fields(before: Offer, written: WrittenFields, defaults: NewPartDefaults) -> dict[str, Any]:
    """Return the fields that `written` changes, with their new values."""
    values: dict[str, Any] = {}
    for sent_name, value in written.items():
        name = _CURRENT_NAMES.get(sent_name, sent_name)
        if name == sent_name or name not in written:
            merge = _MERGES.get(sent_name)
            values[name] = value if merge is None else merge(before, value, defaults)
    if "landings" in values:
        numbers = (landing.id for landing in (*before.landings, *values["landings"]))
        values["last_number"] = max((before.last_number, *numbers))
    if values.get("privacy", before.privacy) != before.privacy:
        values.setdefault("privacy_level", None)
    return {name: value for name, value in values.items() if value != getattr(before, name)}


def field_errors(before: Offer, written: WrittenFields) -> list[FieldError]:
    """Return the fields that contradict each other or the stored offer."""
    faults = []
    for number, sent in written.get("sub_accounts", {}).items():
        stored = before.sub_accounts.get(number, SubAccountList())
        if not sent.get("values") and sent.get("exclude", stored.exclude) != stored.exclude:
            faults.append((f"sub_account_{number}_except", f"This value is sent together with sub_account_{number}."))
    posts = written.get("cross_postback_method", before.cross_postback_method) == CallMethod.POST
    if posts and not written.get("cross_postback_body", before.cross_postback_body):
        faults.append(("cross_postback_body", "This value is required with cross_postback_method post."))
    if written.get("schedule"):
        schedule = _schedule(before, written["schedule"])
        if schedule and schedule.date_start and schedule.date_to and schedule.date_to < schedule.date_start:
            faults.append(("schedule[date_to]", "This value must not be before date_start."))
    return faults


def find_goal_faults(before: Offer, written: WrittenFields) -> tuple[list[FieldError], list[str]]:
    """Return payments with two spellings of a goal, and warnings for payments that the offer had before."""
    stored = {item.goal for name in PAYMENT_LISTS for item in getattr(before, name)}
    faults, warnings, seen = [], [], list[str]()
    for place, goal in _goals_after(before, written):
        other = find_spelling(goal, seen)
        seen.append(goal)
        if other is None or other == goal:
            continue
        sentence = f"This goal differs from {other} by letter case or outer spaces only, and counts as the same goal."
        if {goal, other} <= stored:
            warnings.append(f"{place}: {sentence} The offer had both before, so they were kept.")
        else:
            faults.append((place, sentence))
    return faults, warnings


PAYMENT_LISTS: Final = ("payments", "partner_payments")


def _goals_after(before: Offer, written: WrittenFields) -> Iterator[tuple[str, str]]:
    """Yield the goals of the payments that an offer will have: goals of unwritten lists first."""
    for name in sorted(PAYMENT_LISTS, key=lambda name: name in written):
        stored = getattr(before, name)
        if name not in written:
            yield from ((name, item.goal) for item in stored)
        for place, values in enumerate(written.get(name, ())):
            kept = stored[place].goal if place < len(stored) else DEFAULT_GOAL
            goal = values.get("goal", kept)
            is_known = any(item.goal == goal for item in stored)
            yield f"{name}[{place}][goal]", goal if is_known else trimmed_goal(goal)


def is_visible_change(before: Offer, after: Offer) -> bool:
    """Return whether a change, apart from payouts, is visible to affiliates."""
    hidden = frozenset({"caps"} if after.hide_caps else ())
    return any(getattr(before, name) != getattr(after, name) for name in _VISIBLE_FIELDS - hidden)


def _payments(stored: Sequence[OfferPayment], sent: Iterable[Mapping[str, Any]], defaults: NewPartDefaults) -> Any:
    """Return the sent payments.

    An item that has the goal of the stored one in its place keeps its fields that were not sent.
    """
    made, known = [], {item.goal for item in stored}
    for index, values in enumerate(sent):
        base = stored[index] if index < len(stored) else None
        if base is None or not is_same_goal(values.get("goal", base.goal), base.goal):
            base = OfferPayment(currency=defaults.currency)
        if values.get("goal", base.goal) not in known:  # a stored spelling stays as it is
            values = {**values, "goal": trimmed_goal(values.get("goal", base.goal))}
        made.append(replace(base, **values))
    return tuple(made)


def _landings(before: Offer, sent: Sequence[Landing], _defaults: NewPartDefaults) -> tuple[Landing, ...]:
    """Return the sent landings. One keeps its number, which links name, while its URL or its title stays."""
    last = max((before.last_number, *(landing.id for landing in before.landings)))
    made = []
    continued = _match_stored(
        before.landings, sent, lambda landing: replace(landing, id=0), attrgetter("url"), attrgetter("title")
    )
    for landing, stored in zip(sent, continued, strict=True):
        last += stored is None
        made.append(replace(landing, id=last if stored is None else stored.id))
    return tuple(made)


def _caps(before: Offer, sent: Sequence[Cap], defaults: NewPartDefaults) -> tuple[Cap, ...]:
    """Return the sent caps. One keeps its id while only its value changes."""
    stored = _match_stored(
        before.caps, sent, lambda cap: replace(cap, id=""), lambda cap: replace(cap, id="", value=_ANY_VALUE)
    )
    pairs = zip(sent, stored, strict=True)
    return tuple(replace(cap, id=defaults.new_id() if old is None else old.id) for cap, old in pairs)


def _tiers(before: Offer, sent: Sequence[Tier], defaults: NewPartDefaults) -> tuple[Tier, ...]:
    """Return the sent tiers.

    A tier keeps its counters while only `value` and `modifier_value` change. A new one counts from now on, or together
    with the tiers that differ from it in these two fields alone.
    """
    continued = _match_stored(before.commission_tiers, sent, lambda tier: replace(tier, id="", since=0), tier_group_key)
    began = {tier_group_key(old): old.since for old in continued if old is not None}
    tiers = []
    for tier, old in zip(sent, continued, strict=True):
        if old is None:
            tiers.append(replace(tier, id=defaults.new_id(), since=began.get(tier_group_key(tier), defaults.now_ms)))
        else:
            tiers.append(replace(tier, id=old.id, since=old.since))
    return tuple(tiers)


def _schedule(
    before: Offer, sent: Mapping[str, Any] | None, _defaults: NewPartDefaults | None = None
) -> OfferSchedule | None:
    return None if sent is None else replace(before.schedule or OfferSchedule(), **sent)


def _texts(stored: Mapping[str, str], sent: Mapping[str, str]) -> dict[str, str]:
    """Return texts by language. An empty text removes its language, an empty map removes all."""
    return {language: text for language, text in ({**stored, **sent} if sent else {}).items() if text}


def _sub_accounts(
    before: Offer, sent: Mapping[str, Mapping[str, Any]], _defaults: NewPartDefaults
) -> dict[str, SubAccountList]:
    """Return the lists by number, without empty ones. `exclude` is False unless it is sent with the list."""
    lists = dict(before.sub_accounts)
    for number, values in sent.items():
        if "values" in values:
            lists[number] = SubAccountList(**values)
    return {number: item for number, item in lists.items() if item.values}


def _hide_referer(before: Offer, hide: bool, _defaults: NewPartDefaults) -> RedirectType:
    if hide:
        return RedirectType.HTTP_302_HIDDEN
    return RedirectType.HTTP_302 if before.redirect_type == RedirectType.HTTP_302_HIDDEN else before.redirect_type


def _match_stored(before: Sequence[T], items: Sequence[T], *keys: Callable[[T], Hashable]) -> list[T | None]:
    """Return for each item the stored one that it continues, or None.

    It is the first one with an equal first key; the items that are left are compared by the next key. Each stored one
    is continued once.
    """
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
    {"title", "status", "privacy", "url_preview", "caps", "landings", "countries"}
    | {"targeting", "schedule", "description_lang", "kpi", "sources", "creatives", "start_at", "stop_at"}
)
"""Fields that affiliates see, apart from payouts, which have an event of their own."""


_CURRENT_NAMES: Final = {"hide_referer": "redirect_type", "strictly_os": "restriction_os"}
"""Deprecated name to its successor, which wins when both are sent."""

_MERGES: Final[dict[str, Callable[[Offer, Any, NewPartDefaults], Any]]] = {
    "payments": lambda before, sent, defaults: _payments(before.payments, sent, defaults),
    "partner_payments": lambda before, sent, defaults: _payments(before.partner_payments, sent, defaults),
    "landings": _landings,
    "caps": _caps,
    "commission_tiers": _tiers,
    "schedule": _schedule,
    "description_lang": lambda before, sent, _defaults: _texts(before.description_lang, sent),
    "kpi": lambda before, sent, _defaults: _texts(before.kpi, sent),
    "sub_accounts": _sub_accounts,
    "hide_referer": _hide_referer,
}
