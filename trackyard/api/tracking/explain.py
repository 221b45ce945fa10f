"""Explanations of ids, and why a conversion is missing.

See docs/spec/platform.md#explanations.
"""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Final
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.tracking import explain as explanations
from trackyard.actions.tracking.explain import (
    ExplainedConversion,
    ExplainedDelivery,
    ExplainedPostback,
    Explanation,
    SoughtId,
)
from trackyard.api.conversions.filters import shown_status
from trackyard.api.tracking.click_check import ClickCheckView, RecordedClickView, check_view, recorded_view
from trackyard.api.tracking.explain_conclusions import conclusions_of
from trackyard.api.tracking.logs import HistoryEntry, history_entry
from trackyard.base.masks import mask_url
from trackyard.base.zones import datetime_text
from trackyard.domain.conversions.lists import ListedConversion
from trackyard.domain.people.roles import Permission
from trackyard.domain.statistics.rows import AffiliatePostbackLog
from trackyard.domain.tracking.forgiven import forgiven_text
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Params
from trackyard.wire.response.envelope import Answer, Money, View, number
from trackyard.wire.response.guards import CONVERSIONS, DELIVERIES, INBOUND_POSTBACKS, Guard
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()

_CUT: Final = "Only the newest {} are shown."
_CONCLUSIONS: Final[Mapping[str, Guard]] = {
    "action": CONVERSIONS,
    "conversion": CONVERSIONS,
    "delivery": DELIVERIES,
    "postback": INBOUND_POSTBACKS,
}
"""What a conclusion is about, the first part of its code, to what its reader needs."""


class ExplainId(Params):
    """The id to explain.

    advertiser, offer: narrow the id of an action that several conversions have.
    """

    id: Annotated[str, s.BoundedText(minimum=1, maximum=8192, strips=True)]
    advertiser: s.Hex | None = None
    offer: s.Id | None = None


class ConclusionView(View):
    """A conclusion. code: stays the same between releases."""

    code: str
    sentence: str
    advice: str


class ExplainedConversionView(View):
    """A conversion and its states. hold_date_expire: null when it does not end by itself."""

    id: str
    created_at: str
    offer_id: int
    pid: int
    advertiser_id: str
    click_id: str
    action_id: str
    goal: str
    status: str
    revenue: Money
    payouts: Money
    currency: str
    comment: str
    hold_date_expire: str | None
    history: list[HistoryEntry]


class ExplainedPostbackView(View):
    """An inbound postback.

    state: decided, queued, waiting (for its click) or quarantined.
    response: "" when it made or changed a conversion, or is not decided.
    click_id: as it was sent, cut after 24 characters.
    get, post: its query and body, codes as ***.
    """

    id: str
    created_at: str
    state: str
    response: str
    method: str
    ip: str
    get: str
    post: str
    click_id: str
    goal: str
    action_id: str
    conversion_id: str | None
    forgiven: str


class DeliveryAttemptView(View):
    """An attempt of a delivery. http_code: 0 = no answer. answer: its first bytes."""

    id: str
    created_at: str
    milliseconds: int
    http_code: int
    outcome: str
    error: str
    answer: str
    forced: int


class ExplainedDeliveryView(View):
    """A delivery to an affiliate.

    status: the status of the conversion that it reports.
    url: has *** instead of login and secret parameters.
    outcome: the outcome of the last attempt, or waiting, failed or parked while it is queued.
    next_at: the time of the next attempt, null without one.
    """

    job_id: str
    conversion_id: str
    version: int
    postback_id: int
    status: str
    url: str
    outcome: str
    next_at: str | None
    attempts: list[DeliveryAttemptView]


class ExplanationView(View):
    """All that belongs to an id.

    kind: click, conversion, action, inbound_postback or delivery.
    candidates: the conversions of several clicks that have this id of an action; the other lists are empty then.
    click: null when none is recorded; today: the decision by the present rules.
    postbacks_without_click: the last postbacks without a click, when this click has no postback; for callers without a
    scope.
    """

    guarded: ClassVar[Mapping[str, Guard]] = {
        "candidates": CONVERSIONS,
        "conversions": CONVERSIONS,
        "postbacks": INBOUND_POSTBACKS,
        "postbacks_without_click": INBOUND_POSTBACKS,
        "deliveries": DELIVERIES,
    }

    kind: str
    click_id: str | None
    conclusions: list[ConclusionView]
    candidates: list[ExplainedConversionView]
    click: RecordedClickView | None
    today: ClickCheckView | None
    conversions: list[ExplainedConversionView]
    postbacks: list[ExplainedPostbackView]
    postbacks_without_click: list[ExplainedPostbackView]
    deliveries: list[ExplainedDeliveryView]


class ExplanationAnswer(Answer):
    """An explanation. It is null when nothing that the caller may see has the id."""

    explanation: ExplanationView | None


@routes.get("/admin/explain", for_staff(Permission.STATS_CLICKS), id="admin.explain", report=True)
def explain(request: ApiRequest[Deps], params: ExplainId) -> ExplanationAnswer:
    """Follow an id to the click, its decision, conversions, postbacks and deliveries.

    The id belongs to a click, a conversion, an inbound postback, a delivery or one of its attempts, or the advertiser's
    id of an action. The conclusions say in words why a conversion is missing or not paid.
    """
    sought = SoughtId(params.id, params.advertiser or "", params.offer or 0)
    found = explanations.find_explanation(request.deps, request.access, sought)
    if found is None:
        return ExplanationAnswer(explanation=None)
    for name in found.cut:
        request.warn(_CUT.format(name))
    return ExplanationAnswer(explanation=_view(found, request))


def _sees_conclusion(request: ApiRequest[Deps], code: str) -> bool:
    """Return whether a caller sees the conclusion of a code: it sees what the conclusion is about."""
    guard = _CONCLUSIONS.get(code.partition("-")[0])
    return guard is None or guard.admits(request.caller)


def _view(found: Explanation, request: ApiRequest[Deps]) -> ExplanationView:
    zone, version = request.deps.zone, request.version
    return ExplanationView(
        kind=found.kind.value,
        click_id=found.click_id or None,
        conclusions=[
            view_of(ConclusionView, each)
            for each in conclusions_of(found, zone, request.deps.clock.now_ms(), request.deps.retention_policy)
            if _sees_conclusion(request, each.code)
        ],
        candidates=[_conversion_view(each, [], zone, version) for each in found.candidates],
        click=None if found.click is None else recorded_view(found.click, zone),
        today=None if found.today is None else check_view(found.today, zone),
        conversions=[_explained_conversion(each, zone, version) for each in found.conversions],
        postbacks=[_postback_view(each, zone) for each in found.postbacks],
        postbacks_without_click=[_postback_view(each, zone) for each in found.without_click],
        deliveries=[_delivery_view(each, zone, version) for each in found.deliveries],
    )


def _explained_conversion(explained: ExplainedConversion, zone: ZoneInfo, version: str) -> ExplainedConversionView:
    history = [history_entry(each, zone) for each in explained.history]
    return _conversion_view(explained.conversion, history, zone, version)


def _conversion_view(
    listed: ListedConversion, history: list[HistoryEntry], zone: ZoneInfo, version: str
) -> ExplainedConversionView:
    return view_of(
        ExplainedConversionView,
        listed,
        created_at=datetime_text(listed.created_at, zone),
        pid=listed.affiliate_id,
        status=shown_status(listed.status, version),
        revenue=number(listed.charge),
        payouts=number(listed.payout),
        hold_date_expire=None if listed.hold_until is None else datetime_text(listed.hold_until, zone),
        history=history,
    )


def _postback_view(postback: ExplainedPostback, zone: ZoneInfo) -> ExplainedPostbackView:
    return view_of(
        ExplainedPostbackView,
        postback,
        created_at=datetime_text(postback.time, zone),
        state=postback.state.value,
        get=postback.query,
        post=postback.body,
        click_id=postback.sent_click_id,
        conversion_id=postback.conversion_id or None,
        forgiven=forgiven_text(postback.forgiven),
    )


def _delivery_view(delivery: ExplainedDelivery, zone: ZoneInfo, version: str) -> ExplainedDeliveryView:
    return view_of(
        ExplainedDeliveryView,
        delivery,
        status=shown_status(delivery.status, version),
        url=mask_url(delivery.url),
        next_at=None if delivery.next_at is None else datetime_text(delivery.next_at, zone),
        attempts=[_attempt_view(each, zone) for each in delivery.attempts],
    )


def _attempt_view(attempt: AffiliatePostbackLog, zone: ZoneInfo) -> DeliveryAttemptView:
    return view_of(DeliveryAttemptView, attempt, created_at=datetime_text(attempt.started_at or attempt.time, zone))
