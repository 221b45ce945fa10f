"""One conversion, with what the list leaves out (docs/api/conversion-by-id.md)."""

from functools import cache
from zoneinfo import ZoneInfo

from trackyard.actions.conversions.conversions import get_conversion
from trackyard.actions.deps import Deps
from trackyard.actions.statistics.names import EntityNames
from trackyard.api.conversions.conversions import (
    HIDDEN_FIELDS,
    ConversionFields,
    OfferInConversion,
    OfferWithUrl,
    advertiser_ref,
    fields_for_all,
    fields_for_staff,
    signals_for_staff,
)
from trackyard.api.conversions.filters import shown_status
from trackyard.api.people.views import AdvertiserRef, ManagerView, PartnerView, manager_view, offer_ref, partner_view
from trackyard.api.statistics.times import as_text
from trackyard.base.zones import datetime_text
from trackyard.domain.conversions.lists import ListedConversion
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.money.currencies import NUMBERS
from trackyard.domain.people.roles import Permission
from trackyard.domain.people.staff import Staff
from trackyard.domain.platform import geo
from trackyard.wire.endpoint import ApiRequest, Routes, for_callers
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Params
from trackyard.wire.response.envelope import Answer, Money, number
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()


class GetConversion(Params):
    """The conversion that is shown."""

    id: s.Hex


class PartnerWithManager(PartnerView):
    """The affiliate of a conversion."""

    manager: ManagerView | None


class SingleConversionFields(ConversionFields):
    """The fields of one conversion for every caller.

    status: the number of its status.
    country_name: in English, "" when unknown.
    landing_id, prelanding_id: the ids of the click's landing and transit page; null without one.
    currency_id: the number of ISO 4217 as text, null when the currency has none.
    promo_code: the code that made it; null = a click did.
    """

    status: int
    partner: PartnerWithManager
    country_name: str
    landing_id: int | None
    prelanding_id: int | None
    createdAt: str
    updatedAt: str
    currency_id: str | None
    click_id: str
    promo_code: str | None


class SingleConversionForAffiliate(SingleConversionFields):
    """A conversion as its affiliate sees it.

    advertiser, supplier_id, revenue, earnings, charge, earning, from_click_address, origin, signals: always null.
    """

    offer: OfferInConversion | None
    advertiser: AdvertiserRef | None
    supplier_id: str | None
    revenue: Money | None
    earnings: Money | None
    charge: Money | None
    earning: Money | None
    price: None
    from_click_address: bool | None
    origin: str | None
    signals: str | None


class SingleConversionForStaff(SingleConversionFields):
    """A conversion as staff see it. origin: the signals of its click; signals: its own."""

    offer: OfferWithUrl | None
    advertiser: AdvertiserRef
    supplier_id: str
    revenue: Money
    earnings: Money
    charge: Money
    earning: Money
    price: None
    from_click_address: bool
    origin: str
    signals: str


class SingleConversionForAffiliateAnswer(Answer):
    """One conversion."""

    conversion: SingleConversionForAffiliate


class SingleConversionForStaffAnswer(Answer):
    """One conversion."""

    conversion: SingleConversionForStaff


@routes.get(
    "/stats/conversionsbyid",
    for_callers(Permission.STATS_CONVERSION),
    id="stats.conversionsbyid",
    features=("stats.conversions-list",),
)
def get(
    request: ApiRequest[Deps], params: GetConversion
) -> SingleConversionForStaffAnswer | SingleConversionForAffiliateAnswer:
    """Show one conversion."""
    item, names, manager = get_conversion(request.deps, request.access, params.id)
    zone, name = request.deps.zone, names.offers.get(item.offer_id)
    shown = {
        **fields_for_all(item, as_text(zone)),
        "status": Status(shown_status(item.status, request.version)).number,
        "partner": _partner(item, names, manager, zone),
        "country_name": _countries().get(item.click["country"], ""),
        "landing_id": item.click["landing"] or None,
        "prelanding_id": item.click.get("prelanding") or None,
        "createdAt": datetime_text(item.created_at, zone),
        "updatedAt": datetime_text(item.updated_at, zone),
        "currency_id": str(NUMBERS[item.currency]) if item.currency in NUMBERS else None,
        "click_id": item.click_id,
        "promo_code": item.promo_code,
    }
    if not request.staff:
        offer = offer_ref(OfferInConversion, name)
        hidden = {**HIDDEN_FIELDS, **dict.fromkeys(("charge", "earning", "from_click_address", "origin", "signals"))}
        affiliate_view = SingleConversionForAffiliate(**shown, **hidden, offer=offer)
        return SingleConversionForAffiliateAnswer(conversion=affiliate_view)
    found = signals_for_staff(item)
    staff_view = SingleConversionForStaff(
        **shown,
        **fields_for_staff(item),
        origin=found["origin"],
        signals=found["signals"],
        from_click_address=item.from_click_address,
        charge=number(item.charge),
        earning=number(item.charge - item.payout),
        offer=offer_ref(OfferWithUrl, name),
        advertiser=advertiser_ref(item.advertiser_id, names),
    )
    return SingleConversionForStaffAnswer(conversion=staff_view)


def _partner(item: ListedConversion, names: EntityNames, manager: Staff | None, zone: ZoneInfo) -> PartnerWithManager:
    shown = None if manager is None else manager_view(manager, zone)
    return view_of(PartnerWithManager, partner_view(item.affiliate_id, names.affiliates), manager=shown)


@cache
def _countries() -> dict[str, str]:
    return {country.code: country.name for country in geo.countries()}
