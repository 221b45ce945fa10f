"""Parameters that staff write of an offer (docs/api/offers.md#post-adminoffer)."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any, Final
from zoneinfo import ZoneInfo

from pydantic import Field, field_validator

from trackyard.api.offers.declared import with_declared_parameters
from trackyard.api.offers.param_items import (
    DEVICES,
    CapItem,
    CountryLike,
    LandingItem,
    OfferPaymentItem,
    PersonalLimitItem,
    PersonalPaymentItem,
    RestrictedIspItem,
    RestrictedOsItem,
    ScheduleParams,
    SubRestrictionItem,
    TierItem,
    UrlPart,
)
from trackyard.api.offers.targeting import TargetingItem, UrlItem, checked_shares
from trackyard.api.platform.domains import HostText
from trackyard.api.platform.files import FileParams
from trackyard.api.statistics.times import utc_ms
from trackyard.api.subaccounts import SubAccountParams
from trackyard.base.zones import day_end_ms
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.offers.choices import (
    LANGUAGES,
    OfferStatus,
    Privacy,
    RedirectType,
)
from trackyard.domain.offers.edits import WrittenFields
from trackyard.domain.offers.offers import COUNTED_STATUSES, RestrictedIsp, RestrictedOs
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Clearable, Credential, Deprecated, Keyed, Only, RequiredFor, Seq

Language = Annotated[str, s.Choice(LANGUAGES)]
StatusName = Annotated[OfferStatus, s.Choice(OfferStatus)]
PrivacyName = Annotated[Privacy, s.Choice(Privacy)]
CapStatus = Annotated[
    Status, s.Choice((*COUNTED_STATUSES, Status.DECLINED), replacements={Status.NOT_FOUND: Status.DECLINED})
]
DeviceName = Annotated[str, s.BoundedText(pattern="|".join(DEVICES))]


@dataclass(frozen=True)
class PageHostText(HostText):
    """A host without a port; hosts below it are meant, too. `*.` before it is dropped."""

    def read(self, text: str, context: Mapping[str, Any]) -> str:
        host = super().read(text.strip().removeprefix("*."), context)
        if ":" in host:
            raise ValueError("This value must be a host without a port, such as shop.example.org.")
        return host


PageHost = Annotated[str, PageHostText()]
OptionalUrl = Annotated[s.Url | None, Clearable()]
OptionalText = Annotated[s.LongText | None, Clearable()]
Texts = Keyed[Language, s.LongText]

SubName = Annotated[str, s.Choice(tuple(f"sub{number}" for number in range(1, 11)))]

SINCE_3_1: Final = Only(since="3.1")
MAX_MANAGERS: Final = 10
"""Staff users of one offer."""


@with_declared_parameters
class OfferParams(SubAccountParams, FileParams):
    """The shared parameters of a new offer and an edit.

    Only sent fields are written; the defaults are the defaults of a new offer.
    """

    title: Annotated[str, s.BoundedText(minimum=1, maximum=500)] | None = None
    advertiser: s.Hex | None = None
    url: s.Url | None = None
    status: StatusName = OfferStatus.STOPPED
    privacy: PrivacyName = Privacy.PROTECTED
    privacy_level: Annotated[Annotated[int, s.WholeNumber(minimum=0, maximum=6)] | None, Clearable()] = None
    managers: Seq[s.Hex] = ()
    # targets
    url_preview: OptionalUrl = None
    trafficback_url: OptionalUrl = None
    macro_url: Annotated[Annotated[str, UrlPart()] | None, Clearable()] = None
    cross_postback_url: OptionalUrl = None
    parallel_tracking_url: OptionalUrl = None
    impressions_url: OptionalUrl = None
    additional_impression_destination_urls: Seq[UrlItem] = ()
    domain_url: Annotated[s.Id | None, Clearable()] = None
    tracking_domain: Annotated[Annotated[str, HostText()] | None, Clearable()] = None
    redirect_type: Annotated[RedirectType, s.Choice(RedirectType)] = RedirectType.HTTP_302
    hide_referer: Annotated[s.Flag, Deprecated("redirect_type")] = False
    landings: Seq[LandingItem] = ()
    # payments
    payments: Seq[OfferPaymentItem] = ()
    partner_payments: Seq[PersonalPaymentItem] = ()
    commission_tiers: Annotated[Seq[TierItem], SINCE_3_1] = ()
    # caps
    caps: Seq[CapItem] = ()
    personal_limits: Seq[PersonalLimitItem] = ()
    caps_status: Seq[CapStatus] = COUNTED_STATUSES
    caps_timezone: Annotated[s.Zone | None, Clearable()] = None
    # visitors it takes
    schedule: Annotated[ScheduleParams | None, Clearable(), SINCE_3_1] = None
    targeting: Annotated[Seq[TargetingItem], SINCE_3_1] = ()
    consider_personal_targeting_only: s.TrueFalse = False
    countries: Seq[CountryLike] = ()
    restriction_os: Annotated[Seq[RestrictedOsItem], SINCE_3_1] = ()
    strictly_os: Annotated[Seq[s.Text], Deprecated("restriction_os")] = ()
    restriction_isp: Annotated[Seq[RestrictedIspItem], SINCE_3_1] = ()
    strictly_isp: Annotated[Seq[s.Text], Deprecated("restriction_isp")] = ()
    strictly_brands: Seq[s.Text] = ()
    strictly_devices: Seq[DeviceName] = ()
    strictly_connection_type: Annotated[Annotated[str, s.Choice(("", "wi-fi", "cellular"))] | None, Clearable()] = None
    sub_restrictions: Seq[SubRestrictionItem] = ()
    uniq_ip_only: s.Flag = Field(default=False, alias="uniqIpOnly")
    reject_not_uniq_ip: s.Flag = Field(default=False, alias="rejectNotUniqIp")
    pixel_pages: Seq[PageHost] = ()
    allowed_ip: s.IpLines = ""
    disallowed_ip: s.IpLines = ""
    hash_password: Annotated[s.Text | None, Clearable(), Credential()] = None
    click_session: s.Duration = "1y"
    minimal_click_session: s.Duration = "0s"
    start_at: Annotated[s.Moment | None, Clearable()] = None
    stop_date: Annotated[s.Day | None, Clearable()] = Field(default=None, alias="stopDate")
    # texts and labels
    description_lang: Texts = Field(default_factory=dict)
    kpi: Texts = Field(default_factory=dict)
    tags: Seq[s.Text] = ()
    sources: Seq[s.Hex] = ()
    categories: Seq[s.Hex] = ()
    smartlink_categories: Seq[s.Hex] = ()
    macros_replacement: Keyed[SubName, Seq[s.Text]] = Field(default_factory=dict)
    macros_replacement_enabled: Seq[SubName] = ()

    @field_validator("managers")
    @classmethod
    def _few(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if len(value) > MAX_MANAGERS:
            raise ValueError(f"This value may hold at most {MAX_MANAGERS} values.")
        return value

    @field_validator("additional_impression_destination_urls")
    @classmethod
    def _shares(cls, value: tuple[UrlItem, ...]) -> tuple[UrlItem, ...]:
        return checked_shares(value)

    def written(self, zone: ZoneInfo) -> WrittenFields:
        """Return the sent fields, for domain/offers/edits.py. zone: the platform's, for times."""
        written: dict[str, Any] = {}
        for name in type(self).model_fields:
            if name in self.model_fields_set and name not in _HANDLED_SEPARATELY:
                value = getattr(self, name)
                convert = _CONVERSIONS.get(name)
                written[_RENAMED.get(name, name)] = value if convert is None else convert(value)
        for name, value in (("start_at", self.start_at), ("stop_at", self.stop_date)):
            if ("stop_date" if name == "stop_at" else name) in self.model_fields_set:
                written[name] = None if value is None else _edge_ms(value, zone)
        if "strictly_os" in self.model_fields_set:
            written["strictly_os"] = tuple(RestrictedOs(os=os) for os in _unique(self.strictly_os))
        if "strictly_isp" in self.model_fields_set:
            isps = tuple(RestrictedIsp(country="", name=name) for name in _unique(self.strictly_isp))
            written.setdefault("restriction_isp", isps)
        if sub_accounts := self.sent_sub_accounts():
            written["sub_accounts"] = sub_accounts
        return written


class AddOffer(OfferParams):
    """A new offer."""

    title: Annotated[str, s.BoundedText(minimum=1, maximum=500)]
    advertiser: s.Hex
    url: s.Url
    payments: Annotated[Seq[OfferPaymentItem], RequiredFor(since="3.1")] = ()


class EditOffer(OfferParams):
    """Changes of an offer: what is not sent stays."""

    edits = True


def _edge_ms(value: datetime | date, zone: ZoneInfo) -> int:
    """Return a local time, or the end of a day, as UTC milliseconds."""
    if isinstance(value, datetime):
        return utc_ms(value, zone)
    return day_end_ms(value, zone)


def _unique(values: Iterable[str]) -> tuple[str, ...]:
    """Return the values in their order, each once, without empty ones."""
    return tuple(dict.fromkeys(stripped for value in values if (stripped := value.strip())))


_HANDLED_SEPARATELY = frozenset(
    {"start_at", "stop_date", "strictly_os", "strictly_isp", *SubAccountParams.model_fields, *FileParams.model_fields}
)
_RENAMED: Final = {"advertiser": "advertiser_id", "domain_url": "domain_id"}
_OF_ITEMS: Final = (
    "payments", "partner_payments", "landings", "caps", "personal_limits", "commission_tiers", "targeting",
    "restriction_os", "restriction_isp", "additional_impression_destination_urls",
)  # fmt: skip
_OF_WORDS: Final = (
    *(
        "strictly_brands",
        "strictly_devices",
        "countries",
        "tags",
        "sources",
        "categories",
        "smartlink_categories",
        "pixel_pages",
        "managers",
        "macros_replacement_enabled",
    ),
)
_CONVERSIONS: Final[dict[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(_OF_ITEMS, lambda items: tuple(item.written() for item in items)),
    **dict.fromkeys(_OF_WORDS, _unique),
    **dict.fromkeys(("notes", "note_aff", "note_sales", "hash_password"), lambda text: text or None),
    "caps_status": lambda words: (
        tuple(dict.fromkeys(Status.DECLINED if word == Status.NOT_FOUND else word for word in words))
        or COUNTED_STATUSES
    ),
    "caps_timezone": lambda zone: zone and zone.key,
    "schedule": lambda schedule: schedule and schedule.written(),
    "sub_restrictions": lambda items: tuple(values for item in items if (values := item.written())),
    "strictly_connection_type": lambda word: word or "",
    "notice_percent_overcap": lambda percent: percent or None,  # 0 % would notify of every cap at once
}
"""Parameter → how its value becomes the value of the offer's field."""
