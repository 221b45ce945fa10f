"""A click before it is decided: what the visitor sent, resolved once against the rules."""

from trackyard.base.ids import is_hex24
from trackyard.decision.click.state import NOTHING_SEEN, Seen
from trackyard.decision.routes import KnownAffiliate, Rules, Way
from trackyard.decision.targeting.ip_lists import number_of
from trackyard.decision.targeting.targeting import Targeting
from trackyard.decision.visitor.geo import FoundPlace, place_columns
from trackyard.decision.visitor.visitor import ADDRESS_ALONE, Agent, Place, ReadAgent, Who, agent_columns, mark_of
from trackyard.domain.tracking.ruleset import Advertiser, Landing, Offer

_LONGEST_NUMBER = 18


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
        "agent",
        "bot",
        "click_id",
        "cookie",
        "country",
        "found",
        "ip",
        "language",
        "params",
        "passed",
        "place",
        "plain",
        "read",
        "referrer",
        "rules",
        "seen",
        "smart_id",
        "time_ms",
        "ua",
        "way",
    )

    def __init__(
        self,
        rules: Rules,
        time_ms: int,
        click_id: str,
        params: dict[str, str],
        ip: str,
        place: Place,
        ua: str,
        agent: Agent,
        referrer: str,
        language: str,
        bot: bool = False,
        cookie: str = "",
        seen: Seen = NOTHING_SEEN,
        found: FoundPlace | None = None,
        read: ReadAgent | None = None,
        address: int = -1,
    ) -> None:
        self.rules = rules
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
        self.seen = seen
        self.found = found
        self.read = read
        self.address = address
        self.smart_id = ""
        self.plain = False
        self.affiliate = find_affiliate(rules, params)
        key = params.get("offer_id", "")
        self.way = rules.find_way(key) or rules.find_way(_without_zeros(key))
        self.passed = self.way is not None and self._passes(self.way)

    def aim(self, offer: Offer) -> None:
        """Makes this a click on another offer of the rules."""
        way = self.rules.find_way(str(offer.id))
        if way is None:
            raise KeyError(f"the rules have no offer {offer.id}")
        self.way = way
        self.passed = self._passes(way)

    def _passes(self, way: Way) -> bool:
        affiliate = self.affiliate
        if affiliate is None:
            return False
        if way.takes_all:
            return affiliate.active
        return way.passed is not None and affiliate in way.passed

    @property
    def offer(self) -> Offer | None:
        """The offer; None when the rules do not know it."""
        return None if self.way is None else self.way.offer

    @property
    def advertiser(self) -> Advertiser | None:
        """The offer's advertiser; None when the rules do not know it."""
        return None if self.way is None else self.way.advertiser

    @property
    def targeting(self) -> Targeting | None:
        """What restricts the offer; None = nothing."""
        return None if self.way is None else self.way.targeting

    def who(self) -> Who:
        """Return the visitor by its address and its user agent; for an offer with uniqIpOnly by its address alone."""
        address = number_of(self.ip) if self.address < 0 else self.address
        targeting = self.targeting
        if targeting is not None and targeting.unique_only:
            return address, ADDRESS_ALONE
        return address, mark_of(self.ua) if self.read is None else self.read.mark

    def system(self) -> str:
        """The operating system, in lower case."""
        return self.agent.os.casefold() if self.read is None else self.read.system

    def place_columns(self) -> str:
        """What is known of the place, as columns of a record."""
        return place_columns(self.place) if self.found is None else self.found.columns

    def agent_columns(self) -> str:
        """The user agent and what it says, as columns of a record."""
        return agent_columns(self.ua, self.agent) if self.read is None else self.read.columns

    def find_landing(self) -> Landing | None:
        """The landing of the offer that `l` names; None when it names none."""
        text = self.params.get("l")
        if text is None or self.offer is None:
            return None
        landing_id = find_number(text)
        return next((landing for landing in self.offer.landings if landing.id == landing_id), None)


def find_affiliate(rules: Rules, params: dict[str, str]) -> KnownAffiliate | None:
    """The affiliate that a click's parameters name; None when the rules do not know it."""
    key = params.get("pid", "")
    return rules.find_affiliate(key) or rules.find_affiliate(_without_zeros(key))


def find_number(text: str) -> int | None:
    """The integer id that a visitor wrote; None when it is none."""
    if text.isdigit() and text.isascii():
        return int(text) if len(text) <= _LONGEST_NUMBER else 0
    return None


def _without_zeros(text: str) -> str:
    """A number with leading zeros in the form the rules know it by; a hash keeps them."""
    return text.lstrip("0") if len(text) <= _LONGEST_NUMBER else ""


def is_offer_key(text: str) -> bool:
    """Whether a text has a form in which offers are named: a number or 24 hex digits."""
    return find_number(text) is not None or is_hex24(text)
