"""The offer of a ticket: what its affiliate sees of it, and how it is set up (docs/api/tickets.md)."""

from trackyard.actions.deps import Deps
from trackyard.actions.offers.lists import OfferPage
from trackyard.actions.offers.tickets import TicketRecord
from trackyard.api.offers.view_affiliate import AffiliateOfferView, ViewContext, affiliate_offer_views
from trackyard.api.offers.view_parts import ScheduleView, schedule_view
from trackyard.domain.offers.offers import OfferSchedule, RestrictedIsp
from trackyard.domain.offers.visibility import goal_names
from trackyard.wire.response.views import view_of


class TicketOfferView(AffiliateOfferView):
    """The offer of a ticket. goals: value → title of what it pays."""

    goals: dict[str, str]
    description_lang: dict[str, str]
    kpi: dict[str, str]
    logo_source: str
    cross_postback_url: str
    send_emails: bool
    caps_timezone: str
    hide_caps: int
    strictly_country: int
    strictly_os: list[str]
    strictly_isp: list[str]
    restriction_isp: list[RestrictedIsp]
    strictly_brands: list[str]
    click_session: str
    minimal_click_session: str
    search_empty_sub: int | None
    schedule: ScheduleView
    io_document: str | None
    consider_personal_targeting_only: bool
    uniq_ip_only: bool
    reject_not_uniq_ip: bool


def ticket_offer_view(record: TicketRecord, deps: Deps, version: str) -> TicketOfferView:
    """The offer of a ticket on the wire."""
    offer, view_context = record.offer.offer, ViewContext(record.ticket.affiliate_id, deps, version)
    [seen] = affiliate_offer_views(OfferPage([record.offer], 1, record.related), view_context)
    shared = {name: getattr(seen, name) for name in AffiliateOfferView.__struct_fields__}
    return view_of(
        TicketOfferView,
        offer,
        **shared,
        goals=goal_names(offer),
        caps_timezone=offer.caps_timezone or deps.zone.key,
        strictly_os=[item.os for item in offer.restriction_os],
        strictly_isp=[item.name for item in offer.restriction_isp],
        schedule=schedule_view(offer.schedule or OfferSchedule(), deps.zone),
        io_document=None,
    )
