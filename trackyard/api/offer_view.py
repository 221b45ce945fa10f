"""The full form of an offer, for staff (spec: Full offer fields). What cannot be set yet has its documented default."""

from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import msgspec

from trackyard.api.subaccounts import SubAccountView, sub_accounts_view
from trackyard.api.times import text_or_none
from trackyard.base.zones import datetime_text
from trackyard.domain.offers import Landing, Offer, PaymentItem
from trackyard.wire.envelope import Money, View, number


class PaymentView(View):
    """A payment, as staff see it."""

    countries: list[str]
    country_exclude: bool
    cities: list[int]
    devices: list[str]
    os: list[str]
    goal: str
    goal_alias: str
    total: Money
    revenue: Money
    currency: str
    type: str
    title: str
    url: str | None
    with_regions: bool
    sub1: str
    sub2: str
    sub3: str
    sub4: str
    sub5: str
    sub6: str
    sub7: str
    sub8: str


class PersonalPaymentView(PaymentView):
    """A payment for some affiliates."""

    partners: list[int]


class LandingView(View):
    """A landing page."""

    id: int
    title: str
    url: str
    url_preview: str
    type: str


class RestrictedOs(View):
    """An operating system the offer takes."""

    os: str
    versions: list[str]


class RestrictedIsp(View):
    """A provider the offer takes."""

    country: str
    name: str


class OfferView(View):
    """An offer."""

    id: int
    offer_id: str
    advertiser: str
    external_offer_id: str
    bundle_id: str
    hide_payments: bool
    title: str
    macro_url: str | None
    url: str
    parallel_tracking_url: str | None
    cross_postback_url: str | None
    url_preview: str | None
    preview_url: str | None
    trafficback_url: str | None
    domain_url: str
    use_https: bool
    use_http: bool
    description_lang: dict[str, str]
    kpi: dict[str, str]
    countries: list[str]
    sources: list[str]
    logo: str | None
    logo_source: str | None
    status: str
    tags: list[str]
    privacy: str
    is_top: int
    payments: list[PaymentView]
    partner_payments: list[PersonalPaymentView]
    landings: list[LandingView]
    strictly_country: int
    strictly_os: list[str]
    restriction_os: list[RestrictedOs]
    strictly_isp: list[str]
    restriction_isp: list[RestrictedIsp]
    strictly_brands: list[str]
    strictly_devices: list[str]
    strictly_connection_type: str
    is_redirect_overcap: bool
    notice_percent_overcap: int | None
    hold_period: int
    categories: list[str]
    full_categories: list[dict[str, str]]
    cr: Money
    epc: Money
    notes: str | None
    note_aff: str | None
    note_sales: str | None
    allowed_ip: str
    disallowed_ip: str
    hash_password: str | None
    allow_deeplink: int
    hide_referer: int
    redirect_type: str
    start_at: str | None
    stop_at: str | None
    auto_offer_connect: bool
    required_approval: bool
    is_cpi: bool
    creatives: list[dict[str, Any]]
    creatives_zip: str | None
    sub_accounts: dict[str, SubAccountView]
    sub_restrictions: list[dict[str, str]]
    caps: list[dict[str, Any]]
    commission_tiers: list[dict[str, Any]]
    caps_timezone: str
    caps_status: list[str]
    caps_goal_overcap: str
    hide_caps: int
    search_empty_sub: int | None
    allow_impressions: bool
    smartlink_categories: list[str]
    click_session: str
    minimal_click_session: str
    uniq_ip_only: bool
    reject_not_uniq_ip: bool
    consider_personal_targeting_only: bool
    schedule: dict[str, Any] | None
    targeting: list[dict[str, Any]]
    io_document: str | None
    updated_at: str
    created_at: str


def new_offer_view(row: Offer, zone: ZoneInfo, tracking_url: str) -> OfferView:
    """An offer as it was just made: no traffic, so cr and epc are 0."""
    return OfferView(
        **_UNSET,
        **{name: getattr(row, name) for name in _AS_STORED},
        tags=list(row.tags),
        id=row.id,
        offer_id=row.hash,
        advertiser=row.advertiser_id,
        url_preview=row.url_preview,
        preview_url=row.url_preview,
        domain_url=urlsplit(tracking_url).netloc,
        use_https=tracking_url.startswith("https:"),
        use_http=tracking_url.startswith("http:"),
        is_top=int(row.is_top),
        payments=[PaymentView(**_payment(item)) for item in row.payments],
        partner_payments=[
            PersonalPaymentView(**_payment(item), partners=list(item.partners)) for item in row.partner_payments
        ],
        landings=[LandingView(**_landing(item)) for item in row.landings],
        start_at=text_or_none(row.start_at, zone),
        # The stored end is the first moment after the last day; its last second is what people call its end.
        stop_at=text_or_none(None if row.stop_at is None else row.stop_at - 1000, zone),
        required_approval=row.privacy != "public",
        sub_accounts=sub_accounts_view({}),
        caps_timezone=zone.key,
        updated_at=datetime_text(row.updated_at, zone),
        created_at=datetime_text(row.created_at, zone),
    )


def _payment(item: PaymentItem) -> dict[str, Any]:
    shown: dict[str, Any] = msgspec.to_builtins(item)
    del shown["partners"]
    return shown | {"total": number(item.total), "revenue": number(item.revenue)}


def _landing(item: Landing) -> dict[str, Any]:
    return msgspec.structs.asdict(item)


_AS_STORED = (
    "title",
    "url",
    "macro_url",
    "cross_postback_url",
    "trafficback_url",
    "external_offer_id",
    "bundle_id",
    "description_lang",
    "status",
    "privacy",
    "hold_period",
    "notes",
    "note_aff",
    "note_sales",
    "allowed_ip",
    "disallowed_ip",
    "hash_password",
    "click_session",
    "minimal_click_session",
)

_UNSET: dict[str, Any] = {
    "hide_payments": False,
    "parallel_tracking_url": None,
    "kpi": {},
    "countries": [],
    "sources": [],
    "logo": None,
    "logo_source": None,
    "strictly_country": 0,
    "strictly_os": [],
    "restriction_os": [],
    "strictly_isp": [],
    "restriction_isp": [],
    "strictly_brands": [],
    "strictly_devices": [],
    "strictly_connection_type": "",
    "is_redirect_overcap": False,
    "notice_percent_overcap": None,
    "categories": [],
    "full_categories": [],
    "cr": Decimal(0),
    "epc": Decimal(0),
    "allow_deeplink": 0,
    "hide_referer": 0,
    "redirect_type": "http302",
    "auto_offer_connect": False,
    "is_cpi": False,
    "creatives": [],
    "creatives_zip": None,
    "sub_restrictions": [],
    "caps": [],
    "commission_tiers": [],
    "caps_status": ["confirmed", "pending", "hold"],
    "caps_goal_overcap": "",
    "hide_caps": 0,
    "search_empty_sub": None,
    "allow_impressions": False,
    "smartlink_categories": [],
    "uniq_ip_only": False,
    "reject_not_uniq_ip": False,
    "consider_personal_targeting_only": False,
    "schedule": None,
    "targeting": [],
    "io_document": None,
}
"""Fields that cannot be set yet, with their documented defaults."""
