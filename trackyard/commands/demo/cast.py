"""The network of the characters, made over the API, and their traffic hour by hour."""

import heapq
import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import exp
from random import Random
from typing import Any, Final, Protocol

from trackyard.base.ids import new_api_key
from trackyard.commands.demo.characters import (
    CHARACTERS,
    OFFERS,
    RULES,
    SUBS,
    WHOLE,
    Character,
    Shape,
    Truth,
    WatchedOffer,
    reported_share,
    shape_of,
    work_of,
)
from trackyard.commands.demo.offers import SHOP_HOST
from trackyard.commands.demo.places import PLACES
from trackyard.commands.demo.traffic import DESKTOPS, HOUR_MS, PHONES, Send, TrackingRequest, choose_weighted

_DAY_HOURS: Final = 24
_DAY_S: Final = 86_400
_WEEKEND: Final = (5, 6)
_NEWSLETTER: Final = (1, 9)
"""Weekday and hour of the newsletter, UTC."""
_THURSDAY: Final = 3
"""The weekday of the first day of Unix time."""
_HEADLESS: Final = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/126.0.0.0 Safari/537.36"
)
_MOST_REMEMBERED: Final = 50
_MANY: Final = 60


class Poster(Protocol):
    """Sends a POST request to the API."""

    def post(self, path: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the answer. params: values of JSON."""


@dataclass(frozen=True, slots=True)
class Cast:
    """The characters in an installation.

    offers, advertisers, affiliates: ids by key. codes: codes of postbacks by key of the offer. rules: ids of rules.
    """

    offers: Mapping[str, int]
    advertisers: Mapping[str, str]
    affiliates: Mapping[str, int]
    codes: Mapping[str, str]
    rules: tuple[str, ...]


def played(*, demo: bool) -> tuple[list[WatchedOffer], list[Character]]:
    """Return the offers and the characters that have a part."""
    offers = [offer for offer in OFFERS if offer.in_demo or not demo]
    return offers, [character for character in CHARACTERS if work_of(character, demo=demo)]


def make_cast(api: Poster, report_step: Callable[[], None], *, demo: bool) -> Cast:
    """Make the characters over the API, with the rules that watch them.

    report_step: called after each request.
    """

    def post(path: str, params: dict[str, Any]) -> dict[str, Any]:
        answer = api.post(path, params)
        report_step()
        return answer

    played_offers, characters = played(demo=demo)
    offers, advertisers, codes = {}, {}, {}
    for offer in played_offers:
        form: dict[str, Any] = {"title": offer.advertiser, "email": f"{offer.key}@{offer.key}.example"}
        made = post("/3.0/admin/advertiser", form)["advertiser"]
        advertisers[offer.key], codes[offer.key] = made["id"], made["hash_password"] or ""
        form = {
            "title": offer.title,
            "advertiser": made["id"],
            "url": f"https://{SHOP_HOST}/{offer.key}?click={{clickid}}&offer={{offer_id}}",
            "privacy": "public",
            "status": "active",
            "payments": [{"goal": "1", "title": "Action", "total": "1.2", "revenue": "0.8"}],
        }
        offers[offer.key] = post("/3.1/admin/offer", form)["offer"]["id"]
    affiliates = {}
    for each in characters:
        form = {"email": f"{each.key}@{each.key}.example", "password": new_api_key(), "login": each.key}
        form |= {"name": each.name, "status": "active"}
        affiliates[each.key] = post("/3.0/admin/partner", form)["partner"]["id"]
    rules = tuple(post("/3.1/admin/rules", {"is_on": 1} | form)["rule"]["id"] for form in RULES)
    return Cast(offers, advertisers, affiliates, codes, rules)


def cast_steps(*, demo: bool) -> int:
    """Return how often `make_cast` reports a step."""
    offers, characters = played(demo=demo)
    return 2 * len(offers) + len(characters) + len(RULES)


@dataclass(order=True, slots=True)
class _Queued:
    """A future request. then: makes what follows of the Location of its answer."""

    at: int
    number: int
    request: TrackingRequest = field(compare=False)
    then: Callable[[str], None] | None = field(compare=False, default=None)


class CastTraffic:
    """The traffic of the characters. Equal seeds make equal traffic.

    scale: the factor for all clicks. faults_at: the time (UTC ms) at which the faults begin; None = never.
    """

    def __init__(self, cast: Cast, seed: str, scale: float, begin: int, faults_at: int | None, *, demo: bool) -> None:
        self._cast = cast
        self._dice = Random(seed)  # noqa: S311 (made-up traffic)
        self._scale = scale
        self._begin = begin
        self._faults_at = faults_at
        offers, characters = played(demo=demo)
        self._work = [(offer, each) for each in characters for offer in offers if offer.key in work_of(each, demo=demo)]
        self._numbers = itertools.count()
        self._queue: list[_Queued] = []
        self._converted: dict[tuple[str, str], list[str]] = defaultdict(list)

    def send(self, begin: int, end: int, send: Send) -> Iterator[int]:
        """Send the requests of some hours.

        begin, end: the limits of the hours, UTC ms. Yields the time of each request before it is sent.
        The next call sends requests that follow later.
        """
        for hour in range(begin, end, HOUR_MS):
            for offer, character in self._work:
                self._add_hour(hour, min(hour + HOUR_MS, end), offer, character)
            yield from self._send_until(min(hour + HOUR_MS, end), send)

    def _send_until(self, end: int, send: Send) -> Iterator[int]:
        while self._queue and self._queue[0].at < end:
            item = heapq.heappop(self._queue)
            yield item.at
            location = send(item.request)
            if item.then is not None:
                item.then(location)

    def _push(self, request: TrackingRequest, then: Callable[[str], None] | None = None) -> None:
        heapq.heappush(self._queue, _Queued(request.at, next(self._numbers), request, then))

    def _is_wrong(self, at: int) -> bool:
        return self._faults_at is not None and at >= self._faults_at

    def _add_hour(self, hour: int, end: int, offer: WatchedOffer, character: Character) -> None:
        shape = shape_of(character, offer.key, wrong=self._is_wrong(hour))
        if shape is None:
            return
        clicks = poisson(self._dice, self._scale * clicks_of_hour(shape, hour, self._begin))
        for _ in range(clicks):
            self._add_click(hour + self._dice.randrange(end - hour), offer, character, shape)

    def _add_click(self, at: int, offer: WatchedOffer, character: Character, shape: Shape) -> None:
        dice = self._dice
        is_mobile = dice.random() < shape.mobile
        converts = dice.random() < offer.rates[not is_mobile] * shape.rate
        sub = choose_weighted(dice, zip(SUBS, shape.subs, strict=True))
        known = self._converted[offer.key, character.key]
        place = dice.choice(PLACES)
        ip = place.address(dice, cellular=is_mobile)
        if converts and known and dice.random() < shape.repeated:
            ip = dice.choice(known)
        ua = choose_weighted(dice, PHONES if is_mobile else DESKTOPS)
        if not is_mobile and dice.random() < shape.marked / (1 - shape.mobile):
            ua = _HEADLESS
        query = {"pid": str(self._cast.affiliates[character.key]), "offer_id": str(self._cast.offers[offer.key])}
        request = TrackingRequest(at, "/click", query | {"sub1": sub}, ip, ua, "", place.language)
        if not converts or dice.random() >= reported_share(offer, character, sub, wrong=self._is_wrong(at)):
            return self._push(request)
        self._converted[offer.key, character.key] = [*known[-_MOST_REMEMBERED:], ip]
        due = at + round(_wait_s(dice, shape) * 1000)
        return self._push(request, lambda location: self._add_postback(due, offer, location))

    def _add_postback(self, at: int, offer: WatchedOffer, location: str) -> None:
        """Add the postback of an advertiser.

        A broken integration sends macros as they are written, and does not fill them.
        """
        if SHOP_HOST not in location:
            return
        click_id = location.partition("click=")[2].partition("&")[0]
        params = {"clickid": click_id, "action_id": f"{offer.key}-{click_id}", "secure": self._cast.codes[offer.key]}
        if offer.truth is Truth.BROKEN and self._is_wrong(at) and self._dice.random() >= WHOLE:
            params |= self._dice.choice(({"clickid": "{clickid}"}, {"sum": "{payout}"}))
        server = f"198.51.100.{self._cast.offers[offer.key] % 250 + 1}"
        sent = {name: value for name, value in params.items() if value}
        self._push(TrackingRequest(at, "/postback", sent, server, "Shop/1.0"))


def clicks_of_hour(shape: Shape, hour: int, begin: int) -> float:
    """Return the clicks that a shape has on average in an hour (UTC ms). begin: of all traffic."""
    hours = hour // HOUR_MS
    weekday, of_day = (hours // _DAY_HOURS + _THURSDAY) % 7, hours % _DAY_HOURS
    daily: float = shape.clicks * (1 + shape.growth) ** ((hour - begin) / HOUR_MS / _DAY_HOURS)
    daily *= shape.weekend if weekday in _WEEKEND else 1.0
    return daily * shape.hours[of_day] / sum(shape.hours) + (shape.burst if (weekday, of_day) == _NEWSLETTER else 0)


def _wait_s(dice: Random, shape: Shape) -> float:
    """Return the seconds from a click to its conversion."""
    chance = dice.random()
    if chance < shape.quick:
        return dice.uniform(2, 9)
    if chance < shape.quick + shape.late:
        return dice.uniform(1.05, 3) * _DAY_S
    return 15 + dice.expovariate(1 / 1500)


def poisson(dice: Random, mean: float) -> int:
    """Return a number of this mean; large ones are rounded from a normal distribution."""
    if mean > _MANY:
        return max(0, round(dice.gauss(mean, mean**0.5)))
    limit, number, product = exp(-mean), 0, dice.random()
    while product > limit:
        number += 1
        product *= dice.random()
    return number
