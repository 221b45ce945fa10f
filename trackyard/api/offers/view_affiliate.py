"""Offers as an affiliate sees them, in lists and alone.

See docs/api/offer-lists.md#get-partneroffers and docs/spec/offers.md#fields-for-affiliates.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import msgspec

from trackyard.actions.deps import Deps
from trackyard.actions.offers.lists import OfferPage, RelatedRecords
from trackyard.api.offers.declared import with_declared_fields
from trackyard.api.offers.view import (
    CategoryRef,
    SourceRef,
    category_refs,
    description,
    full_fields,
    link_base,
    shared_fields,
    source_refs,
)
from trackyard.api.offers.view_parts import (
    CapView,
    ScheduleView,
    SharedPaymentView,
    SharedTargetingView,
    TierView,
    cap_view,
    targeting_view,
)
from trackyard.api.platform.files import CreativeView
from trackyard.api.subaccounts import SubAccountView
from trackyard.api.tracking.postbacks import of_version
from trackyard.base.zones import datetime_text
from trackyard.domain.offers.choices import Privacy
from trackyard.domain.offers.fields import Viewers
from trackyard.domain.offers.lists import ListedOffer, OfferPostback
from trackyard.domain.offers.offers import Landing, Offer, RestrictedIsp, RestrictedOs
from trackyard.domain.offers.visibility import caps_for, goal_names, payments_for, targeting_for, tiers_for
from trackyard.domain.tracking.links import Link
from trackyard.wire.response.envelope import Money, View
from trackyard.wire.response.guards import OFFER_RESULTS, Guard
from trackyard.wire.response.views import view_of


class LinkPostbackView(View):
    """A postback of the affiliate for the offer; status, goal null = any."""

    id: int
    url: str
    status: str | None
    goal: str | None
    created: str


class LinkView(View):
    """A tracking link, of a landing page or of the offer itself.

    id, title: the landing page's id and title; the id is a text, as existing programs decode it.
    hash: `/{hash}` is its short form.
    created: null, as a link is never stored.
    """

    id: str | None
    title: str | None
    hash: str
    url: str
    postbacks: list[LinkPostbackView]
    created: str | None


@with_declared_fields(Viewers.LISTS)
class AffiliateOfferView(View):
    """An offer in the lists of an affiliate.

    categories: titles.
    links, link: none and "" while the affiliate may not send traffic.
    """

    guarded: ClassVar[Mapping[str, Guard]] = {"cr": OFFER_RESULTS, "epc": OFFER_RESULTS}

    id: int
    offer_id: str
    title: str
    preview_url: str
    description: str
    cr: Money
    epc: Money
    logo: str
    logo_source: str
    stop_at: str | None
    sources: list[SourceRef]
    categories: list[str]
    full_categories: list[CategoryRef]
    countries: list[str]
    payments: list[SharedPaymentView]
    required_approval: bool
    landings: list[Landing]
    is_cpi: bool
    creatives: list[CreativeView]
    creatives_zip: str | None
    links: list[LinkView]
    macro_url: str
    link: str
    use_https: bool
    use_http: bool
    hold_period: int
    hold_type: str
    caps: list[CapView]
    targeting: list[SharedTargetingView]
    click_session: str
    minimal_click_session: str
    uniq_ip_only: bool
    reject_not_uniq_ip: bool
    hosts_only: bool
    consider_personal_targeting_only: bool


@with_declared_fields(Viewers.CARD)
class FullAffiliateOfferView(AffiliateOfferView):
    """An offer in the full form without the advertiser's side. categories: ids. goals: value to title.

    disabled_choice_postback_status: always false, as affiliates choose the status of their postbacks.
    ticket_created: whether the affiliate requests the offer in an open ticket.
    """

    hide_payments: bool
    url_preview: str
    domain_url: str
    description_lang: dict[str, str]
    kpi: dict[str, str]
    goals: dict[str, str]
    status: str
    tags: list[str]
    privacy: str
    is_top: int
    strictly_country: int
    strictly_os: list[str]
    restriction_os: list[RestrictedOs]
    strictly_isp: list[str]
    restriction_isp: list[RestrictedIsp]
    strictly_brands: list[str]
    strictly_devices: list[str]
    strictly_connection_type: str
    is_redirect_overcap: bool
    notice_percent_overcap: int
    allow_deeplink: int
    hide_referer: int
    redirect_type: str
    start_at: str | None
    send_emails: bool
    auto_offer_connect: int
    sub_accounts: dict[str, SubAccountView]
    sub_restrictions: list[dict[str, str]]
    enabled_commission_tiers: bool
    commission_tiers: list[TierView]
    caps_timezone: str
    caps_status: list[str]
    caps_goal_overcap: str
    hide_caps: int
    search_empty_sub: int | None
    allow_impressions: bool
    smartlink_categories: list[str]
    one_conversion_per_click: bool
    disabled_choice_postback_status: bool
    ticket_created: bool
    schedule: ScheduleView
    product_feed_id: str
    io_document: str | None
    updated_at: str
    created_at: str


@dataclass(frozen=True, slots=True)
class ViewContext:
    """The affiliate that sees an offer, and the version of the API."""

    affiliate_id: int
    deps: Deps
    version: str


def affiliate_offer_views(found: OfferPage, view_context: ViewContext) -> list[AffiliateOfferView]:
    """Return the views of the offers of a page."""
    return [_view(item, found.related, view_context) for item in found.offers]


def full_affiliate_offer_view(found: OfferPage, view_context: ViewContext) -> FullAffiliateOfferView:
    """Return the full form of the first offer of a page."""
    [item, *_] = found.offers
    offer = item.offer
    full = full_fields(item, found.related, view_context.deps)
    shown = {name: full[name] for name in _FULL_ONLY & full.keys()}
    listed = msgspec.structs.asdict(_view(item, found.related, view_context))
    more = {"disabled_choice_postback_status": False, "ticket_created": offer.id in found.related.requested}
    return FullAffiliateOfferView(**shown | listed | more | _full_fields(offer, view_context.affiliate_id))


def _full_fields(offer: Offer, affiliate_id: int) -> dict[str, Any]:
    """Return the fields that the full form shows differently from lists and from staff."""
    names = goal_names(offer, affiliate_id)
    return {
        "categories": list(offer.categories),
        "goals": {item.goal: names[item.goal] for item in payments_for(offer, affiliate_id)},
        "commission_tiers": [view_of(TierView, tier) for tier in tiers_for(offer, affiliate_id)],
    }


_FULL_ONLY = frozenset(FullAffiliateOfferView.__struct_fields__) - frozenset(AffiliateOfferView.__struct_fields__)


def _view(item: ListedOffer, related: RelatedRecords, view_context: ViewContext) -> AffiliateOfferView:
    offer = item.offer
    links = links_of(offer, related, view_context)
    names = goal_names(offer, view_context.affiliate_id)
    return view_of(
        AffiliateOfferView,
        offer,
        item,
        **shared_fields(offer, related, view_context.deps),
        description=description(offer),
        sources=source_refs(offer, related),
        categories=[each.title for each in category_refs(offer, related)],
        payments=[view_of(SharedPaymentView, each) for each in payments_for(offer, view_context.affiliate_id)],
        required_approval=not related.connected.get(offer.id, offer.privacy == Privacy.PUBLIC),
        links=links,
        link=links[0].url if links else "",
        caps=[cap_view(cap, names) for cap in caps_for(offer, view_context.affiliate_id)],
        targeting=[
            targeting_view(SharedTargetingView, group) for group in targeting_for(offer, view_context.affiliate_id)
        ],
    )


def links_of(offer: Offer, related: RelatedRecords, view_context: ViewContext) -> list[LinkView]:
    """Return the offer's own link, then one a landing page; none while the affiliate may not send traffic."""
    if offer.advertiser_id in related.blocked_by or not related.connected.get(
        offer.id, offer.privacy == Privacy.PUBLIC
    ):
        return []
    postbacks = [_postback(item, view_context) for item in related.postbacks.get(offer.id, ())]
    base = link_base(offer, related, view_context.deps.tracking_url)
    places: list[tuple[int | None, str | None]] = [(None, None)]
    places += [(landing.id, landing.title) for landing in offer.landings]
    out = []
    for landing_id, title in places:
        link = Link(offer.id, view_context.affiliate_id, landing_id or 0)
        url = link.url(base)
        out.append(
            LinkView(
                id=None if landing_id is None else str(landing_id),
                title=title,
                hash=link.hash,
                url=url,
                postbacks=postbacks,
                created=None,
            )
        )
    return out


def _postback(item: OfferPostback, view_context: ViewContext) -> LinkPostbackView:
    created = datetime_text(item.created_at, view_context.deps.zone)
    status = of_version(item.status, view_context.version)
    return view_of(LinkPostbackView, item, status=status, created=created)
