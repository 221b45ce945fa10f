"""The terms of decisions on inbound postbacks, as one transaction sees them.

docs/spec/conversions.md#inbound-postbacks. The worker decides with them and a dry run reads them, so both decide alike.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.actions.conversions.changes import DeliveryContext, record_changes
from trackyard.actions.conversions.identities import KnownConversions, PostbackRequest
from trackyard.actions.offers.counters import CounterBatch, OfferTraits, measures, moves
from trackyard.base.clock import Clock
from trackyard.base.secrets import SecretCipher
from trackyard.domain.conversions.conversions import ConversionChange, DecisionTerms, currencies_of
from trackyard.domain.conversions.decisions import decide, with_promo_code
from trackyard.domain.conversions.postbacks import PostbackError, ReceivedPostback
from trackyard.domain.conversions.sessions import is_click_expired, is_click_older
from trackyard.domain.money.referrals import NO_REFERRAL
from trackyard.domain.offers.counters import Count, RunningCounts
from trackyard.domain.offers.goals import goal_key
from trackyard.domain.offers.promo_codes import PromoCodeTerms
from trackyard.domain.platform.retention import DEFAULT_RETENTION, RetentionPolicy
from trackyard.store.conversions.decisions import AdvertiserTerms, get_click_sessions, get_decision_context
from trackyard.store.engine.database import Connection
from trackyard.store.money import exchange_rates
from trackyard.store.offers import counters
from trackyard.store.tracking import edges

_REFRESH_MS: Final = 60_000


class DecisionBatch:
    """Terms and conversions for some postbacks, updated by each decision.

    known: conversions by what identifies them.
    cipher: of signing secrets; None = no advertiser has one.
    read_only: nothing is locked, and nothing can be recorded.
    """

    def __init__(
        self,
        conn: Connection,
        requests: Sequence[PostbackRequest],
        currency: str,
        zone: ZoneInfo,
        *,
        cipher: SecretCipher | None = None,
        read_only: bool = False,
    ) -> None:
        self._conn = conn
        self._currency = currency
        self._cipher = cipher
        offers, affiliates = ({each.click[name] for each in requests} for name in ("offer", "affiliate"))
        self.context = get_decision_context(conn, offers, affiliates, zone, lock=not read_only)
        self._rates = self._find_rates([each.postback for each in requests])
        self.known = KnownConversions(conn, self.context.offers, requests, lock=not read_only)
        titles = {terms.id: terms.title for terms in self.context.offers.values()}
        self.delivery_context = DeliveryContext(self.context.postbacks, titles, zone)
        offer_traits = [self._traits_of(each) for each in requests]
        self._counters = None if read_only else CounterBatch(conn, self.context.offers, offer_traits)
        self._tried = RunningCounts(self._read_counts(offer_traits) if self._counters is None else {})

    @property
    def counts(self) -> Mapping[str, Count]:
        """Return the current counts of caps and tiers, by the counter's name."""
        return self._tried.counts if self._counters is None else self._counters.counts

    def find_terms(self, request: PostbackRequest) -> DecisionTerms | None:
        """Return the terms of a decision; None when the offer does not exist."""
        click = request.click
        offer = self.context.offers.get(click["offer"])
        if offer is None:
            return None
        advertiser = self.context.advertisers[offer.advertiser_id]
        usual = self.context.usual_times.get((offer.id, goal_key(request.postback.goal)))
        if request.promo_code is not None:  # its click has no age
            offer, usual = replace(offer, min_session="0s"), None
        return DecisionTerms(
            offer=offer,
            affiliate_status=self.context.affiliate_statuses.get(click["affiliate"]),
            advertiser_secure=advertiser.secure,
            platform_secure=self.context.platform_secure or None,
            needs_code=self.context.needs_code,
            signing_secret=self._signing_secret(advertiser),
            platform_currency=self._currency,
            rates=self._rates.at(request.postback.time),
            advertiser_address_lists=advertiser.address_lists,
            counts=self.counts,
            converted=self.known.count_of_address(request),
            usual=usual,
            converted_by_click=self.known.count_of_click(request),
            referral=self.context.referrals.get(click["affiliate"], NO_REFERRAL),
        )

    def decide(self, request: PostbackRequest, new_conversion_id: str) -> ConversionChange | PostbackError:
        """Return the change by a postback, or its fault. Later postbacks count the change once it is applied."""
        terms = self.find_terms(request)
        if terms is None:
            return PostbackError.OFFER_DISABLED
        existing, request = self.known.find(request), self.known.settled(request)
        outcome = decide(request.postback, request.click, terms, existing, new_conversion_id)
        if request.promo_code is None or existing is not None or isinstance(outcome, PostbackError):
            return outcome
        return with_promo_code(outcome, request.promo_code)

    def apply(self, change: ConversionChange, promo_code: PromoCodeTerms | None = None) -> None:
        """Count a change for later decisions. promo_code: that made the conversion."""
        if change.before is None and promo_code is not None:
            promo_code.usage += 1
        self.known.add(change)
        if self._counters is not None:
            self._counters.add(change)
        elif (offer := self.context.offers.get(change.after.offer_id)) is not None:
            self._tried.add(moves(offer, change))

    def record(self, changes: Sequence[ConversionChange], now_ms: int) -> None:
        """Write applied changes in order, with all that follows."""
        if self._counters is None:
            raise RuntimeError("a read-only batch records nothing")
        record_changes(self._conn, changes, self.delivery_context, self._counters, now_ms)

    def _signing_secret(self, advertiser: AdvertiserTerms) -> str | None:
        encrypted = advertiser.signing_secret
        if encrypted is None:
            return None
        if self._cipher is None:
            raise RuntimeError("the signing secret of an advertiser needs the cipher that encrypted it")
        return self._cipher.decrypt(encrypted)

    def _find_rates(self, calls: Sequence[ReceivedPostback]) -> exchange_rates.ExchangeRates:
        times = [postback.time for postback in calls] or [0]
        currencies = currencies_of(self.context.offers.values(), calls, self._currency)
        return exchange_rates.get_rates(self._conn, self._currency, currencies, min(times), max(times))

    def _traits_of(self, request: PostbackRequest) -> OfferTraits:
        """Return where the conversion of a postback counts: the stored one, or the one it makes."""
        existing, request = self.known.find(request), self.known.settled(request)
        traits = request.postback.traits_for(request.click) if existing is None else existing.traits
        return request.click["offer"], traits

    def _read_counts(self, offer_traits: Sequence[OfferTraits]) -> Mapping[str, Count]:
        offers = self.context.offers
        wanted = [(offers[offer_id], traits) for offer_id, traits in offer_traits if offer_id in offers]
        return counters.get_counts(
            self._conn, [(each, traits) for terms, traits in wanted for each in measures(terms, traits)]
        )


class ClickExpiry:
    """Find clicks past their retention period. Reads SQL once a minute at most, for old ids."""

    def __init__(self, clock: Clock, retention: RetentionPolicy = DEFAULT_RETENTION) -> None:
        self._clock = clock
        self._retention = retention
        self._read_at = -_REFRESH_MS
        self._click_ms = retention.click_period_ms(())
        self._edges: frozenset[int] = frozenset()

    def is_expired(self, conn: Connection, click_id: str, received_at: int) -> bool:
        """Return whether an id belongs to a click past its retention period when its postback came (UTC ms)."""
        if not is_click_older(click_id, received_at, self._retention.click_period_ms(())):
            return False
        now = self._clock.now_ms()
        if not 0 <= now - self._read_at < _REFRESH_MS:
            self._click_ms = self._retention.click_period_ms(get_click_sessions(conn))
            self._edges = frozenset(each.number for each in edges.each_edge(conn))
            self._read_at = now
        return is_click_expired(click_id, received_at, self._click_ms, self._edges)
