"""Clicks: decided, recorded, and sent where they go (docs/spec/tracking.md)."""

from typing import Final

from trackyard.decision.click.hit import Hit
from trackyard.decision.click.steps import Refused, decide, would_pass
from trackyard.decision.routes import Rules
from trackyard.decision.target.deep_links import is_ignored
from trackyard.decision.target.json_text import quoted
from trackyard.decision.target.queries import find_plain, read_pairs
from trackyard.decision.target.url import accepted_url, find_refused_url
from trackyard.decision.visitor.client_hints import ACCEPT, asks_more
from trackyard.edge.counters import Counters
from trackyard.edge.endpoints.hits import Hits
from trackyard.edge.endpoints.postback_params import read_body
from trackyard.edge.endpoints.redirects import PLAIN, as_json, not_available, redirect
from trackyard.edge.http.cookies import click_cookies
from trackyard.edge.http.request import Request, Response
from trackyard.edge.recorder import Recorder
from trackyard.edge.state.click_state import EdgeState
from trackyard.journal.records import Flag, Kind

_CLICK: Final = Kind.CLICK  # to look it up in the enumeration takes as long as to look up an offer
BOT: Final = "bot"
"""The reason that sends its click where a visitor would go."""


class Clicks:
    """Answers `/click` and short links."""

    __slots__ = ("_counters", "_hits", "_recorder", "_state")

    def __init__(self, hits: Hits, state: EdgeState, recorder: Recorder, counters: Counters) -> None:
        self._hits = hits
        self._state = state
        self._recorder = recorder
        self._counters = counters

    def click(self, request: Request, rules: Rules) -> Response:
        """Where the visitor goes. HEAD is answered alike and leaves no trace; POST may have parameters in its body."""
        plain = find_plain(request.query)
        params, cut = read_pairs(request.query) if plain is None else (plain, False)
        if request.body:
            params.update(read_body(request))
            plain = None
        hit = self._hits.make(rules, request, params)
        hit.plain = plain is not None
        return self.send(request, hit, self.ask(request, hit), cut=cut)

    def ask(self, request: Request, hit: Hit) -> Refused | None:
        """Decides a click that counts, or, for HEAD, one that does not."""
        hit.seen = self._state.looking if request.method == "HEAD" else self._state.asking
        return decide(hit)

    def look(self, hit: Hit) -> Refused | None:
        """What the decision would be. Counts nothing."""
        hit.seen = self._state.looking
        return decide(hit)

    def send(self, request: Request, hit: Hit, refused: Refused | None, *, cut: bool) -> Response:
        """Records a decided click and answers it. cut: whether one of its parameters was."""
        passes = refused is None or (refused.reason == BOT and self._would_pass(hit))
        url = accepted_url(hit) if passes else find_refused_url(hit)
        recorded = request.method != "HEAD"
        unique = recorded and self._record(hit, refused, cut)
        cookies = b""
        if recorded and refused is None and hit.way is not None:
            cookies = click_cookies(request, hit, hit.way, unique=unique)
        if recorded and asks_more(request.headers):
            cookies += ACCEPT
        if "format" in hit.params and hit.params["format"] == "json":
            return as_json(request, hit, url, cookies, recorded=recorded)
        if url is None:
            return not_available(recorded=recorded)
        kind = hit.way.redirect_type if passes and hit.way is not None else PLAIN
        return redirect(url, kind, cookies, recorded=recorded)

    def _record(self, hit: Hit, refused: Refused | None, cut: bool) -> bool:
        """Records a click; whether its visitor is new to the offer."""
        flags = Flag.PARAMETER_CUT if cut else 0
        if ("redirect" in hit.params or "path" in hit.params) and is_ignored(hit):
            flags |= Flag.REDIRECT_IGNORED
        unique = self._state.is_new(hit, accepted=refused is None)
        self._recorder.put(_CLICK, click_record(hit, refused, unique, flags))
        if refused is None:
            self._counters.accepted += 1
        else:
            self._counters.clicks[refused.reason] += 1
        if self._state.waiting:
            self._recorder.flush()
        return unique

    def _would_pass(self, hit: Hit) -> bool:
        """Whether a visitor in the place of this bot would have been let through."""
        hit.seen = self._state.looking
        return would_pass(hit)


_KEPT: Final = (  # parameters that are columns, in the order of the columns
    *(f"sub{number}" for number in range(1, 9)),
    *("ref_id", "os_id", "user_id", "ext1", "ext2", "ext3", "fbclid", "ios_idfa", "android_id", "bundle_id"),
)
_PLACES: Final = {name: place for place, name in enumerate(_KEPT)}
_BLANK: Final = ['"",'] * len(_KEPT)
_BLANKS: Final = ['"",' * (len(_KEPT) - before) for before in range(len(_KEPT) + 1)]
"""The columns behind the last that is not empty."""


def click_record(hit: Hit, refused: Refused | None, unique: bool, flags: int) -> bytes:
    """The record of a decided click, byte for byte as the struct journal.records.Click is encoded: put together from
    what was made once for many clicks."""
    params = hit.params
    way, affiliate = hit.way, hit.affiliate
    kept = _BLANK.copy()
    last = 0
    for name, value in params.items():
        column = _PLACES.get(name)
        if column is not None:
            kept[column] = f'"{value}",' if hit.plain else f"{quoted(value)},"
            last = max(last, column + 1)
    del kept[last:]
    landing = prelanding = "0"
    if "l" in params:
        page = hit.find_landing()
        if page is not None and page.transit:
            prelanding = str(page.id)
        elif page is not None:
            landing = str(page.id)
    reason = '"",""' if refused is None else f"{quoted(refused.reason)},{quoted(refused.detail)}"
    offer, advertiser = ("0", '""') if way is None else (way.number, way.columns)
    pid = "0" if affiliate is None else affiliate.number
    smart = quoted(hit.smart_id) if hit.smart_id else '""'
    begins = f'[{hit.time_ms},"{hit.click_id}",{reason},{offer},{pid},{advertiser},{landing},{smart},'
    visitor = f'{"1" if unique else "0"},"{hit.ip}",{hit.place_columns()},{hit.agent_columns()}'
    ends = f"{_BLANKS[last]}{flags},{prelanding}]"
    return f'{begins}{visitor},"{hit.language}",{quoted(hit.referrer)},{"".join(kept)}{ends}'.encode()
