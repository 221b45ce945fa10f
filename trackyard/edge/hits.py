"""Making a hit of a request: whose click it is, and what is known of the visitor (behaviour.md §4)."""

import os
from typing import Final

from trackyard.base.clock import Clock
from trackyard.decide.bots import is_prefetch
from trackyard.decide.headers import LANGUAGE, find_unique_cookie, read_language
from trackyard.decide.hints import find_hints
from trackyard.decide.hit import Hit
from trackyard.decide.rules import Rules
from trackyard.decide.visitor import BOT, Visitors
from trackyard.edge.address import TrustedNetworks
from trackyard.edge.reported import whose
from trackyard.edge.request import Request

_IDS_AT_ONCE: Final = 512
_LANGUAGES: Final = 1024
"""Values of Accept-Language that are kept read."""


class Hits:
    """Makes hits. `number`: of the edge, part of the ids it gives out."""

    __slots__ = ("_begins", "_clock", "_languages", "_number", "_random", "_second", "_trusted", "_visitors")

    def __init__(self, number: int, clock: Clock, visitors: Visitors, trusted: TrustedNetworks) -> None:
        self._number = f"{number:02x}"
        self._clock = clock
        self._visitors = visitors
        self._trusted = trusted
        self._random: list[str] = []
        self._second = -1
        self._begins = ""
        self._languages: dict[str, str] = {}

    def make(self, rules: Rules, request: Request, params: dict[str, str]) -> Hit:
        """The hit of a request with these parameters."""
        ip, address, ua, reported = whose(rules, request, params, self._trusted)
        headers = request.headers
        read = self._visitors.read(ua, None if reported else find_hints(headers))
        found = self._visitors.find_place(ip, address)
        agent = read.agent
        now = self._clock.now_ms()
        click_id = self._new_click_id(now)
        hit = Hit(
            rules,
            now,
            click_id,
            params,
            ip,
            found.place,
            ua,
            agent,
            request.header(b"referer"),
            self._language(request.header(LANGUAGE)),
            agent.device == BOT or (not reported and is_prefetch(headers)),
            found=found,
            read=read,
            address=address,
        )
        hit.cookie = own_cookie(request, hit)
        return hit

    def _new_click_id(self, now_ms: int) -> str:
        """As base/ids.new_click_id, with randomness fetched for many at once."""
        if not self._random:
            digits = os.urandom(7 * _IDS_AT_ONCE).hex()
            self._random = [digits[at : at + 14] for at in range(0, len(digits), 14)]
        second = now_ms // 1000
        if second != self._second:
            self._second, self._begins = second, f"{second:08x}{self._number}"
        return self._begins + self._random.pop()

    def _language(self, accepted: str) -> str:
        """As `read_language`; what browsers send is of few kinds."""
        found = self._languages.get(accepted)
        if found is None:
            if len(self._languages) >= _LANGUAGES:
                self._languages.clear()
            found = self._languages[accepted] = read_language(accepted)
        return found


def own_cookie(request: Request, hit: Hit) -> str:
    """What `Hit.cookie` is for the offer of this hit."""
    return hit.click_id if hit.offer is None else find_unique_cookie(request.headers, hit.offer.id) or hit.click_id
