"""Targeting groups as parameters (docs/spec/tracking.md#restrictions-and-targeting-groups)."""

from typing import Annotated

import msgspec
from pydantic import Field, ValidationInfo, field_validator

from trackyard.api.offers.param_items import CountryLike, Device
from trackyard.domain.offers.offers import TargetingGroup
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


class OsTargetingParams(Params):
    """Allowed operating systems."""

    allow: Seq[OsItem] = ()


class IspTargetingParams(Params):
    """Allowed providers by country."""

    allow: Keyed[CountryLike, Seq[s.Text]] = Field(default_factory=dict)


class IpTargetingParams(Params):
    """Addresses, ranges and networks."""

    allow: Seq[s.IpEntry] = ()
    deny: Seq[s.IpEntry] = ()


class NameTargetingParams(Params):
    """Allowed and refused names."""

    allow: Seq[s.Text] = ()
    deny: Seq[s.Text] = ()


class SubTargetingParams(Params):
    """Values by sub number. deny_groups: subs that are refused together; an empty string is an empty sub."""

    allow: Keyed[SubNumber, Seq[s.Text]] = Field(default_factory=dict)
    deny: Keyed[SubNumber, Seq[s.Text]] = Field(default_factory=dict)
    deny_groups: Seq[Keyed[SubNumber, s.Text]] = ()


class UrlItem(Params):
    """A URL and its share in percent."""

    url: s.Url
    weight: Annotated[int, s.WholeNumber(minimum=0, maximum=100)]


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

    @field_validator("urls")
    @classmethod
    def _shares(cls, value: tuple[UrlItem, ...]) -> tuple[UrlItem, ...]:
        if sum(item.weight for item in value) > 100:
            raise ValueError("The weights must be 100 or less together.")
        return value

    def written(self) -> TargetingGroup:
        """Return the targeting group."""
        values = self.model_dump(exclude_none=True)
        for name in values.keys() & {"os", "isp"}:
            values[name] = values[name]["allow"]
        return msgspec.convert(values, TargetingGroup)
