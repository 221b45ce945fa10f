"""The visitors of the demonstration, what they click and what they buy.

Equal seeds make equal requests. A `TrafficGenerator` knows neither a server nor a clock: it passes its requests, in
order of time, to a function that sends them, and continues from the target of each click.
"""

import bisect
import heapq
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final, TypeVar
from urllib.parse import parse_qs, urlencode, urlsplit

from trackyard.commands.demo.network import DemoNetwork
from trackyard.commands.demo.offers import OFFERS, SHOP_HOST, Goal, OfferPlan
from trackyard.commands.demo.places import PLACES

HOUR_MS: Final = 3_600_000
T = TypeVar("T")

PHONES: Final = (
    ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 "
     "Mobile/15E148 Safari/604.1", 10),
    ("Mozilla/5.0 (Linux; Android 14; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile "
     "Safari/537.36", 10),
    ("Mozilla/5.0 (Linux; Android 13; Pixel 7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.0.0 Mobile "
     "Safari/537.36", 6),
    ("Mozilla/5.0 (Linux; Android 12; M2101K6G) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 "
     "Chrome/121.0.0.0 Mobile Safari/537.36", 4),
    ("Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 "
     "Mobile/15E148 Safari/604.1", 2),
)  # fmt: skip
DESKTOPS: Final = (
    ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 "
     "Safari/537.36", 12),
    ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 "
     "Edg/126.0.0.0", 4),
    ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 "
     "Safari/605.1.15", 5),
    ("Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0", 2),
    ("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0", 3),
)  # fmt: skip
_BOT: Final = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
_AFFILIATE_WEIGHTS: Final = (("harbour", 40), ("meadow", 30), ("north", 17), ("lantern", 12), ("gone", 1))
_SUBS: Final = (("banner", 5), ("review", 4), ("newsletter", 3), ("social", 3), ("", 1))
_REFERRERS: Final = (("https://reviews.example/best", 4), ("https://search.example/", 3), ("", 3))
_HOUR_WEIGHTS: Final = (3, 2, 2, 1, 1, 1, 2, 4, 6, 7, 8, 8, 8, 8, 8, 8, 8, 8, 9, 10, 10, 9, 7, 5)
"""The traffic of each hour of a day, UTC."""

_CELLULAR_RATE: Final = 0.55
"""The share of phones with an IP address of a carrier."""
_WRONG_LINK_RATE: Final = 0.03
"""The share of links that are wrong, or of offers that the affiliate may not promote."""
_REPEATED_CLICK_RATE: Final = 0.12
"""The share of visitors that click the same link twice."""
_WRONG_POSTBACK_RATE: Final = 0.06
"""The share of postbacks with another one that is wrong."""


@dataclass(frozen=True, slots=True)
class TrackingRequest:
    """A request to the tracking listener. at: UTC ms; query: in order; ip: of the sender."""

    at: int
    path: str
    query: dict[str, str]
    ip: str
    ua: str
    referrer: str = ""
    language: str = ""

    @property
    def target(self) -> str:
        """Return path and query."""
        return f"{self.path}?{urlencode(self.query)}"


@dataclass(frozen=True, slots=True)
class _Visitor:
    ip: str
    ua: str
    language: str


@dataclass(order=True, slots=True)
class _QueuedRequest:
    """A future request. rng: of the visit, for a click with a target that decides what follows."""

    at: int
    number: int
    request: TrackingRequest = field(compare=False)
    rng: Random | None = field(compare=False, default=None)


Send = Callable[[TrackingRequest], str]
"""Sends a request; returns the Location of its answer, "" when it has none."""


class TrafficGenerator:
    """The visitors of a network.

    count: the number of visits; some are by the same visitor.
    wait: converts a wait in seconds.
    """

    def __init__(self, network: DemoNetwork, seed: str, count: int, wait: Callable[[float], float]) -> None:
        self._network = network
        self._seed = seed
        self._count = count
        self._scale_wait = wait
        self._plans = {network.offers[plan.key]: plan for plan in OFFERS}
        self._numbers = itertools.count()
        self._queue: list[_QueuedRequest] = []
        self._today = 0

    def past(self, begin: int, today: int, end: int) -> list[int]:
        """Return the times (UTC ms) of visits from `begin` to `end`: more each week, and more by day.

        today: the start of the platform's day of `end`.
        """
        self._today = today
        hours = list(range(begin, end, HOUR_MS))
        weights = [_HOUR_WEIGHTS[hour // HOUR_MS % 24] * (1 + place / len(hours)) for place, hour in enumerate(hours)]
        rng = Random(f"{self._seed} past")  # noqa: S311 (made-up traffic)
        chosen = rng.choices(hours, weights, k=self._count)
        return sorted(min(hour + rng.randrange(HOUR_MS), end) for hour in chosen)

    def live(self, begin: int, end: int) -> list[int]:
        """Return the times (UTC ms) of visits that are spread evenly."""
        rng = Random(f"{self._seed} live")  # noqa: S311 (made-up traffic)
        return sorted(rng.randrange(begin, end) for _ in range(self._count))

    def send_visits(self, visits: Iterable[int], end: int, send: Send) -> Iterator[int]:
        """Send the requests of the visits until `end`; yield the time of each before it is sent."""
        for place, at in enumerate(visits):
            yield from self._send_until(at, send)
            self._add_visit(at, Random(f"{self._seed} {place}"))  # noqa: S311 (made-up traffic)
        yield from self._send_until(end, send)

    def _send_until(self, at: int, send: Send) -> Iterator[int]:
        while self._queue and self._queue[0].at <= at:
            item = heapq.heappop(self._queue)
            yield item.at
            location = send(item.request)
            if item.rng is not None:
                self._add_conversions(item.request, location, item.rng)

    def _push(self, request: TrackingRequest, rng: Random | None = None) -> None:
        heapq.heappush(self._queue, _QueuedRequest(request.at, next(self._numbers), request, rng))

    # --- clicks -----------------------------------------------------------------------------------------

    def _add_visit(self, at: int, rng: Random) -> None:
        """Add a visit: impressions of a creative, if any, and a click."""
        affiliate = choose_weighted(rng, _AFFILIATE_WEIGHTS)
        plan = self._choose_offer(affiliate, rng, at)
        visitor = self._visitor(rng, mobile=rng.random() < (0.9 if plan.mobile else 0.45))
        pid, offer_id = str(self._network.affiliates[affiliate]), str(self._network.offers[plan.key])
        impression = {"aid": pid, "oid": offer_id}
        for _ in range(plan.views):
            self._push(TrackingRequest(at, "/imp", impression, visitor.ip, visitor.ua, "", visitor.language))
            at += rng.randrange(500, 30_000)
        query = {"pid": pid, "offer_id": offer_id} | _subs(rng)
        path = "/click"
        if rng.random() < _WRONG_LINK_RATE:
            query |= rng.choice(({"offer_id": "999999"}, {"offer_id": "shoes"}, {"pid": "999999"}))
        elif affiliate in ("meadow", "lantern") and not plan.mobile and rng.random() < 0.3:
            path, query = "/sl", {"id": self._network.smartlink, "pid": pid} | _subs(rng)
        elif plan.landings and rng.random() < 0.5:
            query["l"] = str(rng.randrange(plan.landings) + 1)
        ua = _BOT if rng.random() < 0.02 else visitor.ua
        click = TrackingRequest(at, path, query, visitor.ip, ua, choose_weighted(rng, _REFERRERS), visitor.language)
        self._push(click, rng)
        if rng.random() < _REPEATED_CLICK_RATE:
            self._push(replace(click, at=at + int(self._scale_wait(rng.expovariate(1 / 1800)) * 1000) + 1000))

    def _choose_offer(self, affiliate: str, rng: Random, at: int) -> OfferPlan:
        ignores_connections = rng.random() < _WRONG_LINK_RATE
        fitting = [
            (plan, plan.weight)
            for plan in OFFERS
            if (ignores_connections or not plan.connected or affiliate in plan.connected)
            and not (plan.rests_today and at >= self._today > 0)
        ]
        return choose_weighted(rng, fitting)

    def _visitor(self, rng: Random, *, mobile: bool) -> _Visitor:
        own = Random(f"{self._seed} visitor {rng.randrange(self._count * 2)}")  # noqa: S311 (made-up traffic)
        [place] = own.choices(PLACES, [place.share for place in PLACES])
        ip = place.address(own, cellular=mobile and own.random() < _CELLULAR_RATE)
        return _Visitor(ip, choose_weighted(own, PHONES if mobile else DESKTOPS), place.language)

    # --- postbacks --------------------------------------------------------------------------------------

    def _add_conversions(self, click: TrackingRequest, location: str, rng: Random) -> None:
        """Add what a visitor does at the shop that a click led to."""
        target = urlsplit(location)
        if target.hostname != SHOP_HOST or click.ua == _BOT:
            return
        query_params = parse_qs(target.query)
        plan, click_id = self._plans[int(query_params["offer"][0])], query_params["click"][0]
        done = {"": click.at}
        for goal in plan.goals:
            if goal.after in done and rng.random() < goal.rate:
                done[goal.value] = done[goal.after] + int(self._scale_wait(rng.expovariate(1 / goal.wait)) * 1000)
                self._add_postbacks(plan, goal, click_id, done[goal.value], rng)

    def _add_postbacks(self, plan: OfferPlan, goal: Goal, click_id: str, at: int, rng: Random) -> None:
        """Add the postbacks of an advertiser about one goal that was reached."""
        params = {"clickid": click_id, "goal": goal.value, "status": choose_weighted(rng, goal.reported)}
        if goal.sums is not None:
            params["sum"] = f"{rng.uniform(*goal.sums):.2f}"
            params["action_id"] = f"order-{rng.randrange(10**9):09d}"
        code = self._network.codes[plan.key]
        params["secure"] = "guessed" if plan.signs and rng.random() <= 0.03 else code
        params = {name: value for name, value in params.items() if value}
        server = f"198.51.100.{self._network.offers[plan.key] % 250 + 1}"
        self._push(TrackingRequest(at, "/postback", params, server, "Shop/1.0"))
        if params.get("status") == "2" and rng.random() < 0.8:
            decided = params | {"status": rng.choice(("1", "1", "1", "3"))}
            later = at + int(self._scale_wait(rng.uniform(1, 4) * 86_400) * 1000)
            self._push(TrackingRequest(later, "/postback", decided, server, "Shop/1.0"))
        if rng.random() < _WRONG_POSTBACK_RATE:
            wrong = rng.choice((params, params | {"sum": "a lot"}, {"goal": "1"}, {"clickid": "0" * 24}))
            self._push(TrackingRequest(at + rng.randrange(1000, 5000), "/postback", wrong, server, "Shop/1.0"))
        elif not plan.signs and goal.sums is None and rng.random() < 0.2:
            pixel = {"offer_id": str(self._network.offers[plan.key]), "afclick": click_id, "afgoal": goal.value}
            pixel["afsecure"] = self._network.pixel_codes[plan.key]
            self._push(TrackingRequest(at + 1000, "/success.jpg", pixel, server, "Shop/1.0"))


def _subs(rng: Random) -> dict[str, str]:
    subs = {
        "sub1": choose_weighted(rng, _SUBS),
        "sub2": choose_weighted(rng, (("top", 5), ("side", 4), ("incent", 1))),
    }
    subs["sub3"] = f"campaign-{bisect.bisect((0, 4, 10, 20, 40), rng.randrange(60))}"
    return {name: value for name, value in subs.items() if value}


def choose_weighted(rng: Random, weighted: Iterable[tuple[T, int]]) -> T:
    """Return one of the values by their weights."""
    values, weights = zip(*weighted, strict=True)
    chosen: T = rng.choices(values, weights)[0]
    return chosen
