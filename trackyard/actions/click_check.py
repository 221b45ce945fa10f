"""Why a click passes or not: the steps of the decision one by one, of a click that did not come or of one that did.

Nothing is counted or recorded (behaviour.md §10, click-check).
"""

from dataclasses import dataclass
from typing import Final

import msgspec

from trackyard.actions.deps import Deps
from trackyard.actions.scope import scope_of
from trackyard.base.errors import BadInput, NotFound
from trackyard.base.ids import new_click_id
from trackyard.decide.bots import is_prefetch
from trackyard.decide.headers import LANGUAGE, find_unique_cookie, read_language
from trackyard.decide.hints import find_hints
from trackyard.decide.hit import Hit
from trackyard.decide.rules import Rules
from trackyard.decide.steps import STEPS, Refused, decide, would_pass
from trackyard.decide.target import accepted_url, find_refused_url
from trackyard.decide.visitor import BOT, Agent, Place
from trackyard.domain.callers import Caller
from trackyard.domain.roles import Permission
from trackyard.journal.records import Click
from trackyard.stats.lists import find_click
from trackyard.store import offer_rules, rules
from trackyard.store.engine import Connection
from trackyard.store.rules import PLATFORM_KEY

NOT_ASKED: Final = "not asked"
PASSED: Final = "passed"
REFUSED: Final = "refused"

_PLAIN: Final = "http302"
"""How a refused click goes, whatever the offer's way is."""

_KEPT: Final = (
    *(name for name in Click.__struct_fields__ if name.startswith(("sub", "ext"))),
    *("ref_id", "os_id", "user_id", "fbclid", "ios_idfa", "android_id", "bundle_id"),
)
_SHOWN: Final = 12
"""Edge number of the ids that dry runs make up; they are recorded nowhere."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A click as it would come. params: by wire name · headers: by lower-case name · at: UTC ms."""

    params: dict[str, str]
    ip: str
    ua: str
    headers: dict[bytes, bytes]
    at: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one step says. name: the reason that it refuses for · outcome: PASSED, REFUSED, or NOT_ASKED where an
    earlier one left nothing to ask about · detail: what decided."""

    name: str
    outcome: str
    detail: str


@dataclass(frozen=True, slots=True)
class Checked:
    """A click that was tried. refused: None when it passes · url: where it goes, None = a page that says that the offer
    is not available · redirect_type: how it goes there."""

    hit: Hit
    verdicts: tuple[Verdict, ...]
    refused: Refused | None
    url: str | None
    redirect_type: str


@dataclass(frozen=True, slots=True)
class Explained:
    """A recorded click, and what today's rules say of it."""

    click: Click
    today: Checked


def check_click(deps: Deps, caller: Caller, sample: Sample) -> Checked:
    """Tries a click. Raises BadInput for an affiliate or an offer out of the caller's scope."""
    with deps.database.read() as conn:
        scope = scope_of(conn, caller, Permission.STATS_CLICKS)
        known = _rules_for(conn, sample.params.get("offer_id", ""), sample.params.get("pid", ""))
    headers, visitors = sample.headers, deps.visitors()
    visitors.refresh()
    agent = visitors.agent(sample.ua, find_hints(headers))
    hit = Hit(
        known,
        sample.at,
        new_click_id(sample.at, _SHOWN),
        sample.params,
        sample.ip,
        visitors.place(sample.ip),
        sample.ua,
        agent,
        headers.get(b"referer", b"").decode("utf-8", "replace"),
        read_language(headers.get(LANGUAGE, b"").decode("utf-8", "replace")),
        agent.device == BOT or is_prefetch(headers),
        seen=deps.seen(),
    )
    if hit.affiliate is not None and not scope.has_affiliate(hit.affiliate.id):
        raise BadInput({"params[pid]": [f"An affiliate {hit.affiliate.id} does not exist."]})
    if hit.offer is not None and not scope.has_advertiser(hit.offer.advertiser):
        raise BadInput({"params[offer_id]": [f"An offer {hit.offer.id} does not exist."]})
    if hit.offer is not None:
        hit.cookie = find_unique_cookie(headers, hit.offer.id)
    return _checked(hit)


def explain_click(deps: Deps, caller: Caller, click_id: str) -> Explained:
    """What was decided on a recorded click, and what today's rules say of the same. Raises NotFound for one that is not
    loaded or out of the caller's scope."""
    click = find_click(deps.analytics, click_id)
    if click is None:
        raise NotFound
    with deps.database.read() as conn:
        scope = scope_of(conn, caller, Permission.STATS_CLICKS)
        if not (scope.has_affiliate(click.affiliate) and scope.has_advertiser(click.advertiser)):
            raise NotFound
        known = _rules_for(conn, str(click.offer), str(click.affiliate))
    return Explained(click, _checked(_hit_of(known, click)))


def _rules_for(conn: Connection, offer_key: str, affiliate_key: str) -> Rules:
    """The rules of one click, as they are now: an edge has them within a second."""
    wanted: list[tuple[str, str]] = [("platform", PLATFORM_KEY)]
    offer_id = offer_rules.find_offer_id(conn, offer_key)
    if offer_id is not None:
        wanted += [(kind, str(offer_id)) for kind in ("offer", "connections", "full_caps")]
        advertiser_id = offer_rules.find_advertiser_id(conn, offer_id)
        wanted += [] if advertiser_id is None else [("advertiser", advertiser_id)]
    if affiliate_key.isascii() and affiliate_key.isdigit() and len(affiliate_key.lstrip("0")) < 10:
        wanted.append(("affiliate", str(int(affiliate_key))))
    rows = [(kind, key, rules.compile_row(conn, kind, key)) for kind, key in wanted]
    return Rules.of((kind, key, msgspec.msgpack.encode(row)) for kind, key, row in rows if row is not None)


def _hit_of(known: Rules, click: Click) -> Hit:
    """The hit that a recorded click was."""
    params = {name: value for name in _KEPT if (value := getattr(click, name))}
    params |= {"offer_id": str(click.offer), "pid": str(click.affiliate)}
    if click.landing:
        params["l"] = str(click.landing)
    place = Place(
        country=click.country,
        region_id=int(click.region or 0),
        city_id=click.city_id,
        city=click.city,
        isp=click.isp,
        connection=click.connection,
    )
    agent = Agent(
        os=click.os,
        os_version=click.os_version,
        browser=click.browser,
        browser_version=click.browser_version,
        device=click.device,
        brand=click.brand,
        model=click.device_model,
    )
    return Hit(
        known,
        click.time,
        click.id,
        params,
        click.ip,
        place,
        click.ua,
        agent,
        click.referrer,
        click.language,
        BOT in (click.reason, click.device),
    )


def _checked(hit: Hit) -> Checked:
    verdicts: list[Verdict] = []
    blind = False
    for step in STEPS:
        refused = None if blind else step.check(hit)
        outcome = NOT_ASKED if blind else PASSED if refused is None else REFUSED
        verdicts.append(Verdict(step.name, outcome, "" if refused is None else refused.detail))
        blind = blind or (refused is not None and None in (hit.offer, hit.affiliate, hit.advertiser))
    refused = decide(hit)
    if hit.offer is None or (refused is not None and (refused.reason != BOT or not would_pass(hit))):
        return Checked(hit, tuple(verdicts), refused, find_refused_url(hit), _PLAIN)
    return Checked(hit, tuple(verdicts), refused, accepted_url(hit), hit.offer.redirect_type)
