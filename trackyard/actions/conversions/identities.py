"""The stored conversions that postbacks and imports are about, in any spelling.

docs/spec/conversions.md#identity-and-repeats, docs/spec/conversions.md#goals.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from trackyard.domain.conversions.conversions import DECLINED, Conversion, ConversionChange, OfferTerms
from trackyard.domain.conversions.postbacks import ReceivedPostback
from trackyard.domain.offers.goals import find_spelling, goal_key
from trackyard.domain.offers.promo_codes import PromoCodeTerms
from trackyard.store.conversions.conversions import count_by_click, count_by_origin, find_by_identity
from trackyard.store.conversions.goals import find_first_spelling, find_spellings
from trackyard.store.engine.database import Connection

_Place = tuple[int, str, str]
"""(offer, goal as it is spelled, identity, address or click)."""


@dataclass(frozen=True)
class PostbackRequest:
    """A postback and its accepted click, a record by column name.

    promo_code: the terms of the promo code of a postback without a click; a click is made for it.
    """

    postback: ReceivedPostback
    click: Mapping[str, Any]
    promo_code: PromoCodeTerms | None = None

    @property
    def offer_id(self) -> int:
        """Return the offer of its click."""
        offer_id: int = self.click["offer"]
        return offer_id


class GoalSpellings:
    """The spelling of the goals of some postbacks, by the offers that they are for.

    A goal has the spelling of a payment of its offer, else of the offer's first conversion of the goal.
    """

    def __init__(self, conn: Connection, offers: Mapping[int, OfferTerms], requests: Sequence[PostbackRequest]) -> None:
        self._paid = {terms.id: [*dict.fromkeys(terms.paid_goals)] for terms in offers.values()}
        self._stored = find_spellings(conn, {each.postback.goal for each in requests})
        self._unpaid: dict[tuple[int, str], str] = {}
        for each in requests:
            offer_id, goal = each.offer_id, each.postback.goal
            place = offer_id, goal_key(goal)
            if place not in self._unpaid and find_spelling(goal, self._paid.get(offer_id, ())) is None:
                first = find_first_spelling(conn, offer_id, self._stored[place[1]])
                self._unpaid[place] = first or goal

    def settled(self, request: PostbackRequest) -> PostbackRequest:
        """Return a request with its goal in the spelling of its offer."""
        goal = request.postback.goal
        spelling = find_spelling(goal, self._paid.get(request.offer_id, ()))
        if spelling is None:
            spelling = self._unpaid[request.offer_id, goal_key(goal)]
        return request if spelling == goal else replace(request, postback=replace(request.postback, goal=spelling))

    def meant(self, request: PostbackRequest) -> list[str]:
        """Return the spellings that stored conversions of a settled request's goal may have.

        Its own is first. Another spelling that the offer pays apart is another goal.
        """
        goal, paid = request.postback.goal, self._paid.get(request.offer_id, ())
        others = self._stored[goal_key(goal)] - {goal, *paid}
        return [goal, *sorted(others)]


class KnownConversions:
    """The stored conversions of some postbacks, updated by `add`."""

    def __init__(
        self,
        conn: Connection,
        offers: Mapping[int, OfferTerms],
        requests: Sequence[PostbackRequest],
        *,
        lock: bool,
        counts: bool = True,
    ) -> None:
        """Read the conversions. lock: as in `find_by_identity`. counts: whether to count by click and address."""
        self._goals = GoalSpellings(conn, offers, requests)
        settled = [self._goals.settled(each) for each in requests]
        self._stored = find_by_identity(conn, {each for one in settled for each in self._identities(one)}, lock=lock)
        self._of_addresses: Counter[_Place] = Counter()
        self._of_clicks: Counter[_Place] = Counter()
        if counts:
            with_address = [each for each in settled if each.click["ip"]]
            origins = {place for each in with_address for place in self._places(each, _address_of(each.click))}
            self._of_addresses = Counter(count_by_origin(conn, origins))
            once = {terms.id for terms in offers.values() if terms.once_per_click}
            of_once = [each for each in settled if each.offer_id in once]
            clicks = {place for each in of_once for place in self._places(each, each.click["id"])}
            self._of_clicks = Counter(count_by_click(conn, clicks))

    def settled(self, request: PostbackRequest) -> PostbackRequest:
        """Return a request with its goal in the spelling of its offer."""
        return self._goals.settled(request)

    def find(self, request: PostbackRequest) -> Conversion | None:
        """Return the stored conversion that a request is about, or None."""
        found = (self._stored.get(each) for each in self._identities(self.settled(request)))
        return next((each for each in found if each is not None), None)

    def count_of_address(self, request: PostbackRequest) -> int:
        """Return the conversions of the goal from the address of the click, without declined ones."""
        address = _address_of(request.click)
        return sum(self._of_addresses[each] for each in self._places(self.settled(request), address)) if address else 0

    def count_of_click(self, request: PostbackRequest) -> int:
        """Return the conversions of the goal of the click, without declined ones."""
        places = self._places(self.settled(request), request.click["id"])
        return sum(self._of_clicks[each] for each in places)

    def add(self, change: ConversionChange) -> None:
        """Take what a change makes of a conversion."""
        before, after = change.before, change.after
        self.put([after])
        added = _is_counted(after) - (before is not None and _is_counted(before))
        self._of_addresses[after.offer_id, after.goal, _address_of(after.click)] += added
        self._of_clicks[after.offer_id, after.goal, after.click_id] += added

    def put(self, conversions: Collection[Conversion]) -> None:
        """Take the state of conversions."""
        self._stored |= {(each.offer_id, each.goal, each.identity): each for each in conversions}

    def each(self) -> Collection[Conversion]:
        """Return the stored conversions."""
        return self._stored.values()

    def _identities(self, settled: PostbackRequest) -> list[_Place]:
        """Return the places where the conversion of a request may be stored, the exact one first."""
        wanted = settled.postback.identities_for(settled.click["id"])
        return [place for identity in wanted for place in self._places(settled, identity)]

    def _places(self, settled: PostbackRequest, third: str) -> list[_Place]:
        return [(settled.offer_id, goal, third) for goal in self._goals.meant(settled)]


_ADDRESS_LENGTH: Final = 45


def _address_of(click: Mapping[str, Any]) -> str:
    address: str = click["ip"][:_ADDRESS_LENGTH]
    return address


def _is_counted(conversion: Conversion) -> bool:
    return conversion.status not in DECLINED
