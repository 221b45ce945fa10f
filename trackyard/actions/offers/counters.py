"""Counting conversions against caps and commission tiers, in the transaction that changes them
(docs/spec/conversions.md#caps, docs/spec/conversions.md#commission-tiers)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal

from trackyard.actions.platform.notices import CAP, Recipient, tell, titled
from trackyard.base.money import ZERO
from trackyard.domain.conversions.conversions import Change, OfferTerms
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.offers.caps import CapRule, touched
from trackyard.domain.offers.counters import BUDGET, Count, Counter, Measure, Move, Tally, Traits
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.database import Connection
from trackyard.store.offers import counters
from trackyard.store.offers.counters import Held
from trackyard.store.people import advertisers, staff
from trackyard.store.tracking import rulesets

Place = tuple[int, Traits]
"""The offer of a conversion, and what decides where it counts."""


class Counting:
    """The counters that one transaction reads and moves.

    Begun before it writes conversions, with offers that were read with a lock. offers: their terms by id · places: of
    each conversion that it may make or change. An offer that is not among the offers counts nothing.
    """

    def __init__(self, conn: Connection, offers: Mapping[int, OfferTerms], places: Iterable[Place]) -> None:
        self._offers = offers
        wanted = [(offers[offer_id], traits) for offer_id, traits in dict.fromkeys(places) if offer_id in offers]
        held = counters.hold(conn, [(each, traits) for terms, traits in wanted for each in measures(terms, traits)])
        self._told = held.told
        self._tally = Tally(held.counts)
        # Nobody told the edges yet of what is full where a period was computed just now.
        self._turned = {terms.id for terms, traits in wanted if _is_found_full(terms, traits, held)}

    @classmethod
    def of(cls, conn: Connection, offers: Mapping[int, OfferTerms], changes: Sequence[Change]) -> "Counting":
        """Changes that are decided already, counted; what moves no counter holds none."""
        known = [(offers[each.after.offer_id], each) for each in changes if each.after.offer_id in offers]
        moving = [each.after for terms, each in known if any(_moves(terms, each))]
        counting = cls(conn, offers, [(item.offer_id, item.traits) for item in moving])
        for change in changes:
            counting.add(change)
        return counting

    @property
    def counts(self) -> Mapping[str, Count]:
        """What the counters hold now, by name."""
        return self._tally.counts

    def add(self, change: Change) -> None:
        """Counts a change."""
        terms = self._offers.get(change.after.offer_id)
        if terms is not None:
            self._tally.add(_moves(terms, change))

    def store(self, conn: Connection, now_ms: int) -> None:
        """Writes what moved; tells the edges of caps that became full or free, and staff of day caps that fill up."""
        moved = self._tally.moved
        counters.write(conn, moved.values(), self._tally.counts)
        turned = set(self._turned)
        filling: dict[str, tuple[CapRule, Count]] = {}
        for each in sorted(moved.values(), key=lambda item: item.name):
            if each.until is None or each.until > now_ms:
                if self._has_turned(each):
                    turned.add(each.offer_id)
                for rule, count in self._due_to_tell(each):
                    filling.setdefault(each.opening.name, (rule, count))
        self._tell(conn, filling, now_ms)
        rulesets.touch_all(conn, "full_caps", sorted(turned))

    def _has_turned(self, counter: Counter) -> bool:
        """Whether the cap of a counter refuses clicks from now on, or does no more."""
        before, after = self._tally.loaded[counter.name], self._tally.counts[counter.name]
        rules_ = self._offers[counter.offer_id].caps.refusing(counter)
        return any(rule.is_reached(before) is not rule.is_reached(after) for rule in rules_)

    def _due_to_tell(self, counter: Counter) -> list[tuple[CapRule, Count]]:
        if counter.opening.name in self._told:
            return []
        caps, count = self._offers[counter.offer_id].caps, self._tally.counts[counter.name]
        return [(rule, count) for rule in caps.of_limit(counter.limit_id) if caps.is_due_to_tell(rule, count)]

    def _tell(self, conn: Connection, filling: Mapping[str, tuple[CapRule, Count]], now_ms: int) -> None:
        counters.tell(conn, sorted(filling))
        for rule, count in filling.values():
            terms = self._offers[rule.measure.offer_id]
            words = "a budget of {}" if rule.type == BUDGET else "{} conversions"
            limit, reached = (words.format(_plain(amount)) for amount in (rule.value, count.of(rule.type)))
            tell_of_cap(conn, terms.id, terms.title, terms.advertiser_id, limit, reached, now_ms)


def measures(terms: OfferTerms, traits: Traits) -> Iterator[Measure]:
    """What a conversion of these traits may count in, or be changed by."""
    for rule in terms.caps.rules:
        if rule.measure.counts(traits):
            yield rule.measure
    for ladder in terms.ladders:
        if ladder.changes(traits) or ladder.measure.counts(traits):
            yield ladder.measure


def _is_found_full(terms: OfferTerms, traits: Traits, held: Held) -> bool:
    return bool(held.opened) and any(
        rule.is_reached(held.counts[counter.name])
        for rule, counter in touched(terms.caps, traits)
        if counter.opening.name in held.opened and terms.caps.refusing(counter)
    )


def _moves(terms: OfferTerms, change: Change) -> Iterator[Move]:
    """What a change adds to the counters of its offer."""
    traits = change.after.traits
    conversions, budget = _difference(change, terms.caps.statuses)
    if conversions or budget:
        for _, counter in touched(terms.caps, traits):
            yield Move(counter, conversions, budget)
    for ladder in terms.ladders:
        if ladder.measure.counts(traits):
            conversions, budget = _difference(change, ladder.measure.statuses)
            if conversions or budget:
                yield Move(ladder.measure.counter_of(traits), conversions, budget)


def _difference(change: Change, statuses: frozenset[Status]) -> tuple[int, Decimal]:
    before, after = change.before, change.after
    conversions, budget = (1, after.payout_base) if after.status in statuses else (0, ZERO)
    if before is not None and before.status in statuses:
        return conversions - 1, budget - before.payout_base
    return conversions, budget


def tell_of_cap(
    conn: Connection, offer_id: int, title: str, advertiser_id: str, limit: str, reached: str, now_ms: int
) -> None:
    """Mails that a day cap fills up to the advertiser's manager, or to the first administrator when it has none.

    limit, reached: what the cap takes and has, in words.
    """
    owner = advertisers.find_advertiser(conn, Scope.everything(), advertiser_id)
    manager = None if owner is None or owner.manager_id is None else staff.find_staff(conn, owner.manager_id)
    person = manager or staff.find_first_administrator(conn)
    if person is not None:
        recipient = Recipient(person.email, f"{person.first_name} {person.last_name}".strip())
        tell(conn, CAP, [recipient], now_ms, offer=titled(offer_id, title), limit=limit, reached=reached)


def _plain(amount: Decimal) -> str:
    return f"{amount.normalize():f}"
