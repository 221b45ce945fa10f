"""The offers of an advertiser, for itself (docs/spec/callers.md#advertisers-as-callers)."""

from collections.abc import Iterable, Mapping
from typing import ClassVar
from uuid import NAMESPACE_URL, uuid5

from msgspec import defstruct

from trackyard.actions.deps import Deps
from trackyard.actions.offers.lists import OfferPage
from trackyard.actions.people.advertiser_side.account import OwnAdvertiser, get_own_advertiser
from trackyard.actions.people.advertiser_side.offers import get_own_offer, list_own_offers, page_of_one
from trackyard.api.lookups import in_scope_by_reference
from trackyard.api.paging import Paging
from trackyard.api.people.views import own_code
from trackyard.api.platform.files import file_url
from trackyard.base.zones import datetime_text
from trackyard.domain.conversions.codes import pixel_address, postback_address
from trackyard.domain.offers.choices import preferred_text
from trackyard.domain.offers.lists import ListedOffer
from trackyard.domain.offers.offers import AllowDeny, AllowDenyGeo, Offer, OfferPayment, OsVersion, TargetingGroup
from trackyard.domain.people.callers import AdvertiserCaller
from trackyard.domain.people.roles import Permission
from trackyard.domain.tracking.subs import SUBS, encrypted_condition, encrypted_sub
from trackyard.wire.endpoint import ApiRequest, Routes, for_advertisers
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import NoParams
from trackyard.wire.response.envelope import Answer, Money, Pagination, View, number
from trackyard.wire.response.guards import OFFER_RESULTS, Guard

routes = Routes[Deps]()
_READERS = for_advertisers(Permission.OFFERS_READ)
_find = in_scope_by_reference(get_own_offer)


class ListAdvertiserOffers(Paging):
    """The filters of a list.

    search: a part of the title or id.
    country: a country of the offer or its targeting.
    """

    search: s.Text = ""
    country: s.Country | None = None
    offer_id: s.Id | None = None


class NamedView(View):
    """A category or a source of traffic."""

    id: str
    title: str


class OwnLandingView(View):
    """A landing page."""

    id: int
    title: str
    url: str
    type: str


class OwnCreativeView(View):
    """A creative. url: of its file, else the one that it comes from."""

    id: int
    title: str
    url: str


class OwnPayoutFields(View):
    """What the advertiser pays for a goal.

    total: an amount or a percent, by payment_type.
    affiliates: always empty unless staff let the advertiser see affiliates.
    """

    id: str
    affiliates: list[int]
    cities: list[int]
    countries: list[str]
    include_regions: bool
    exclude_countries: bool
    currency: str
    devices: list[str]
    goal_title: str
    goal_value: str
    oses: list[str]
    payment_type: str
    total: Money
    baseline_value: int


_LISTS = (*SUBS, *(f"cf{number}" for number in range(1, 16)))
OwnPayoutView = defstruct(
    "OwnPayoutView", [(name, list[str]) for name in _LISTS], bases=(OwnPayoutFields,), kw_only=True
)
"""With the conditions by subs and custom fields."""


class OwnTargetingView(View):
    """A targeting group, as flat lists; values that are rejected begin with "-".

    affiliate_id: always empty unless staff let the advertiser see affiliates, as name, subs and referrer, which may
    name one.
    """

    id: str
    name: str
    country: list[str]
    region: list[str]
    city: list[str]
    os: list[str]
    browser: list[str]
    brand: list[str]
    ip: list[str]
    ipv6_deny: bool
    isp: list[str]
    device_type: list[str]
    connection: list[str]
    subs: list[str]
    subs_deny_groups: list[dict[str, str]]
    affiliate_id: list[int]
    block_proxy_vpn: bool
    condition: str
    enabled: bool
    zip: list[str]
    isp_organization: list[str]
    isp_organization_deny_empty: bool
    device_model: list[str]
    browser_version: list[str]
    referrer: list[str]
    referrer_deny_empty: bool
    referrer_is_regexp: bool
    ua: list[str]
    ua_deny_empty: bool
    ua_is_regexp: bool
    ua_deny_crawlers: bool
    block_known_bots: bool


class OwnOfferView(View):
    """An offer of the calling advertiser. cr: of the last 30 days, in percent. epc: always 0.

    postback_url: the URL of its postbacks, with the code of the offer or the advertiser; *** in the place of the
    platform's code. CLICK is the place of the click id.
    pixel_url: the URL of its pixel, with ORDER for the id of the order; "" where pixels are off.
    """

    guarded: ClassVar[Mapping[str, Guard]] = {"cr": OFFER_RESULTS, "epc": OFFER_RESULTS}

    id: int
    title: str
    created_at: str
    description: dict[str, str]
    logo: str
    status: str
    kpi: dict[str, str]
    preview_url: str
    tracking_url: str
    payouts: list[OwnPayoutView]  # type: ignore[valid-type]
    targetings: list[OwnTargetingView]
    creatives: list[OwnCreativeView]
    landings: list[OwnLandingView]
    categories: list[NamedView]
    traffic_sources: list[NamedView]
    cr: Money
    epc: int
    postback_url: str
    pixel_url: str


class OwnOffersAnswer(Answer):
    """A page of the offers of the calling advertiser."""

    offers: list[OwnOfferView]
    pagination: Pagination


class OwnOfferAnswer(Answer):
    """One offer of the calling advertiser."""

    offer: OwnOfferView


@routes.get("/advertiser/offers", _READERS, id="advertiser.offers.list")
def list_(request: ApiRequest[Deps], params: ListAdvertiserOffers) -> OwnOffersAnswer:
    """List the offers of the calling advertiser, of every status, with what it pays."""
    filters: dict[str, frozenset[str | int]] = {}
    filters |= {"q": frozenset({params.search})} if params.search else {}
    filters |= {"countries": frozenset({params.country})} if params.country else {}
    filters |= {"int_id": frozenset({params.offer_id})} if params.offer_id else {}
    page = list_own_offers(request.deps, request.access, filters, **params.place(request))
    own = _own(request)
    views = [_view(request, each, page, own) for each in page.offers]
    return OwnOffersAnswer(offers=views, pagination=params.pagination(request, page.total))


@routes.get("/advertiser/offers/{id}", _READERS, id="advertiser.offer.get", find=_find)
def show(request: ApiRequest[Deps], _params: NoParams) -> OwnOfferAnswer:
    """Show an offer of the calling advertiser, with what it pays."""
    found: ListedOffer = request.subject
    return OwnOfferAnswer(offer=_view(request, found, page_of_one(request.deps, found), _own(request)))


def _own(request: ApiRequest[Deps]) -> OwnAdvertiser:
    return get_own_advertiser(request.deps, request.caller.company.id)


def _view(request: ApiRequest[Deps], listed: ListedOffer, page: OfferPage, own: OwnAdvertiser) -> OwnOfferView:
    offer, deps, caller = listed.offer, request.deps, request.caller
    sees = isinstance(caller, AdvertiserCaller) and caller.sees_affiliates
    key = caller.subs_key if isinstance(caller, AdvertiserCaller) else ""
    groups = [each for each in offer.targeting if sees or not each.affiliate_id]
    return OwnOfferView(
        id=offer.id,
        title=offer.title,
        created_at=datetime_text(offer.created_at, deps.zone),
        description=offer.description_lang,
        logo=file_url(deps.api_url, offer.logo) or "",
        status=offer.status,
        kpi=offer.kpi,
        preview_url=offer.url_preview or "",
        tracking_url=offer.url,
        payouts=_payouts(offer, key, sees=sees),
        targetings=[_targeting(offer, place, each, key, sees=sees) for place, each in enumerate(groups)],
        creatives=[
            OwnCreativeView(id=each.id, title=each.title, url=file_url(deps.api_url, each.file) or each.url or "")
            for each in offer.creatives
        ],
        landings=[
            OwnLandingView(id=each.id, title=each.title, url=each.url, type=each.type) for each in offer.landings
        ],
        categories=_named(offer.categories, page.related.categories),
        traffic_sources=_named(
            offer.sources, {name: preferred_text(texts) for name, texts in page.related.sources.items()}
        ),
        cr=number(listed.cr),
        epc=0,
        postback_url=postback_address(deps.tracking_url, own_code(caller, own, offer.hash_password)),
        pixel_url=pixel_address(deps.tracking_url, offer.id, offer.pixel_code) if offer.pixels else "",
    )


def _named(ids: Iterable[str], titles: dict[str, str]) -> list[NamedView]:
    return [NamedView(id=each, title=titles[each]) for each in ids if each in titles]


def _part_id(offer: Offer, kind: str, place: int) -> str:
    return str(uuid5(NAMESPACE_URL, f"{offer.hash}/{kind}/{place}"))


def _payouts(offer: Offer, key: str, *, sees: bool) -> list[OwnPayoutView]:  # type: ignore[valid-type]
    """Return the general payments; with `sees`, also the payments of single affiliates.

    sees: whether the advertiser sees affiliates.
    """
    items = (*offer.payments, *(offer.partner_payments if sees else ()))
    return [_payout(offer, place, item, key, sees=sees) for place, item in enumerate(items)]


def _payout(offer: Offer, place: int, item: OfferPayment, key: str, *, sees: bool) -> OwnPayoutView:  # type: ignore[valid-type]
    texts = {name: getattr(item, name) if sees else "" for name in SUBS}
    subs = {name: encrypted_condition(text, key, item.partners) if text else [] for name, text in texts.items()}
    return OwnPayoutView(
        **{name: [] for name in _LISTS} | subs,
        id=_part_id(offer, "payout", place),
        affiliates=list(item.partners) if sees else [],
        cities=list(item.cities),
        countries=list(item.countries),
        include_regions=item.with_regions,
        exclude_countries=item.country_exclude,
        currency=item.currency,
        devices=list(item.devices),
        goal_title=item.title,
        goal_value=item.goal,
        oses=list(item.os),
        payment_type=item.type,
        total=number(item.total),
        baseline_value=0,
    )


def _flat(lists: AllowDeny) -> list[str]:
    return [*lists.allow, *(f"-{each}" for each in lists.deny)]


def _flat_geo(lists: AllowDenyGeo) -> list[str]:
    return [
        f"{sign}{country}:{each}"
        for sign, places in (("", lists.allow), ("-", lists.deny))
        for country, ids in places.items()
        for each in ids
    ]


def _version(system: OsVersion) -> str:
    return f"{system.name}{system.comparison}{system.version}"


def _signed(values: Iterable[str], *, rejects: bool) -> list[str]:
    return [f"-{value}" for value in values] if rejects else list(values)


def _targeting(offer: Offer, place: int, group: TargetingGroup, key: str, *, sees: bool) -> OwnTargetingView:
    subs = [
        f"{sign}sub{name}={code}"
        for sign, conditions in (("", group.sub.allow), ("-", group.sub.deny))
        for name, values in conditions.items()
        for value in values
        for code in encrypted_condition(value, key, group.affiliate_id)
    ]
    return OwnTargetingView(
        id=_part_id(offer, "targeting", place),
        name=group.name if sees else "",
        country=_flat(group.country),
        region=_flat_geo(group.region),
        city=_flat_geo(group.city),
        os=_signed(map(_version, group.os), rejects=group.os_deny),
        browser=_flat(group.browser),
        brand=_flat(group.brand),
        ip=_flat(group.ip),
        ipv6_deny=group.ip.ipv6_deny,
        isp=[f"{country}:{each}" for country, names in group.isp.items() for each in names],
        device_type=_signed(group.device_type, rejects=group.device_type_deny),
        connection=_signed(group.connection, rejects=group.connection_deny),
        subs=subs if sees else [],
        subs_deny_groups=[
            {f"sub{name}": encrypted_sub(value, key, each) for name, value in row.items()}
            for row in (group.sub.deny_groups if sees else ())
            for each in (group.affiliate_id if key else ()) or (0,)
        ],
        affiliate_id=list(group.affiliate_id) if sees else [],
        block_proxy_vpn=group.block_proxy,
        condition=group.condition,
        enabled=group.enabled,
        zip=_flat(group.zip),
        isp_organization=_flat(group.isp_organization),
        isp_organization_deny_empty=group.isp_organization.deny_empty,
        device_model=_flat(group.device_model),
        browser_version=[
            *map(_version, group.browser_version.allow),
            *_signed(map(_version, group.browser_version.deny), rejects=True),
        ],
        referrer=_flat(group.referrer) if sees else [],
        referrer_deny_empty=group.referrer.deny_empty,
        referrer_is_regexp=group.referrer.is_regexp,
        ua=_flat(group.ua),
        ua_deny_empty=group.ua.deny_empty,
        ua_is_regexp=group.ua.is_regexp,
        ua_deny_crawlers=group.ua.deny_crawlers,
        block_known_bots=group.block_known_bots,
    )
