"""Lists of offers, one offer, and what an affiliate may run (docs/api/offer-lists.md)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import Field

from trackyard.actions.deps import Deps
from trackyard.actions.offers import lists as offer_lists
from trackyard.actions.offers.goals import PaidGoal, list_goals
from trackyard.actions.offers.unpaid import unpaid_sentences
from trackyard.actions.people.scope import writable_scope
from trackyard.api.lookups import in_scope_by_reference
from trackyard.api.offers.params import StatusName
from trackyard.api.offers.view import ListedOfferView, OfferView, listed_offer_view, offer_view
from trackyard.api.offers.view_affiliate import (
    AffiliateOfferView,
    FullAffiliateOfferView,
    ViewContext,
    affiliate_offer_views,
    full_affiliate_offer_view,
)
from trackyard.api.paging import Paging
from trackyard.base.zones import day_start_ms
from trackyard.domain.offers.choices import LISTED, Privacy
from trackyard.domain.offers.counters import CapType
from trackyard.domain.offers.lists import OfferFilters, OfferOrder
from trackyard.domain.people.callers import AffiliateCaller
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_callers, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import CommaList, Keyed, NoParams, Only, Params, RequiredFor, Seq
from trackyard.wire.response.envelope import Answer, Pagination, View

routes = Routes[Deps]()
find = in_scope_by_reference(offer_lists.get_and_auto_connect)

_MARKETPLACE: Final = ("general.marketplace",)
SYSTEMS: Final = {
    "web": ("windows", "mac os x", "macos", "linux", "ubuntu", "fedora", "debian", "chrome os", "freebsd"),
    "wp": ("windows phone", "windows mobile"),
    "ios": ("ios", "ipados"),
    "android": ("android",),
}
"""Words of the filter `os` and their systems in lower case."""

_LABELS: Final = {"categories": "category", "sources": "source"}
"""What offers are counted by, and the kind of their label."""

SortName = Annotated[str, s.Choice(("id", "title", "cr", "epc"))]
SortNameOfAll = Annotated[
    str, s.Choice(("id", "title", "cr", "epc", "is_top", "created", "revenue", "daily_cap", "total_cap"))
]
Direction = Annotated[str, s.BoundedText(maximum=4, pattern="^(asc|desc|ASC|DESC)$")]
CapTypeName = Annotated[str, s.Choice((*CapType, "impressions"))]


@dataclass(frozen=True)
class SystemName(s.Choice):
    """A word of SYSTEMS or the name of an operating system, in any case."""

    values: tuple[str, ...] = tuple(SYSTEMS)

    def read(self, text: str, context: Mapping[str, Any]) -> str:
        return s.BoundedText().read(text.strip().casefold(), context)

    def schema(self) -> s.Schema:
        return {"type": "string", "examples": [*self.values, "iOS", "Windows"]}


class ListOffers(Paging):
    """The filters and order of a list."""

    q: s.Text = ""
    ids: Annotated[Seq[s.Text], Only(until="3.0")] = ()
    int_id: Seq[s.Int] = ()
    countries: Seq[s.Text] = ()
    os: Seq[Annotated[str, SystemName()]] = ()
    categories: Seq[s.Text] = ()
    sort: Keyed[SortNameOfAll, Direction] = Field(default_factory=dict)
    status: Annotated[Seq[StatusName], Only(admin=True)] = LISTED
    advertiser: Annotated[Seq[s.Text], Only(admin=True)] = ()
    privacy: Annotated[Seq[Annotated[int, s.Choice(("0", "1", "2"), number=True)]], Only(admin=True)] = ()
    updated_at: Annotated[s.Day | None, Only(since="3.1")] = None
    is_top: Annotated[Seq[s.Flag], Only(since="3.1")] = ()
    bundle_id: Annotated[Seq[s.Text], Only(since="3.1")] = ()
    smartlink_categories: Annotated[Seq[s.Text], Only(since="3.1")] = ()
    sources: Seq[s.Text] = ()

    def filters(self, request: ApiRequest[Deps]) -> OfferFilters:
        """Return the filters that are set, by name."""
        since = None if self.updated_at is None else day_start_ms(self.updated_at, request.deps.zone)
        return _set_filters(
            q=filter(None, (self.q.strip(),)),
            ids=_lower(self.ids),
            int_id=self.int_id,
            countries=_upper(self.countries),
            os=(name for word in self.os for name in SYSTEMS.get(word, (word,))),
            categories=_lower(self.categories),
            smartlink_categories=_lower(self.smartlink_categories),
            sources=_lower(self.sources),
            status=self.status,
            advertiser=_lower(self.advertiser),
            privacy=(tuple(Privacy)[number] for number in self.privacy),
            updated_at=() if since is None else (since,),
            is_top=self.is_top,
            bundle_id=filter(None, self.bundle_id),
        )


class ListOwnOffers(Paging):
    """The filters and order of an affiliate's offers.

    When a filter of caps is set, the others are ignored.
    """

    pid: Annotated[s.Id | None, Only(admin=True), RequiredFor(staff=True)] = None
    q: s.Text = ""
    ids: Seq[s.Text] = ()
    int_id: Seq[s.Int] = ()
    countries: Seq[s.Text] = ()
    categories: Seq[s.Text] = ()
    caps_country: CommaList[s.Text] = ()
    caps_type: CommaList[CapTypeName] = ()
    sort: Keyed[SortName, Direction] = Field(default_factory=dict)

    def filters(self) -> OfferFilters:
        """Return the filters that are set, by name."""
        if self.caps_country or self.caps_type:
            return _set_filters(caps_country=_upper(self.caps_country), caps_type=self.caps_type)
        return _set_filters(
            q=filter(None, (self.q.strip(),)),
            ids=_lower(self.ids),
            int_id=self.int_id,
            countries=_upper(self.countries),
            categories=_lower(self.categories),
        )


class CountOffersBy(Params):
    """What offers are counted by. ids: of categories or sources."""

    by: Annotated[str, s.Choice(tuple(_LABELS))]
    ids: Seq[s.Text] = ()


class OffersAnswer(Answer):
    """Offers, for staff."""

    offers: list[ListedOfferView]
    pagination: Pagination


class OfferNameView(View):
    """The number and the title of an offer."""

    id: int
    title: str


class OfferNamesAnswer(Answer):
    """A page of the numbers and titles of offers."""

    offers: list[OfferNameView]
    pagination: Pagination


class AffiliateOffersAnswer(Answer):
    """Offers, for an affiliate."""

    offers: list[AffiliateOfferView]
    pagination: Pagination


class OfferCountAnswer(Answer):
    """A number of offers."""

    count: int


class OfferCountsAnswer(Answer):
    """Numbers of offers by the id that was sent."""

    counts: dict[str, int]


class OneOfferAnswer(Answer):
    """One offer, for staff."""

    offer: OfferView


class AffiliateOfferAnswer(Answer):
    """One offer, for an affiliate."""

    offer: FullAffiliateOfferView


class GoalView(View):
    """A goal. id: its value as a number, 0 for other values. value: as postbacks send it."""

    id: int
    title: str
    value: str


class GoalsAnswer(Answer):
    """The goals of offers."""

    goals: list[GoalView]


@routes.get("/offers", for_callers(Permission.OFFERS_READ), id="offers.list", features=_MARKETPLACE)
def list_offers(request: ApiRequest[Deps], params: ListOffers) -> OffersAnswer | AffiliateOffersAnswer:
    """List the offers that the caller sees.

    Staff see all; an affiliate sees the active ones that are not private, and the private ones it is connected to.

    `countries`, `os`, `categories` choose offers that name such a value, `countries` and `os` also in their targeting;
    `os` takes the words web, wp, ios, android and the names of systems. Any of several values matches. `updated_at`:
    changed since the start of that day. An offer without a cap comes last in an order by caps.
    """
    found = offer_lists.list_and_auto_connect(
        request.deps, request.access, params.filters(request), _order(params.sort), **params.place(request)
    )
    place = params.pagination(request, found.total)
    if isinstance(request.caller, AffiliateCaller):
        views = affiliate_offer_views(found, ViewContext(request.caller.id, request.deps, request.version))
        return AffiliateOffersAnswer(offers=views, pagination=place)
    writable = writable_scope(request.deps, request.caller, Permission.OFFERS_WRITE)
    staff_views = [listed_offer_view(item, found.related, request.deps, writable) for item in found.offers]
    return OffersAnswer(offers=staff_views, pagination=place)


@routes.get("/admin/offers/names", for_staff(Permission.OFFERS_READ), id="admin.offers.names", features=_MARKETPLACE)
def list_names(request: ApiRequest[Deps], params: ListOffers) -> OfferNamesAnswer:
    """List the numbers and titles of offers, to choose from. It has the filters of the list of offers."""
    found, total = offer_lists.list_titles(
        request.deps, request.access, params.filters(request), _order(params.sort), **params.place(request)
    )
    return OfferNamesAnswer(
        offers=[OfferNameView(id=number, title=title) for number, title in found.items()],
        pagination=params.pagination(request, total),
    )


@routes.get("/offers/count", for_callers(Permission.OFFERS_READ), id="offers.count", features=_MARKETPLACE)
def count(request: ApiRequest[Deps], params: NoParams) -> OfferCountAnswer:
    """Count the active offers that the caller sees."""
    return OfferCountAnswer(count=offer_lists.count_offers(request.deps, request.access))


@routes.get("/admin/offers/counts", for_staff(Permission.OFFERS_READ), id="admin.offers.counts", features=_MARKETPLACE)
def count_by(request: ApiRequest[Deps], params: CountOffersBy) -> OfferCountsAnswer:
    """Count the offers of categories or sources that the caller sees, of every status."""
    kind = _LABELS[params.by]
    return OfferCountsAnswer(
        counts=offer_lists.count_by_label(request.deps, request.access, kind, sorted(set(_lower(params.ids))))
    )


@routes.get("/goals", for_callers(Permission.OFFERS_READ), id="goals.list")
def goals(request: ApiRequest[Deps], _params: NoParams) -> GoalsAnswer:
    """List the goals that the offers pay which the caller may see."""
    return GoalsAnswer(goals=[_goal_view(goal) for goal in list_goals(request.deps, request.access)])


def _goal_view(goal: PaidGoal) -> GoalView:
    is_number = goal.value.isascii() and goal.value.isdecimal() and len(goal.value) < 10
    return GoalView(id=int(goal.value) if is_number else 0, title=goal.title, value=goal.value)


@routes.get("/offer/{id}", for_callers(Permission.OFFERS_READ), id="offer.get", find=find)
def get(request: ApiRequest[Deps], params: NoParams) -> OneOfferAnswer | AffiliateOfferAnswer:
    """Show an offer in its full form, to an affiliate without the advertiser's side.

    An affiliate finds an offer that is not active only when it is connected to it. To staff the answer warns of
    visitors that get through without a payment that matches.
    """
    if isinstance(request.caller, AffiliateCaller):
        view_context = ViewContext(request.caller.id, request.deps, request.version)
        return AffiliateOfferAnswer(offer=full_affiliate_offer_view(request.subject, view_context))
    writable = writable_scope(request.deps, request.caller, Permission.OFFERS_WRITE)
    for sentence in unpaid_sentences(request.deps, request.subject.offers[0].offer.id):
        request.warn(sentence)
    return OneOfferAnswer(offer=offer_view(request.subject, request.deps, writable))


@routes.get("/partner/offers", for_callers(Permission.OFFERS_CONNECT), id="partner.offers.list", features=_MARKETPLACE)
def list_own(request: ApiRequest[Deps], params: ListOwnOffers) -> AffiliateOffersAnswer:
    """List the active offers that an affiliate sees.

    These are public and protected ones, and private ones when it is connected.
    """
    return _own(request, params, live=False)


@routes.get("/partner/live-offers", for_callers(Permission.OFFERS_CONNECT), id="partner.live-offers.list")
def list_live(request: ApiRequest[Deps], params: ListOwnOffers) -> AffiliateOffersAnswer:
    """List the offers that an affiliate may send traffic to now.

    It is connected to them or they are public, within their dates and schedule.
    """
    return _own(request, params, live=True)


def _own(request: ApiRequest[Deps], params: ListOwnOffers, *, live: bool) -> AffiliateOffersAnswer:
    affiliate_id, found = offer_lists.list_for_affiliate_and_auto_connect(
        request.deps,
        request.access,
        params.pid,
        params.filters(),
        _order(params.sort),
        live=live,
        **params.place(request),
    )
    views = affiliate_offer_views(found, ViewContext(affiliate_id, request.deps, request.version))
    place = params.pagination(request, found.total)
    return AffiliateOffersAnswer(offers=views, pagination=place)


def _order(sort: dict[str, str]) -> OfferOrder:
    return [(name, direction.lower() == "desc") for name, direction in sort.items()]


def _set_filters(**filters: Iterable[Any]) -> OfferFilters:
    """Return the filters that have values."""
    found = {name: frozenset(values) for name, values in filters.items()}
    return {name: values for name, values in found.items() if values}


def _lower(values: tuple[str, ...]) -> Iterator[str]:
    return (value.strip().lower() for value in values)


def _upper(values: tuple[str, ...]) -> Iterator[str]:
    return (value.strip().upper() for value in values)
