"""Offers as staff see them: the full form, and the form of lists.

See docs/api/offer-lists.md#get-offerid.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Final
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.offers.lists import OfferPage, RelatedRecords
from trackyard.api.offers.declared import with_declared_fields
from trackyard.api.offers.view_parts import (
    CapView,
    OfferPaymentView,
    PersonalPaymentView,
    ScheduleView,
    TargetingView,
    TierView,
    cap_view,
    schedule_view,
    targeting_view,
)
from trackyard.api.people.views import hidden_code
from trackyard.api.platform.files import CreativeView, creative_view, file_url
from trackyard.api.statistics.times import text_or_none
from trackyard.api.subaccounts import SubAccountView
from trackyard.base.zones import datetime_text
from trackyard.domain.offers.choices import Privacy, RedirectType, preferred_text
from trackyard.domain.offers.fields import Viewers
from trackyard.domain.offers.lists import ListedOffer
from trackyard.domain.offers.offers import (
    Landing,
    Offer,
    OfferSchedule,
    PersonalLimit,
    RestrictedIsp,
    RestrictedOs,
    WeightedUrl,
)
from trackyard.domain.offers.visibility import goal_names
from trackyard.domain.people.scope import Scope
from trackyard.wire.response.envelope import Money, View
from trackyard.wire.response.guards import OFFER_RESULTS, Guard
from trackyard.wire.response.views import fields_from, view_of


class CategoryRef(View):
    """A category of an offer."""

    id: str
    title: str


class SourceRef(View):
    """A traffic source of an offer: `allowed` is 1."""

    id: str
    title: str
    allowed: int


@with_declared_fields(Viewers.STAFF)
class OfferFields(View):
    """The fields of both forms for staff."""

    guarded: ClassVar[Mapping[str, Guard]] = {"cr": OFFER_RESULTS, "epc": OFFER_RESULTS}

    id: int
    offer_id: str
    advertiser: str
    title: str
    macro_url: str
    url: str
    parallel_tracking_url: str
    cross_postback_url: str
    impressions_url: str
    additional_impression_destination_urls: list[WeightedUrl]
    url_preview: str
    preview_url: str
    trafficback_url: str
    domain_url: str
    tracking_domain: str
    use_https: bool
    use_http: bool
    description_lang: dict[str, str]
    kpi: dict[str, str]
    countries: list[str]
    logo: str
    logo_source: str
    status: str
    tags: list[str]
    privacy: str
    privacy_level: int
    managers: list[str]
    payments: list[OfferPaymentView]
    partner_payments: list[PersonalPaymentView]
    landings: list[Landing]
    strictly_country: int
    strictly_os: list[str]
    restriction_os: list[RestrictedOs]
    strictly_isp: list[str]
    restriction_isp: list[RestrictedIsp]
    strictly_brands: list[str]
    strictly_devices: list[str]
    strictly_connection_type: str
    quality: str
    categories: list[str]
    full_categories: list[CategoryRef]
    cr: Money
    epc: Money
    allowed_ip: str
    disallowed_ip: str
    hash_password: str
    hide_referer: int
    redirect_type: str
    start_at: str | None
    stop_at: str | None
    required_approval: bool
    creatives: list[CreativeView]
    creatives_zip: str | None
    sub_accounts: dict[str, SubAccountView]
    sub_restrictions: list[dict[str, str]]
    caps: list[CapView]
    personal_limits: list[PersonalLimit]
    commission_tiers: list[TierView]
    caps_timezone: str
    caps_status: list[str]
    search_empty_sub: int | None
    smartlink_categories: list[str]
    click_session: str
    minimal_click_session: str
    uniq_ip_only: bool
    reject_not_uniq_ip: bool
    pixel_pages: list[str]
    pixel_code: str
    consider_personal_targeting_only: bool
    schedule: ScheduleView
    targeting: list[TargetingView]
    macros_replacement: dict[str, list[str]]
    macros_replacement_enabled: list[str]
    io_document: str | None
    updated_at: str
    created_at: str


class OfferView(OfferFields):
    """An offer in its full form; `sources` are ids."""

    sources: list[str]


class ListedOfferView(OfferFields):
    """An offer in lists of staff. link: the beginning of its click URLs; the affiliate's number follows."""

    sources: list[SourceRef]
    description: str
    link: str


def offer_view(found: OfferPage, deps: Deps, writable: Scope) -> OfferView:
    """Return the full form of the first offer of a page.

    writable: the offers that are shown with the codes of their postbacks and pixels.
    """
    [item, *_] = found.offers
    fields = full_fields(item, found.related, deps) | _shown_codes(item.offer, writable)
    return OfferView(**fields, sources=list(item.offer.sources))


def listed_offer_view(item: ListedOffer, related: RelatedRecords, deps: Deps, writable: Scope) -> ListedOfferView:
    """Return the form of lists; `writable` as of `offer_view`."""
    offer = item.offer
    fields = full_fields(item, related, deps) | _shown_codes(offer, writable)
    return ListedOfferView(
        **fields,
        sources=source_refs(offer, related),
        description=description(offer),
        link=f"{link_base(offer, related, deps.tracking_url)}/click?offer_id={offer.id}&pid=",
    )


def _shown_codes(offer: Offer, writable: Scope) -> dict[str, str]:
    shown = writable.has_advertiser(offer.advertiser_id)
    return {name: hidden_code(getattr(offer, name), shown=shown) or "" for name in ("hash_password", "pixel_code")}


def description(offer: Offer) -> str:
    """Return the description in English, else Russian, else any language."""
    return preferred_text(offer.description_lang)


def source_refs(offer: Offer, related: RelatedRecords) -> list[SourceRef]:
    """Return the existing traffic sources of an offer."""
    titles = related.sources
    return [SourceRef(id=id_, title=preferred_text(titles[id_]), allowed=1) for id_ in offer.sources if id_ in titles]


def category_refs(offer: Offer, related: RelatedRecords) -> list[CategoryRef]:
    """Return the categories of an offer that exist."""
    titles = related.categories
    return [CategoryRef(id=id_, title=titles[id_]) for id_ in offer.categories if id_ in titles]


def level_of(offer: Offer) -> int:
    """Return the privacy level as it was written, else the level of the privacy."""
    return offer.privacy_level if offer.privacy_level is not None else _LEVELS.index(offer.privacy)


_LEVELS: Final = (Privacy.PUBLIC, Privacy.PROTECTED, Privacy.PRIVATE)


def link_base(offer: Offer, related: RelatedRecords, tracking_url: str) -> str:
    """Return the beginning of an offer's tracking links: its domain, else the platform's."""
    domain = None if offer.domain_id is None else related.domains.get(offer.domain_id)
    if domain is None:
        return tracking_url
    host = domain.url.partition("://")[2] or domain.url
    return f"{'https' if domain.use_https else 'http'}://{host.rstrip('/')}"


def stop_text(offer: Offer, zone: ZoneInfo) -> str | None:
    """Return the end of an offer as text.

    The stored end is the first moment after its last day; people write the last second of that day.
    """
    return text_or_none(None if offer.stop_at is None else offer.stop_at - 1000, zone)


def full_fields(item: ListedOffer, related: RelatedRecords, deps: Deps) -> dict[str, Any]:
    """Return the fields that both forms for staff hold."""
    offer = item.offer
    base = link_base(offer, related, deps.tracking_url)
    names = goal_names(offer)
    given = {
        "payments": [view_of(OfferPaymentView, payment) for payment in offer.payments],
        "partner_payments": [view_of(PersonalPaymentView, payment) for payment in offer.partner_payments],
        "caps": [cap_view(cap, names) for cap in offer.caps],
        "commission_tiers": [view_of(TierView, tier) for tier in offer.commission_tiers],
        "strictly_os": [item.os for item in offer.restriction_os],
        "strictly_isp": [item.name for item in offer.restriction_isp],
        "sub_accounts": sub_accounts(offer),
        "targeting": [targeting_view(TargetingView, group) for group in offer.targeting],
        "advertiser": offer.advertiser_id,
        "domain_url": urlsplit(base).netloc,
        "tracking_domain": "" if offer.domain_id not in related.domains else urlsplit(base).netloc,
        "privacy_level": level_of(offer),
        "hide_referer": int(offer.redirect_type == RedirectType.HTTP_302_HIDDEN),
        "start_at": text_or_none(offer.start_at, deps.zone),
        "required_approval": offer.privacy != Privacy.PUBLIC,
        "caps_timezone": offer.caps_timezone or deps.zone.key,
        "schedule": schedule_view(offer.schedule or OfferSchedule(), deps.zone),
        "io_document": None,
        "updated_at": datetime_text(offer.updated_at, deps.zone),
        "created_at": datetime_text(offer.created_at, deps.zone),
    }
    return fields_from(OfferFields, offer, item, **shared_fields(offer, related, deps), **given)


def shared_fields(offer: Offer, related: RelatedRecords, deps: Deps) -> dict[str, Any]:
    """Return the made fields that staff and affiliates see alike."""
    base = link_base(offer, related, deps.tracking_url)
    return {
        "offer_id": offer.hash,
        "preview_url": offer.url_preview or "",
        "use_https": base.startswith("https:"),
        "use_http": base.startswith("http:"),
        "logo": file_url(deps.api_url, offer.logo) or "",
        "full_categories": category_refs(offer, related),
        "stop_at": stop_text(offer, deps.zone),
        "creatives": [creative_view(creative, deps.api_url) for creative in offer.creatives],
        "creatives_zip": file_url(deps.api_url, offer.creatives_zip),
    }


def sub_accounts(offer: Offer) -> dict[str, SubAccountView]:
    """Return the views of both lists, given or not."""
    shown = {}
    for number_ in ("1", "2"):
        held = offer.sub_accounts.get(number_)
        shown[number_] = SubAccountView(
            value=",".join(held.values) if held is not None else "",
            refused=held is not None and held.exclude,
        )
    return shown
