"""A click before it is decided: what the visitor sent, resolved once against the rules."""

from trackyard.base.ids import is_hex24
from trackyard.decision.click.state import EMPTY_CLICK_STATE, ClickState
from trackyard.decision.routes import KnownAffiliate, OfferRoute, Ruleset
from trackyard.decision.targeting.ip_lists import address_number
from trackyard.decision.targeting.targeting import Targeting
from trackyard.decision.visitor.geo import CachedGeoRecord, geo_columns
from trackyard.decision.visitor.visitor import (
    ADDRESS_ONLY,
    Agent,
    GeoRecord,
    ParsedAgent,
    VisitorKey,
    agent_columns,
    agent_fingerprint,
)
from trackyard.domain.tracking.ruleset import RulesetAdvertiser, RulesetLanding, RulesetOffer

_MAX_NUMBER_LENGTH = 18


class Hit:
    """One click on its way through the steps.

    time_ms: UTC ms · params: the click's parameters by wire name, cleaned · bot: whether a bot or a prefetch made it
    · cookie: what tells the visitor from others for 24 hours, beside its address: the id of the click at which it was
    new to the offer, of its own cookie or, without one, of this click; "" = it keeps none · seen: the state that the
    last steps ask · smart_id: the SmartLink category that chooses the offer, "" = none does · affiliate: None when
    the rules do not know it · found, read, address: place, agent and address as they were looked up, where they were;
    else they are made of the rest · way: what the rules say of the offer, None when they do not know it · passed:
    whether the offer is known to take clicks of the affiliate · plain: whether the parameters are known to need no
    quoting (decide/queries.find_plain).
    """

    __slots__ = (
        "address",
        "affiliate",
        "affiliate_accepted",
        "agent",
        "bot",
        "click_id",
        "click_state",
        "cookie",
        "country",
        "found",
        "ip",
        "language",
        "params",
        "place",
        "plain",
        "read",
        "referrer",
        "route",
        "ruleset",
        "smart_id",
        "time_ms",
        "ua",
    )

    def __init__(
        self,
        ruleset: Ruleset,
        time_ms: int,
        click_id: str,
        params: dict[str, str],
        ip: str,
        place: GeoRecord,
        ua: str,
        agent: Agent,
        referrer: str,
        language: str,
        bot: bool = False,
        cookie: str = "",
        click_state: ClickState = EMPTY_CLICK_STATE,
        found: CachedGeoRecord | None = None,
        read: ParsedAgent | None = None,
        address: int = -1,
    ) -> None:
        self.ruleset = ruleset
        self.time_ms = time_ms
        self.click_id = click_id
        self.params = params
        self.ip = ip
        self.place = place
        self.country = place.country if found is None else found.country
        self.ua = ua
        self.agent = agent
        self.referrer = referrer
        self.language = language
        self.bot = bot
        self.cookie = cookie
        self.click_state = click_state
        self.found = found
        self.read = read
        self.address = address
        self.smart_id = ""
        self.plain = False
        self.affiliate = find_affiliate(ruleset, params)
        key = params.get("offer_id", "")
        self.route = ruleset.find_route(key) or ruleset.find_route(_without_zeros(key))
        self.affiliate_accepted = self.route is not None and self._is_accepted(self.route)

    def retarget(self, offer: RulesetOffer) -> None:
        """Makes this a click on another offer of the rules."""
        route = self.ruleset.find_route(str(offer.id))
        if route is None:
            raise KeyError(f"the rules have no offer {offer.id}")
        self.route = route
        self.affiliate_accepted = self._is_accepted(route)

    def _is_accepted(self, route: OfferRoute) -> bool:
        affiliate = self.affiliate
        if affiliate is None:
            return False
        if route.accepts_all:
            return affiliate.active
        return route.accepted_affiliates is not None and affiliate in route.accepted_affiliates

    @property
    def offer(self) -> RulesetOffer | None:
        """The offer; None when the rules do not know it."""
        return None if self.route is None else self.route.offer

    @property
    def advertiser(self) -> RulesetAdvertiser | None:
        """The offer's advertiser; None when the rules do not know it."""
        return None if self.route is None else self.route.advertiser

    @property
    def targeting(self) -> Targeting | None:
        """What restricts the offer; None = nothing."""
        return None if self.route is None else self.route.targeting

    def visitor_key(self) -> VisitorKey:
        """Return the visitor by its address and its user agent; for an offer with uniqIpOnly by its address alone."""
        address = address_number(self.ip) if self.address < 0 else self.address
        targeting = self.targeting
        if targeting is not None and targeting.unique_only:
            return address, ADDRESS_ONLY
        return address, agent_fingerprint(self.ua) if self.read is None else self.read.fingerprint

    def system(self) -> str:
        """The operating system, in lower case."""
        return self.agent.os.casefold() if self.read is None else self.read.system

    def place_columns(self) -> str:
        """What is known of the place, as columns of a record."""
        return geo_columns(self.place) if self.found is None else self.found.columns

    def agent_columns(self) -> str:
        """The user agent and what it says, as columns of a record."""
        return agent_columns(self.ua, self.agent) if self.read is None else self.read.columns

    def find_landing(self) -> RulesetLanding | None:
        """The landing of the offer that `l` names; None when it names none."""
        text = self.params.get("l")
        if text is None or self.offer is None:
            return None
        landing_id = find_number(text)
        return next((landing for landing in self.offer.landings if landing.id == landing_id), None)


def find_affiliate(ruleset: Ruleset, params: dict[str, str]) -> KnownAffiliate | None:
    """The affiliate that a click's parameters name; None when the rules do not know it."""
    key = params.get("pid", "")
    return ruleset.find_affiliate(key) or ruleset.find_affiliate(_without_zeros(key))


def find_number(text: str) -> int | None:
    """The integer id that a visitor wrote; None when it is none."""
    if text.isdigit() and text.isascii():
        return int(text) if len(text) <= _MAX_NUMBER_LENGTH else 0
    return None


def _without_zeros(text: str) -> str:
    """A number with leading zeros in the form the rules know it by; a hash keeps them."""
    return text.lstrip("0") if len(text) <= _MAX_NUMBER_LENGTH else ""


def is_offer_key(text: str) -> bool:
    """Whether a text has a form in which offers are named: a number or 24 hex digits."""
    return find_number(text) is not None or is_hex24(text)
