"""What decisions on inbound calls rest on, as one transaction sees it (docs/spec/conversions.md#inbound-postbacks).

The worker decides calls with it, and a dry run looks with it: there is one way to a decision.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final
from zoneinfo import ZoneInfo

from trackyard.actions.conversions.changes import Listeners, record
from trackyard.actions.offers.counters import Counting, Place, measures
from trackyard.base.clock import Clock
from trackyard.domain.conversions.conversions import (
    CallFacts,
    Change,
    Conversion,
    Fault,
    Terms,
    currencies_of,
    goal_of,
    identity_of,
    traits_of,
)
from trackyard.domain.conversions.decisions import decide
from trackyard.domain.conversions.sessions import is_forgotten, is_older
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.money.referrals import NO_REFERRAL
from trackyard.domain.offers.counters import Count
from trackyard.domain.platform.retention import DEFAULT_SPANS, Spans
from trackyard.store.conversions.conversions import Identity, Origin, count_by_origin, find_by_identity
from trackyard.store.conversions.decisions import find_book, list_sessions
from trackyard.store.engine.database import Connection
from trackyard.store.money import exchange_rates
from trackyard.store.offers import counters
from trackyard.store.tracking import edges

_NOT_COUNTED: Final = (Status.DECLINED, Status.NOT_FOUND)
_REFRESH_MS: Final = 60_000


@dataclass(frozen=True)
class Inquiry:
    """A call and the accepted click that it is for, the click's record by column name."""

    call: CallFacts
    click: Mapping[str, Any]

    @cached_property
    def identity(self) -> Identity:
        """What its conversion is known by."""
        return self.click["offer"], goal_of(self.call.params), identity_of(self.call.params, self.click["id"])

    @cached_property
    def origin(self) -> Origin:
        """Whose conversions an offer may take once."""
        return self.click["offer"], goal_of(self.call.params), self.click["ip"][:45]


class Desk:
    """Terms and conversions for some calls, as the decisions on them leave them.

    stored: conversions by identity · looking: nothing is locked and nothing can be recorded.
    """

    def __init__(
        self, conn: Connection, inquiries: Sequence[Inquiry], currency: str, zone: ZoneInfo, *, looking: bool = False
    ) -> None:
        self._conn = conn
        self._currency = currency
        offers, affiliates = ({each.click[name] for each in inquiries} for name in ("offer", "affiliate"))
        self.book = find_book(conn, offers, affiliates, zone, lock=not looking)
        self._rates = self._find_rates([each.call for each in inquiries])
        self.stored = find_by_identity(conn, {each.identity for each in inquiries}, lock=not looking)
        titles = {terms.id: terms.title for terms in self.book.offers.values()}
        self.listeners = Listeners(self.book.postbacks, titles, zone)
        places = [self._place(each) for each in inquiries]
        self._counting = None if looking else Counting(conn, self.book.offers, places)
        self._counts = self._look(places) if self._counting is None else self._counting.counts
        asking = {terms.id for terms in self.book.offers.values() if terms.unique_ip}
        origins = {each.origin for each in inquiries if each.click["offer"] in asking and each.click["ip"]}
        self._converted = Counter(count_by_origin(conn, origins))

    def find_terms(self, inquiry: Inquiry) -> Terms | None:
        """What decides on a call; None when there is no such offer."""
        click = inquiry.click
        offer = self.book.offers.get(click["offer"])
        if offer is None:
            return None
        advertiser = self.book.advertisers[offer.advertiser_id]
        return Terms(
            offer=offer,
            affiliate_status=self.book.affiliate_statuses.get(click["affiliate"], ""),
            advertiser_secure=advertiser.secure,
            platform_secure=self.book.platform_code or None,
            platform_currency=self._currency,
            rates=self._rates.at(inquiry.call.time),
            advertiser_callers=advertiser.callers,
            counts=self._counts,
            converted=self._converted[inquiry.origin],
            referral=self.book.referrals.get(click["affiliate"], NO_REFERRAL),
        )

    def decide(self, inquiry: Inquiry, new_conversion_id: str) -> Change | Fault:
        """What a call does, or why it does nothing. A change counts for the calls behind it when it is kept."""
        terms = self.find_terms(inquiry)
        if terms is None:
            return Fault.OFFER_DISABLED
        return decide(inquiry.call, inquiry.click, terms, self.stored.get(inquiry.identity), new_conversion_id)

    def keep(self, change: Change) -> None:
        """Takes a change as done."""
        before, after = change.before, change.after
        self.stored[after.offer_id, after.goal, after.identity] = after
        origin = after.offer_id, after.goal, after.click["ip"][:45]
        self._converted[origin] += _is_counted(after) - (before is not None and _is_counted(before))
        if self._counting is not None:
            self._counting.add(change)

    def record(self, changes: Sequence[Change], now_ms: int) -> None:
        """Writes the changes that were kept, in their order, with all that follows from them."""
        if self._counting is None:
            raise RuntimeError("who looks records nothing")
        record(self._conn, changes, self.listeners, self._counting, now_ms)

    def _find_rates(self, calls: Sequence[CallFacts]) -> exchange_rates.Rates:
        times = [call.time for call in calls] or [0]
        currencies = currencies_of(list(self.book.offers.values()), calls, self._currency)
        return exchange_rates.find_rates(self._conn, self._currency, currencies, min(times), max(times))

    def _place(self, inquiry: Inquiry) -> Place:
        """Where the conversion of a call counts: the stored one, or the one it makes."""
        existing: Conversion | None = self.stored.get(inquiry.identity)
        return inquiry.click["offer"], traits_of(inquiry.call, inquiry.click) if existing is None else existing.traits

    def _look(self, places: Sequence[Place]) -> Mapping[str, Count]:
        offers = self.book.offers
        wanted = [(offers[offer_id], traits) for offer_id, traits in places if offer_id in offers]
        return counters.find_counts(
            self._conn, [(each, traits) for terms, traits in wanted for each in measures(terms, traits)]
        )


class Memory:
    """Which clicks are kept no more. What it rests on is read once a minute at most, when an id is old."""

    def __init__(self, clock: Clock, spans: Spans = DEFAULT_SPANS) -> None:
        self._clock = clock
        self._spans = spans
        self._read_at = -_REFRESH_MS
        self._kept = spans.click_ms(())
        self._edges: frozenset[int] = frozenset()

    def has_forgotten(self, conn: Connection, click_id: str, received_at: int) -> bool:
        """Whether an id is that of a click which is kept no more at the time of its call (UTC ms)."""
        if not is_older(click_id, received_at, self._spans.click_ms(())):
            return False
        now = self._clock.now_ms()
        if not 0 <= now - self._read_at < _REFRESH_MS:
            self._kept = self._spans.click_ms(list_sessions(conn))
            self._edges = frozenset(each.number for each in edges.each_edge(conn))
            self._read_at = now
        return is_forgotten(click_id, received_at, self._kept, self._edges)


def _is_counted(conversion: Conversion) -> bool:
    return conversion.status not in _NOT_COUNTED
