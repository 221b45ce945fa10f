"""A click as it arrived: what the visitor sent and what the look-ups found. Data only."""

from typing import Final

from trackyard.decision.visitor.geo import CachedGeoRecord, GeoRecord
from trackyard.decision.visitor.visitor import Agent, ParsedAgent
from trackyard.domain.tracking.ruleset import RulesetAffiliate, RulesetPlatform


class KnownAffiliate:
    """An affiliate of the ruleset in native fields. `number` is its id as text."""

    __slots__ = ("active", "id", "name", "number", "rejection", "server_networks")

    def __init__(self, row: RulesetAffiliate) -> None:
        self.id: Final = row.id
        self.number: Final = str(row.id)
        self.active: Final = not row.rejection
        self.name: Final = row.name
        self.server_networks: Final = row.server_networks
        self.rejection: Final = row.rejection


class Hit:
    """One click on its way through the decision; never changed after it is made.

    time_ms: UTC milliseconds
    params: parameters by wire name, cleaned; `plain`: none of them needs quoting in JSON or in a URL
    ip, address: the visitor's address as text and as the number of `ip_lists.address_number`
    headers: by lower-case name; the unique cookies of offers are read from them
    affiliate: None when the ruleset has none of this id
    bot: a bot or a prefetch made the click
    is_ordinary: no bot made the click, and its affiliate is known and active
    smart_id: the SmartLink that chooses the offer, "" = none
    origin: the signals of the click (docs/spec/quality.md#signals)
    forgiven: what was wrong with the link and was taken all the same (domain/tracking/forgiven.py)
    """

    __slots__ = (
        "address",
        "affiliate",
        "bot",
        "click_id",
        "country",
        "forgiven",
        "geo",
        "headers",
        "ip",
        "is_ordinary",
        "language",
        "origin",
        "params",
        "parsed",
        "plain",
        "platform",
        "referrer",
        "smart_id",
        "time_ms",
    )

    def __init__(
        self,
        platform: RulesetPlatform,
        affiliate: KnownAffiliate | None,
        time_ms: int,
        click_id: str,
        params: dict[str, str],
        ip: str,
        address: int,
        geo: CachedGeoRecord,
        parsed: ParsedAgent,
        referrer: str,
        language: str,
        headers: dict[bytes, bytes],
        *,
        bot: bool = False,
        plain: bool = False,
        smart_id: str = "",
        origin: int = 0,
        forgiven: int = 0,
    ) -> None:
        self.platform: Final = platform
        self.affiliate: Final = affiliate
        self.time_ms: Final = time_ms
        self.click_id: Final = click_id
        self.params: Final = params
        self.ip: Final = ip
        self.address: Final = address
        self.geo: Final = geo
        self.country: Final = geo.country
        self.parsed: Final = parsed
        self.referrer: Final = referrer
        self.language: Final = language
        self.headers: Final = headers
        self.bot: Final = bot
        self.is_ordinary: Final = not bot and affiliate is not None and affiliate.active
        self.plain: Final = plain
        self.smart_id: Final = smart_id
        self.origin: Final = origin
        self.forgiven: Final = forgiven

    @property
    def place(self) -> GeoRecord:
        """The record of the visitor's address."""
        return self.geo.place

    @property
    def agent(self) -> Agent:
        """The parsed user agent."""
        return self.parsed.agent

    @property
    def ua(self) -> str:
        """The user agent as it was sent."""
        return self.parsed.ua
