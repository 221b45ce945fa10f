"""Count conversions against caps and commission tiers, in the transaction that changes them.

docs/spec/conversions.md#caps, docs/spec/conversions.md#commission-tiers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal

from trackyard.actions.events.publishing import publish
from trackyard.actions.platform.notices import CAP, Recipient, send_notice
from trackyard.base.money import ZERO
from trackyard.domain.conversions.conversions import ConversionChange, OfferTerms
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.events.events import Concerned
from trackyard.domain.events.kinds import EventKind
from trackyard.domain.offers.caps import FILLS_UP, CapRule, each_counter
from trackyard.domain.offers.counters import (
    CapType,
    Count,
    Counter,
    CounterChange,
    LimitDefinition,
    RunningCounts,
    Traits,
)
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.mails.values import MailedOffer, MailLimit
from trackyard.store.engine.database import Connection
from trackyard.store.events import events
from trackyard.store.offers import counters
from trackyard.store.offers.counters import LockedCounters
from trackyard.store.people import advertisers, staff
from trackyard.store.platform import settings
from trackyard.store.tracking import rulesets

OfferTraits = tuple[int, Traits]
"""The offer of a conversion, and the traits that decide where it counts."""


class CounterBatch:
    """The counters that one transaction reads and changes.

    Create it before the transaction writes conversions, with offers that the transaction locked.
    offers: their terms by id; other offers count nothing.
    offer_traits: the offer and traits of each conversion that may be made or changed.
    """

    def __init__(self, conn: Connection, offers: Mapping[int, OfferTerms], offer_traits: Iterable[OfferTraits]) -> None:
        self._offers = offers
        wanted = [(offers[offer_id], traits) for offer_id, traits in dict.fromkeys(offer_traits) if offer_id in offers]
        held = counters.lock_counters(
            conn, [(each, traits) for terms, traits in wanted for each in measures(terms, traits)]
        )
        self._already_notified = held.notified
        self._tally = RunningCounts(held.counts)
        # The edges do not know yet what is full in a period that was computed just now.
        self._newly_full = {terms.id for terms, traits in wanted if _has_opened_full(terms, traits, held)}

    @classmethod
    def of(
        cls, conn: Connection, offers: Mapping[int, OfferTerms], changes: Sequence[ConversionChange]
    ) -> "CounterBatch":
        """Return a batch with decided changes counted; without locks on counters that stay."""
        known = [(offers[each.after.offer_id], each) for each in changes if each.after.offer_id in offers]
        moving = [each.after for terms, each in known if any(moves(terms, each))]
        batch = cls(conn, offers, [(item.offer_id, item.traits) for item in moving])
        for change in changes:
            batch.add(change)
        return batch

    @property
    def counts(self) -> Mapping[str, Count]:
        """Return the current counts, by the counter's name."""
        return self._tally.counts

    def add(self, change: ConversionChange) -> None:
        """Count a change."""
        terms = self._offers.get(change.after.offer_id)
        if terms is not None:
            self._tally.add(moves(terms, change))

    def store(self, conn: Connection, now_ms: int) -> None:
        """Write the changed counters, and notify edges of changed caps and staff of caps that fill up."""
        moved = self._tally.moved
        counters.write_counts(conn, moved.values(), self._tally.counts)
        changed_offers = set(self._newly_full)
        filling: dict[str, tuple[CapRule, Count]] = {}
        for each in sorted(moved.values(), key=lambda item: item.name):
            if each.until is None or each.until > now_ms:
                if self._has_changed_fullness(each):
                    changed_offers.add(each.offer_id)
                for rule, count in self._caps_to_notify(each):
                    filling.setdefault(each.period_counter.name, (rule, count))
                self._announce_cap(conn, each, now_ms)
        self._notify_filling(conn, filling, now_ms)
        rulesets.touch_all(conn, "full_caps", sorted(changed_offers))

    def _has_changed_fullness(self, counter: Counter) -> bool:
        """Return whether the cap of a counter begins or ends to reject clicks."""
        before, after = self._tally.loaded[counter.name], self._tally.counts[counter.name]
        rules_ = self._offers[counter.offer_id].caps.rejecting(counter)
        return any(rule.is_reached(before) is not rule.is_reached(after) for rule in rules_)

    def _announce_cap(self, conn: Connection, counter: Counter, now_ms: int) -> None:
        """Publish that the cap of a counter fills up, or is full, once in its period."""
        before, after = self._tally.loaded[counter.name], self._tally.counts[counter.name]
        terms = self._offers[counter.offer_id]
        for rule in terms.caps.with_limit_id(counter.limit_id):
            kind = _crossed(rule, before, after)
            if kind is None or events.has_event(conn, kind, counter.limit_id, counter.affiliate_id, counter.start):
                continue
            limit, reached = _in_words(conn, rule, after)
            payload = {"offer": MailedOffer(terms.id, terms.title), "limit": limit}
            payload |= {"reached": reached} if kind is EventKind.CAP_NEARLY_FULL else {}
            concerned = Concerned(counter.limit_id, counter.affiliate_id, terms.advertiser_id, terms.id)
            publish(conn, kind, now_ms, concerned, **payload)

    def _caps_to_notify(self, counter: Counter) -> list[tuple[CapRule, Count]]:
        if counter.period_counter.name in self._already_notified:
            return []
        caps, count = self._offers[counter.offer_id].caps, self._tally.counts[counter.name]
        return [(rule, count) for rule in caps.with_limit_id(counter.limit_id) if caps.is_notice_due(rule, count)]

    def _notify_filling(self, conn: Connection, filling: Mapping[str, tuple[CapRule, Count]], now_ms: int) -> None:
        counters.record_notices(conn, sorted(filling))
        for rule, count in filling.values():
            terms = self._offers[rule.measure.offer_id]
            limit, reached = _in_words(conn, rule, count)
            notify_cap_filling(conn, terms.id, terms.title, terms.advertiser_id, limit, reached, now_ms)


def _crossed(rule: CapRule, before: Count, after: Count) -> EventKind | None:
    """Return the event of a cap with a count that rose over a bound; None where it did not."""
    if rule.value <= 0:
        return None
    if rule.is_reached(after):
        return None if rule.is_reached(before) else EventKind.CAP_FULL
    bound = rule.value * FILLS_UP
    return EventKind.CAP_NEARLY_FULL if before.of(rule.type) < bound <= after.of(rule.type) else None


def _in_words(conn: Connection, rule: CapRule, count: Count) -> tuple[MailLimit, MailLimit]:
    """Return the limit of a cap, and what it has counted."""
    currency = str(settings.find_setting(conn, settings.CURRENCY)) if rule.type is CapType.BUDGET else ""
    return MailLimit(rule.type, rule.value, currency), MailLimit(rule.type, count.of(rule.type), currency)


def measures(terms: OfferTerms, traits: Traits) -> Iterator[LimitDefinition]:
    """Yield the limits that a conversion of these traits may count in or depend on."""
    for rule in terms.caps.rules:
        if rule.measure.counts(traits):
            yield rule.measure
    for ladder in terms.tier_groups:
        if ladder.changes(traits) or ladder.measure.counts(traits):
            yield ladder.measure


def _has_opened_full(terms: OfferTerms, traits: Traits, held: LockedCounters) -> bool:
    return bool(held.created) and any(
        rule.is_reached(held.counts[counter.name])
        for rule, counter in each_counter(terms.caps, traits)
        if counter.period_counter.name in held.created and terms.caps.rejecting(counter)
    )


def moves(terms: OfferTerms, change: ConversionChange) -> Iterator[CounterChange]:
    """Yield what a change adds to the counters of its offer."""
    traits = change.after.traits
    conversions, budget = _difference(change, terms.caps.statuses)
    if conversions or budget:
        for _, counter in each_counter(terms.caps, traits):
            yield CounterChange(counter, conversions, budget)
    for ladder in terms.tier_groups:
        if ladder.measure.counts(traits):
            conversions, budget = _difference(change, ladder.measure.statuses)
            if conversions or budget:
                yield CounterChange(ladder.measure.counter_of(traits), conversions, budget)


def _difference(change: ConversionChange, statuses: frozenset[Status]) -> tuple[int, Decimal]:
    before, after = change.before, change.after
    conversions, budget = (1, after.payout_base) if after.counts_in(statuses) else (0, ZERO)
    if before is not None and before.counts_in(statuses):
        return conversions - 1, budget - before.payout_base
    return conversions, budget


def notify_cap_filling(
    conn: Connection,
    offer_id: int,
    title: str,
    advertiser_id: str,
    limit: MailLimit,
    reached: MailLimit,
    now_ms: int,
) -> None:
    """Mail the advertiser's manager, else the first administrator, that a daily cap fills up.

    limit, reached: the cap and its count.
    """
    owner = advertisers.find_advertiser(conn, Scope.everything(), advertiser_id)
    manager = None if owner is None or owner.manager_id is None else staff.find_staff(conn, owner.manager_id)
    if manager is None or not manager.status.rule.is_at_work:
        manager = staff.find_first_administrator(conn)
    person = manager
    if person is not None:
        account = Account(AccountKind.STAFF, person.id)
        recipient = Recipient(person.email, f"{person.first_name} {person.last_name}".strip(), account)
        send_notice(conn, CAP, [recipient], now_ms, offer=MailedOffer(offer_id, title), limit=limit, reached=reached)
