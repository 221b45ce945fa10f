"""Costs of advertising, for staff (docs/spec/statistics.md#ad-costs)."""

from typing import Annotated

from trackyard.actions.deps import Deps
from trackyard.actions.statistics import ad_costs
from trackyard.api.paging import Paging, TotalPagination
from trackyard.base.errors import BadInput
from trackyard.domain.people.roles import Permission
from trackyard.domain.statistics.ad_costs import AdCost, AdCostKey
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Params
from trackyard.wire.response.envelope import Answer, Money, View, number
from trackyard.wire.response.errors import REQUIRED

routes = Routes[Deps]()
_WRITERS = for_staff(Permission.CONVERSIONS_WRITE)


class ListAdCosts(Paging):
    """The offer of the costs."""

    offer_id: s.Id


class AdCostPlace(Params):
    """What a cost was paid for: an affiliate's clicks on an offer, on a day, with a value of sub8.

    no_sub8: the clicks have none, and sub8 is not sent.
    """

    offer_id: s.Id
    affiliate_id: s.Id
    date: s.Day
    sub8: Annotated[str, s.BoundedText(minimum=1, maximum=500)] | None = None
    no_sub8: s.Flag = False

    def chosen_sub8(self) -> str:
        """Return the value of sub8, "" for clicks without one. Raises BadInput."""
        if self.sub8 is None and not self.no_sub8:
            raise BadInput({"sub8": [REQUIRED]})
        if self.sub8 is not None and self.no_sub8:
            raise BadInput({"no_sub8": ["Send either sub8, or no_sub8=1 for clicks without one."]})
        return self.sub8 or ""


class SetAdCost(AdCostPlace):
    """A cost in the platform's currency."""

    costs: s.Amount


class AdCostView(View):
    """A cost in the platform's currency."""

    offer_id: int
    affiliate_id: int
    date: str
    sub8: str
    costs: Money


class AdCostsAnswer(Answer):
    """A page of costs."""

    costs: list[AdCostView]
    pagination: TotalPagination


class AdCostMessageAnswer(Answer):
    """A sentence about what was done."""

    message: str


@routes.get("/adcosts", for_staff(Permission.STATS_COMMON), id="adcosts.list")
def list_(request: ApiRequest[Deps], params: ListAdCosts) -> AdCostsAnswer:
    """List the costs of an offer, the newest days first.

    Managers see records of their own affiliates or advertisers.
    """
    place = params.place(request)
    found, total = ad_costs.list_costs(request.deps, request.access, params.offer_id, **place)
    views = [
        AdCostView(
            offer_id=each.offer_id,
            affiliate_id=each.affiliate_id,
            date=each.day,
            sub8=each.sub8,
            costs=number(each.cost),
        )
        for each in found
    ]
    return AdCostsAnswer(costs=views, pagination=TotalPagination(**place, total=total, per_page=place["limit"]))


@routes.post("/adcosts", _WRITERS, id="adcosts.set")
def set_(request: ApiRequest[Deps], params: SetAdCost) -> AdCostMessageAnswer:
    """Store the cost of an affiliate's clicks on an offer, on a day, with a value of sub8.

    A cost of the same offer, affiliate, day and sub8 is replaced. Statistics have it at once.
    """
    new = AdCost(params.offer_id, params.affiliate_id, params.date.isoformat(), params.chosen_sub8(), params.costs)
    ad_costs.set_cost(request.deps, request.access, new)
    return AdCostMessageAnswer(message="adcost has been added successfully")


@routes.delete("/adcosts", _WRITERS, id="adcosts.remove")
def remove(request: ApiRequest[Deps], params: AdCostPlace) -> AdCostMessageAnswer:
    """Remove a cost. Statistics lose it at once. 404 for one that does not exist."""
    key = AdCostKey(params.offer_id, params.affiliate_id, params.date.isoformat(), params.chosen_sub8())
    ad_costs.remove_cost(request.deps, request.access, key)
    return AdCostMessageAnswer(message="adcost has been removed successfully")
