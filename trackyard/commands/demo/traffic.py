"""Who comes, what they click and what they buy: requests to the tracking addresses, the same for the same seed.

A `Crowd` knows neither a server nor a clock: it hands its requests, in the order of their times, to whoever sends
them, and goes on from where a click was sent to.
"""

import bisect
import heapq
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from ipaddress import ip_network
from random import Random
from typing import Final, TypeVar
from urllib.parse import parse_qs, urlencode, urlsplit

from trackyard.commands.demo.network import SECURE, Network
from trackyard.commands.demo.offers import OFFERS, SHOP_HOST, Goal, OfferPlan

HOUR_MS: Final = 3_600_000
T = TypeVar("T")

_COUNTRIES: Final = (
    # a network of its, its share, Accept-Language
    ("73.0.0.0/8", 30, "en-US,en;q=0.9"),
    ("86.128.0.0/11", 14, "en-GB,en;q=0.9"),
    ("91.0.0.0/10", 13, "de-DE,de;q=0.9,en;q=0.5"),
    ("90.0.0.0/9", 10, "fr-FR,fr;q=0.9"),
    ("83.32.0.0/11", 8, "es-ES,es;q=0.9"),
    ("117.192.0.0/10", 8, "en-IN,hi;q=0.8"),
    ("177.32.0.0/12", 6, "pt-BR,pt;q=0.9"),
    ("126.0.0.0/8", 5, "ja-JP,ja;q=0.9"),
    ("1.128.0.0/11", 3, "en-AU,en;q=0.9"),
    ("105.112.0.0/12", 2, "en-NG,en;q=0.9"),
)
_PHONES: Final = (
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
_DESKTOPS: Final = (
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
_SENDERS: Final = (("harbour", 40), ("meadow", 30), ("north", 17), ("lantern", 12), ("gone", 1))
_SUBS: Final = (("banner", 5), ("review", 4), ("newsletter", 3), ("social", 3), ("", 1))
_REFERRERS: Final = (("https://reviews.example/best", 4), ("https://search.example/", 3), ("", 3))
_BUSY: Final = (3, 2, 2, 1, 1, 1, 2, 4, 6, 7, 8, 8, 8, 8, 8, 8, 8, 8, 9, 10, 10, 9, 7, 5)
"""How busy each hour of a day is, UTC."""

_STRAY: Final = 0.03
"""So many links are wrong, or of offers that the affiliate may not send traffic to."""
_AGAIN: Final = 0.12
"""So many visitors click the same link twice."""
_ODD: Final = 0.06
"""Beside so many calls another one comes that is wrong."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A request of the tracking listener. at: UTC ms · query: parameters in their order · ip: of who asks."""

    at: int
    path: str
    query: dict[str, str]
    ip: str
    ua: str
    referrer: str = ""
    language: str = ""

    @property
    def target(self) -> str:
        """Path and query."""
        return f"{self.path}?{urlencode(self.query)}"


@dataclass(frozen=True, slots=True)
class _Visitor:
    ip: str
    ua: str
    language: str


@dataclass(order=True, slots=True)
class _Next:
    """A request to come. dice: of the visit, when it is a click whose target tells what follows."""

    at: int
    number: int
    ask: Ask = field(compare=False)
    dice: Random | None = field(compare=False, default=None)


Send = Callable[[Ask], str]
"""Sends a request; the Location of its answer, "" when it has none."""


class Crowd:
    """Visitors of a network. count: how many visits there will be, of whom some are the same visitor's · wait: what
    becomes of a wait of so many seconds."""

    def __init__(self, network: Network, seed: str, count: int, wait: Callable[[float], float]) -> None:
        self._network = network
        self._seed = seed
        self._count = count
        self._wait = wait
        self._plans = {network.offers[plan.key]: plan for plan in OFFERS}
        self._numbers = itertools.count()
        self._queue: list[_Next] = []
        self._today = 0

    def past(self, begin: int, today: int, end: int) -> list[int]:
        """The times (UTC ms) of the visits of a past from `begin` to `end`: more each week, and more by day. today:
        when the platform's day of `end` began."""
        self._today = today
        hours = list(range(begin, end, HOUR_MS))
        weights = [_BUSY[hour // HOUR_MS % 24] * (1 + place / len(hours)) for place, hour in enumerate(hours)]
        dice = Random(f"{self._seed} past")
        chosen = dice.choices(hours, weights, k=self._count)
        return sorted(min(hour + dice.randrange(HOUR_MS), end) for hour in chosen)

    def live(self, begin: int, end: int) -> list[int]:
        """The times (UTC ms) of the visits of a span that is as busy all the time."""
        dice = Random(f"{self._seed} live")
        return sorted(dice.randrange(begin, end) for _ in range(self._count))

    def play(self, visits: Iterable[int], end: int, send: Send) -> Iterator[int]:
        """Sends what the visits bring until `end`; yields the time of each request before it is sent."""
        for place, at in enumerate(visits):
            yield from self._send_until(at, send)
            self._arrive(at, Random(f"{self._seed} {place}"))
        yield from self._send_until(end, send)

    def _send_until(self, at: int, send: Send) -> Iterator[int]:
        while self._queue and self._queue[0].at <= at:
            item = heapq.heappop(self._queue)
            yield item.at
            location = send(item.ask)
            if item.dice is not None:
                self._follow(item.ask, location, item.dice)

    def _push(self, ask: Ask, dice: Random | None = None) -> None:
        heapq.heappush(self._queue, _Next(ask.at, next(self._numbers), ask, dice))

    # --- clicks -----------------------------------------------------------------------------------------

    def _arrive(self, at: int, dice: Random) -> None:
        """A visit: views of a creative, if any, and a click."""
        sender = _one_of(dice, _SENDERS)
        plan = self._choose(sender, dice, at)
        visitor = self._visitor(dice, mobile=dice.random() < (0.9 if plan.mobile else 0.45))
        pid, offer_id = str(self._network.affiliates[sender]), str(self._network.offers[plan.key])
        seen = {"aid": pid, "oid": offer_id}
        for _ in range(plan.views):
            self._push(Ask(at, "/imp", seen, visitor.ip, visitor.ua, "", visitor.language))
            at += dice.randrange(500, 30_000)
        query = {"pid": pid, "offer_id": offer_id} | _subs(dice)
        path = "/click"
        if dice.random() < _STRAY:
            query |= dice.choice(({"offer_id": "999999"}, {"offer_id": "shoes"}, {"pid": "999999"}))
        elif sender in ("meadow", "lantern") and not plan.mobile and dice.random() < 0.3:
            path, query = "/sl", {"id": self._network.smartlink, "pid": pid} | _subs(dice)
        elif plan.landings and dice.random() < 0.5:
            query["l"] = str(dice.randrange(plan.landings) + 1)
        ua = _BOT if dice.random() < 0.02 else visitor.ua
        click = Ask(at, path, query, visitor.ip, ua, _one_of(dice, _REFERRERS), visitor.language)
        self._push(click, dice)
        if dice.random() < _AGAIN:
            self._push(replace(click, at=at + int(self._wait(dice.expovariate(1 / 1800)) * 1000) + 1000))

    def _choose(self, sender: str, dice: Random, at: int) -> OfferPlan:
        everywhere = dice.random() < _STRAY
        fitting = [
            (plan, plan.weight)
            for plan in OFFERS
            if (everywhere or not plan.connected or sender in plan.connected)
            and not (plan.rests_today and at >= self._today > 0)
        ]
        return _one_of(dice, fitting)

    def _visitor(self, dice: Random, *, mobile: bool) -> _Visitor:
        own = Random(f"{self._seed} visitor {dice.randrange(self._count * 2)}")
        place, _, language = own.choices(_COUNTRIES, [share for _, share, _ in _COUNTRIES])[0]
        network = ip_network(place)
        ip = str(network[own.randrange(1, network.num_addresses - 1)])
        return _Visitor(ip, _one_of(own, _PHONES if mobile else _DESKTOPS), language)

    # --- calls ------------------------------------------------------------------------------------------

    def _follow(self, click: Ask, location: str, dice: Random) -> None:
        """What a visitor does who was sent to a shop."""
        target = urlsplit(location)
        if target.hostname != SHOP_HOST or click.ua == _BOT:
            return
        told = parse_qs(target.query)
        plan, click_id = self._plans[int(told["offer"][0])], told["click"][0]
        done = {"": click.at}
        for goal in plan.goals:
            if goal.after in done and dice.random() < goal.rate:
                done[goal.value] = done[goal.after] + int(self._wait(dice.expovariate(1 / goal.wait)) * 1000)
                self._report(plan, goal, click_id, done[goal.value], dice)

    def _report(self, plan: OfferPlan, goal: Goal, click_id: str, at: int, dice: Random) -> None:
        """The calls of an advertiser about one goal that was reached."""
        said = {"clickid": click_id, "goal": goal.value, "status": _one_of(dice, goal.reported)}
        if goal.sums is not None:
            said["sum"] = f"{dice.uniform(*goal.sums):.2f}"
            said["action_id"] = f"order-{dice.randrange(10**9):09d}"
        if plan.signs:
            said["secure"] = SECURE if dice.random() > 0.03 else "guessed"
        said = {name: value for name, value in said.items() if value}
        server = f"198.51.100.{self._network.offers[plan.key] % 250 + 1}"
        self._push(Ask(at, "/postback", said, server, "Shop/1.0"))
        if said.get("status") == "2" and dice.random() < 0.8:
            decided = said | {"status": dice.choice(("1", "1", "1", "3"))}
            later = at + int(self._wait(dice.uniform(1, 4) * 86_400) * 1000)
            self._push(Ask(later, "/postback", decided, server, "Shop/1.0"))
        if dice.random() < _ODD:
            odd = dice.choice((said, said | {"sum": "a lot"}, {"goal": "1"}, {"clickid": "0" * 24}))
            self._push(Ask(at + dice.randrange(1000, 5000), "/postback", odd, server, "Shop/1.0"))
        elif not plan.signs and goal.sums is None and dice.random() < 0.2:
            pixel = {"offer_id": str(self._network.offers[plan.key]), "afclick": click_id, "afgoal": goal.value}
            self._push(Ask(at + 1000, "/success.jpg", pixel, server, "Shop/1.0"))


def _subs(dice: Random) -> dict[str, str]:
    subs = {"sub1": _one_of(dice, _SUBS), "sub2": _one_of(dice, (("top", 5), ("side", 4), ("incent", 1)))}
    subs["sub3"] = f"campaign-{bisect.bisect((0, 4, 10, 20, 40), dice.randrange(60))}"
    return {name: value for name, value in subs.items() if value}


def _one_of(dice: Random, weighted: Iterable[tuple[T, int]]) -> T:
    values, weights = zip(*weighted, strict=True)
    chosen: T = dice.choices(values, weights)[0]
    return chosen
