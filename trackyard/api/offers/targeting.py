"""Targeting groups as parameters (docs/spec/tracking.md#restrictions-and-targeting-groups)."""

from typing import Annotated, Final

import msgspec
from pydantic import Field, ValidationInfo, field_validator

from trackyard.api.offers.param_items import CountryLike, Device
from trackyard.decision.targeting.texts import LONGEST_EXPRESSION, InvalidExpression, compile_expression
from trackyard.domain.offers.offers import GroupCondition, TargetingGroup, WeightedUrl
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Keyed, Params, Seq

SubNumber = Annotated[int, s.WholeNumber(minimum=1, maximum=8)]


class CountryTargetingParams(Params):
    """Allowed and refused countries."""

    allow: Seq[CountryLike] = ()
    deny: Seq[CountryLike] = ()


class GeoTargetingParams(Params):
    """Codes of places by country."""

    allow: Keyed[CountryLike, Seq[s.Int]] = Field(default_factory=dict)
    deny: Keyed[CountryLike, Seq[s.Int]] = Field(default_factory=dict)


class OsItem(Params):
    """An operating system; comparison and version narrow it together."""

    name: s.Name
    comparison: Annotated[str, s.Choice(("LT", "LTE", "EQ", "GT", "GTE"))] | None = None
    version: Annotated[str, s.BoundedText(maximum=64), Field(validate_default=True)] = ""

    @field_validator("version")
    @classmethod
    def _with_comparison(cls, value: str, info: ValidationInfo) -> str:
        if info.data.get("comparison") and not value:
            raise ValueError("This value is required with comparison.")
        return value


class BrowserVersionItem(OsItem):
    """A browser; comparison and version narrow it together."""


class OsTargetingParams(Params):
    """Allowed operating systems."""

    allow: Seq[OsItem] = ()


class IspTargetingParams(Params):
    """Allowed providers by country."""

    allow: Keyed[CountryLike, Seq[s.Text]] = Field(default_factory=dict)


class IpTargetingParams(Params):
    """IP addresses, ranges and networks."""

    allow: Seq[s.IpEntry] = ()
    deny: Seq[s.IpEntry] = ()
    ipv6_deny: s.Flag = False


class NameTargetingParams(Params):
    """A list of allowed names and a list of refused ones."""

    allow: Seq[s.Text] = ()
    deny: Seq[s.Text] = ()


class OrganizationTargetingParams(NameTargetingParams):
    """Allowed and refused organizations of networks."""

    deny_empty: s.Flag = False


class BrowserVersionTargetingParams(Params):
    """Allowed and refused browsers with versions."""

    allow: Seq[BrowserVersionItem] = ()
    deny: Seq[BrowserVersionItem] = ()


class TextTargetingParams(Params):
    """Allowed and refused parts of a text, or regular expressions of it."""

    is_regexp: s.Flag = False
    allow: Seq[s.Text] = ()
    deny: Seq[s.Text] = ()
    deny_empty: s.Flag = False

    @field_validator("allow", "deny")
    @classmethod
    def _expressions(cls, value: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        if info.data.get("is_regexp"):
            for expression in value:
                _check_expression(expression)
        return value


class AgentTargetingParams(TextTargetingParams):
    """Allowed and refused user agents."""

    deny_crawlers: s.Flag = False


class SubTargetingParams(Params):
    """Values by sub number. deny_groups: subs that are refused together; an empty string is an empty sub."""

    allow: Keyed[SubNumber, Seq[s.Text]] = Field(default_factory=dict)
    deny: Keyed[SubNumber, Seq[s.Text]] = Field(default_factory=dict)
    deny_groups: Seq[Keyed[SubNumber, s.Text]] = ()


class UrlItem(Params):
    """A URL and its share in percent."""

    url: s.Url
    weight: Annotated[int, s.WholeNumber(minimum=0, maximum=100)]

    def written(self) -> WeightedUrl:
        """Return the URL with its share."""
        return WeightedUrl(url=self.url, weight=self.weight)


def checked_shares(items: tuple[UrlItem, ...]) -> tuple[UrlItem, ...]:
    """Return the items. Raises ValueError for more than 100 percent together."""
    if sum(item.weight for item in items) > 100:
        raise ValueError("The weights must be 100 or less together.")
    return items


class TargetingItem(Params):
    """A targeting group; affiliate_id makes it personal."""

    country: CountryTargetingParams | None = None
    region: GeoTargetingParams | None = None
    city: GeoTargetingParams | None = None
    os: OsTargetingParams | None = None
    isp: IspTargetingParams | None = None
    ip: IpTargetingParams | None = None
    device_type: Seq[Device] = ()
    browser: NameTargetingParams | None = None
    brand: NameTargetingParams | None = None
    sub: SubTargetingParams | None = None
    connection: Seq[Annotated[str, s.Choice(("wi-fi", "cellular"))]] = ()
    block_proxy: s.Flag = False
    affiliate_id: Seq[s.Id] = ()
    url: s.Url | None = None
    urls: Seq[UrlItem] = ()
    name: s.Text = ""
    enabled: s.Flag = True
    condition: Annotated[GroupCondition, s.Choice(GroupCondition)] = GroupCondition.AND
    os_deny: s.Flag = False
    device_type_deny: s.Flag = False
    connection_deny: s.Flag = False
    zip: NameTargetingParams | None = None
    isp_organization: OrganizationTargetingParams | None = None
    device_model: NameTargetingParams | None = None
    browser_version: BrowserVersionTargetingParams | None = None
    referrer: TextTargetingParams | None = None
    ua: AgentTargetingParams | None = None
    block_known_bots: s.Flag = False

    @field_validator("urls")
    @classmethod
    def _shares(cls, value: tuple[UrlItem, ...]) -> tuple[UrlItem, ...]:
        return checked_shares(value)

    def written(self) -> TargetingGroup:
        """Return the targeting group."""
        values = self.model_dump(exclude_none=True)
        for name in values.keys() & {"os", "isp"}:
            values[name] = values[name]["allow"]
        for side in values.get("browser_version", {}).values():
            for item in side:
                item["comparison"] = item.get("comparison") or ""
        return msgspec.convert(values, TargetingGroup)


def _check_expression(expression: str) -> None:
    try:
        compile_expression(expression)
    except InvalidExpression:
        raise ValueError(
            f"{expression[:_SHOWN]} is not a regular expression of at most {LONGEST_EXPRESSION} characters "
            "without look-around and back-references."
        ) from None


_SHOWN: Final = 80
"""Characters of a faulty expression that an error repeats."""
