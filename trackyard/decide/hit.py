"""A click before it is decided: what the visitor sent, resolved once against the rules."""

from trackyard.base.ids import is_hex24
from trackyard.decide.rules import Rules
from trackyard.decide.seen import NOTHING_SEEN, Seen
from trackyard.decide.targeting import Targeting
from trackyard.decide.visitor import Agent, Place
from trackyard.domain.rules import Advertiser, Affiliate, Landing, Offer

_LONGEST_NUMBER = 18


class Hit:
    """One click on its way through the steps.

    time_ms: UTC ms · params: the click's parameters by wire name, cleaned · bot: whether a bot or a prefetch made it ·
    cookie: what tells the visitor from others for 24 hours, beside its address: the id of the click at which it was new
    to the offer, of its own cookie or, without one, of this click; "" = it keeps none · seen: the state that the last
    steps ask · smart_id: the SmartLink category that chooses the offer, "" = none does · offer, affiliate, advertiser:
    None when the rules do not know them · targeting: what restricts the offer, None = nothing.
    """

    __slots__ = (
        "advertiser",
        "affiliate",
        "agent",
        "bot",
        "click_id",
        "cookie",
        "country",
        "ip",
        "language",
        "offer",
        "params",
        "place",
        "referrer",
        "rules",
        "seen",
        "smart_id",
        "targeting",
        "time_ms",
        "ua",
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
    ) -> None:
        self.rules = rules
        self.time_ms = time_ms
        self.click_id = click_id
        self.params = params
        self.ip = ip
        self.place = place
        self.country = place.country
        self.ua = ua
        self.agent = agent
        self.referrer = referrer
        self.language = language
        self.bot = bot
        self.cookie = cookie
        self.seen = seen
        self.smart_id = ""
        key = params.get("offer_id", "")
        offer = rules.find_offer(key) or rules.find_offer(_without_zeros(key))
        self.offer: Offer | None = offer
        self.affiliate: Affiliate | None = find_affiliate(rules, params)
        self.advertiser: Advertiser | None = None
        self.targeting: Targeting | None = None
        if offer is not None:
            self.aim(offer)

    def aim(self, offer: Offer) -> None:
        """Makes this a click on another offer."""
        self.offer = offer
        self.advertiser = self.rules.find_advertiser(offer.advertiser)
        self.targeting = self.rules.targeting(offer) if offer.restrictions else None

    def find_landing(self) -> Landing | None:
        """The landing of the offer that `l` names; None when it names none."""
        text = self.params.get("l")
        if text is None or self.offer is None:
            return None
        landing_id = find_number(text)
        return next((landing for landing in self.offer.landings if landing.id == landing_id), None)


def find_affiliate(rules: Rules, params: dict[str, str]) -> Affiliate | None:
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
