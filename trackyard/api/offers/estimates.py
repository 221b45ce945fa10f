"""What an edit of an offer would have changed (docs/spec/offers.md#estimates)."""

from zoneinfo import ZoneInfo

from pydantic import Field

from trackyard.actions.deps import Deps
from trackyard.actions.offers.estimates import (
    ESTIMATED_DAYS,
    check_edited_click,
    estimate_clicks,
    estimate_conversions,
)
from trackyard.actions.offers.offers import get_editable_id
from trackyard.actions.tracking.click_check import SampleClick
from trackyard.api.lookups import in_scope_by_reference
from trackyard.api.offers.params import EditOffer
from trackyard.api.tracking.click_check import ClickCheckAnswer, Parameter, check_view, plain_address
from trackyard.domain.offers.edits import WrittenFields
from trackyard.domain.offers.estimates import TermsOutcome
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Keyed
from trackyard.wire.response.envelope import Answer, Money, View, number
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()


class TermsOutcomeView(View):
    """What terms make of the judged conversions. Amounts are in the platform's currency."""

    conversions: int
    declined: int
    on_hold: int
    charge: Money
    payout: Money


class ConversionEstimateView(View):
    """The conversions of the period by the present terms, and by the edited terms."""

    days: int
    total: int
    judged: int
    before: TermsOutcomeView
    after: TermsOutcomeView


class LostClicksView(View):
    """Clicks that the edit would have rejected for a reason."""

    reason: str
    clicks: int


class ClickEstimateView(View):
    """The clicks of the period by the present rules, and by the edited rules."""

    days: int
    total: int
    judged: int
    passed_before: int
    passed_after: int
    gained: int
    lost: int
    lost_by_reason: list[LostClicksView]


class CheckEditedClick(EditOffer):
    """Changes of an offer, and a click to try on it.

    click_params: the parameters of the link, such as pid and sub1; the path selects the offer.
    click_ip, click_ua: the visitor's IP address and user agent.
    """

    click_params: Keyed[str, Parameter] = Field(default_factory=dict)
    click_ip: s.IpAddress | None = None
    click_ua: Parameter = ""

    def written(self, zone: ZoneInfo) -> WrittenFields:
        """Return the sent fields of the offer. zone: the platform's, for times."""
        return {name: value for name, value in super().written(zone).items() if not name.startswith("click_")}

    def sample(self, offer_id: int, now_ms: int) -> SampleClick:
        """Return the click on the offer."""
        params = self.click_params | {"offer_id": str(offer_id)}
        return SampleClick(params, plain_address(self.click_ip or ""), self.click_ua, {}, now_ms)


class ConversionEstimateAnswer(Answer):
    """The effect of an edit on conversions."""

    estimate: ConversionEstimateView


class ClickEstimateAnswer(Answer):
    """The effect of an edit on clicks."""

    estimate: ClickEstimateView


@routes.post(
    "/admin/offer/{id}/estimate/conversions",
    for_staff(Permission.STATS_CONVERSION),
    id="admin.offer.estimate.conversions",
    find=in_scope_by_reference(get_editable_id),
    not_replayable=True,
    report=True,
)
def of_conversions(request: ApiRequest[Deps], params: EditOffer) -> ConversionEstimateAnswer:
    """Estimate what an edit of an offer would have changed in its conversions of the last 30 days.

    The edit is not made. Payments, personal payments, session lengths and the hold are judged; a conversion keeps its
    sum, its sent status and the commission tiers that it reached. At most the newest 2,000 conversions are judged.
    """
    found = estimate_conversions(request.deps, request.access, request.subject, params.written(request.deps.zone))
    view = view_of(
        ConversionEstimateView,
        found,
        days=ESTIMATED_DAYS,
        before=_outcome_view(found.before),
        after=_outcome_view(found.after),
    )
    return ConversionEstimateAnswer(estimate=view)


@routes.post(
    "/admin/offer/{id}/estimate/clicks",
    for_staff(Permission.STATS_CLICKS),
    id="admin.offer.estimate.clicks",
    find=in_scope_by_reference(get_editable_id),
    not_replayable=True,
    report=True,
)
def of_clicks(request: ApiRequest[Deps], params: EditOffer) -> ClickEstimateAnswer:
    """Estimate how an edit of an offer would have changed the decisions on its clicks of 30 days.

    The edit is not made. Recorded clicks, accepted or not, are decided by the rules of today and by the rules of the
    edit, without repeated visitors and caps. Of more than 2,000 clicks a sample is judged.
    """
    found = estimate_clicks(request.deps, request.access, request.subject, params.written(request.deps.zone))
    reasons = [LostClicksView(reason=reason, clicks=count) for reason, count in found.reasons.items()]
    return ClickEstimateAnswer(estimate=view_of(ClickEstimateView, found, days=ESTIMATED_DAYS, lost_by_reason=reasons))


@routes.post(
    "/admin/offer/{id}/click-check",
    for_staff(Permission.STATS_CLICKS),
    id="admin.offer.click-check",
    find=in_scope_by_reference(get_editable_id),
    not_replayable=True,
)
def of_click(request: ApiRequest[Deps], params: CheckEditedClick) -> ClickCheckAnswer:
    """Check what the rules of an edit of an offer would decide on a click.

    The edit is not made, and the click is not recorded. The answer is the same as of `POST /admin/click-check`.
    """
    deps = request.deps
    sample = params.sample(request.subject, deps.clock.now_ms())
    checked = check_edited_click(deps, request.access, request.subject, params.written(deps.zone), sample)
    return ClickCheckAnswer(check=check_view(checked, deps.zone))


def _outcome_view(outcome: TermsOutcome) -> TermsOutcomeView:
    return view_of(TermsOutcomeView, outcome, charge=number(outcome.charge), payout=number(outcome.payout))
