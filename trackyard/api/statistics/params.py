"""Parameters that statistics share (docs/spec/statistics.md#filters)."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Any

from pydantic import model_validator

from trackyard.api.every_sub import with_every_sub
from trackyard.api.paging import Paging
from trackyard.api.statistics.times import bounded_span
from trackyard.base.ids import is_number, lowercase_ids
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.quality.origins import ORIGIN_CHOICES, origins_with
from trackyard.domain.statistics.reports import Report, Values
from trackyard.domain.statistics.slices import SLICES
from trackyard.domain.statistics.switches import Switches
from trackyard.domain.tracking.subs import SUBS
from trackyard.wire.endpoint import ApiRequest
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import CommaList, Only, Params, Seq

Direction = Annotated[str, s.Choice(("asc", "desc"))]
Locale = Annotated[str, s.Choice(("ru", "en", "es"))]
Origin = Annotated[str, s.Choice(ORIGIN_CHOICES)]


_TAGS = ("advertiser_tag", "affiliate_tag", "offer_tag")


class ReducedFilter(Params):
    """The filters of every report.

    A filter with a value that does not exist selects nothing.
    not_…: rows that match any of these values are left out.
    """

    date_from: s.Day
    date_to: s.Day
    advertiser: Annotated[Seq[s.Text], Only(admin=True)] = ()
    offer: Seq[s.Int] = ()
    partner: Annotated[Seq[s.Text], Only(admin=True)] = ()
    country: Seq[s.Text] = ()
    os: Seq[s.Text] = ()
    device: Seq[s.Text] = ()
    advertiser_tag: Annotated[CommaList[s.Text], Only(admin=True, since="3.1")] = ()
    affiliate_tag: Annotated[CommaList[s.Text], Only(admin=True, since="3.1")] = ()
    offer_tag: Annotated[CommaList[s.Text], Only(since="3.1")] = ()
    not_offer_id: Seq[s.Int] = ()
    not_advertiser_id: Annotated[Seq[s.Text], Only(admin=True)] = ()
    not_affiliate_id: Annotated[Seq[s.Text], Only(admin=True)] = ()
    not_country: Seq[s.Text] = ()
    not_advertiser_tag: Annotated[CommaList[s.Text], Only(admin=True)] = ()
    not_affiliate_tag: Annotated[CommaList[s.Text], Only(admin=True)] = ()
    not_offer_tag: CommaList[s.Text] = ()

    def filters(self) -> dict[str, Values]:
        """Return the given filters by column of the analytic store."""
        sent = {"advertiser": self.advertiser, "offer": self.offer, "affiliate": self.partner, "country": self.country}
        found = {name: _stored(name, values) for name, values in sent.items() if values}
        return found | {name: getattr(self, name) for name in ("os", "device") if getattr(self, name)}

    def excluded(self) -> dict[str, Values]:
        """Return the excluded values by column of the analytic store. An empty list excludes nothing."""
        ids = {name: getattr(self, f"not_{name}_id") for name in ("advertiser", "offer", "affiliate")}
        excluded = {name: _stored(name, values) for name, values in (ids | {"country": self.not_country}).items()}
        return {name: values for name, values in excluded.items() if values}

    def groups(self) -> dict[str, tuple[str, ...]]:
        """Return the managers and tags that the report is narrowed by."""
        return {name: getattr(self, name) for name in _TAGS if getattr(self, name)}

    def excluded_groups(self) -> dict[str, tuple[str, ...]]:
        """Return the managers and tags that are left out."""
        return {name: getattr(self, f"not_{name}") for name in _TAGS if getattr(self, f"not_{name}")}


@with_every_sub
class CommonFilter(ReducedFilter):
    """The filters of every report but trafficback."""

    currency: Seq[s.Currency] = ()
    manager: Seq[s.Text] = ()
    advertiser_manager_id: Annotated[Seq[s.Text], Only(admin=True, since="3.1")] = ()
    goal: Seq[s.Text] = ()
    sub1: Seq[s.LongText] = ()
    sub6: Annotated[Seq[s.LongText], Only(since="3.1")] = ()
    sub7: Annotated[Seq[s.LongText], Only(since="3.1")] = ()
    sub8: Annotated[Seq[s.LongText], Only(since="3.1")] = ()
    not_affiliate_manager_id: Seq[s.Text] = ()
    not_advertiser_manager_id: Annotated[Seq[s.Text], Only(admin=True)] = ()
    not_smartlink_id: Seq[s.Text] = ()
    origin: Annotated[Seq[Origin], Only(admin=True)] = ()
    not_origin: Annotated[Seq[Origin], Only(admin=True)] = ()

    def filters(self) -> dict[str, Values]:
        """Return the given filters by column of the analytic store."""
        names = ("currency", "goal", *SUBS)
        found = super().filters() | {name: getattr(self, name) for name in names if getattr(self, name)}
        return found | ({"origin": origins_with(self.origin)} if self.origin else {})

    def excluded(self) -> dict[str, Values]:
        """Return the excluded values by column of the analytic store."""
        smartlinks = lowercase_ids(self.not_smartlink_id)
        found = super().excluded() | ({"smart_id": smartlinks} if smartlinks else {})
        return found | ({"origin": origins_with(self.not_origin)} if self.not_origin else {})

    def groups(self) -> dict[str, tuple[str, ...]]:
        """Return the managers and tags that the report is narrowed by."""
        return super().groups() | _managers(self.manager, self.advertiser_manager_id)

    def excluded_groups(self) -> dict[str, tuple[str, ...]]:
        """Return the managers and tags that are left out."""
        return super().excluded_groups() | _managers(self.not_affiliate_manager_id, self.not_advertiser_manager_id)


class OfferReportFilter(CommonFilter):
    """The filters of reports that need an offer."""

    offer: Seq[s.Int]


class ReducedParams(Paging):
    """Parameters of the trafficback report."""

    filter: ReducedFilter
    locale: Locale = "en"
    timezone: s.Zone | None = None
    orderType: Direction = "asc"

    @model_validator(mode="before")
    @classmethod
    def _name_what_is_missing(cls, tree: Any) -> Any:
        """Make the faults of a request without filters name each required filter."""
        return tree | {"filter": {}} if isinstance(tree, dict) and not tree.get("filter") else tree

    def report(self, request: ApiRequest[Any], dimensions: tuple[str, ...], switches: Switches) -> Report:
        """Return the report. Raises BadInput for a wrong or too long period."""
        zone = self.timezone or request.deps.zone
        fine = any(SLICES[name].is_heavy for name in dimensions)
        since, until = bounded_span(
            request.deps, self.filter.date_from, self.filter.date_to, zone, fine=fine, name="filter[date_to]"
        )
        return Report(
            Scope.nothing(),
            since,
            until,
            dimensions,
            filters=self.filter.filters(),
            excluded=self.filter.excluded(),
            groups=self.filter.groups(),
            excluded_groups=self.filter.excluded_groups(),
            zone=zone.key,
            descending=self.orderType == "desc",
            separate_not_found=request.version == "3.0",
            by_payout=switches.by_payout,
            **self.place(request),
            locale=self.locale,
        )


def _managers(of_affiliates: Iterable[str], of_advertisers: Iterable[str]) -> dict[str, tuple[str, ...]]:
    named = {"affiliate_manager": of_affiliates, "advertiser_manager": of_advertisers}
    return {name: lowercase_ids(ids) for name, ids in named.items() if ids}


def _stored(name: str, values: tuple[Any, ...]) -> Values:
    """Return the values of a filter as they are stored. A text that is not a number selects no affiliate."""
    if name == "advertiser":
        return lowercase_ids(values)
    if name == "affiliate":
        return tuple(int(text) for text in values if is_number(text) and len(text) < 10)
    return tuple(code.upper() for code in values) if name == "country" else values


class CommonParams(ReducedParams):
    """Parameters of the grouped reports. in_currency: what amounts are converted to, None = not at all."""

    filter: CommonFilter
    in_currency: s.Currency | None = None

    def report(self, request: ApiRequest[Any], dimensions: tuple[str, ...], switches: Switches) -> Report:
        """Return the report. Raises BadInput for a wrong or too long period."""
        report = super().report(request, dimensions, switches)
        return replace(report, in_currency=self.in_currency or "")


class OfferReportParams(CommonParams):
    """Parameters of the report by sub."""

    filter: OfferReportFilter
