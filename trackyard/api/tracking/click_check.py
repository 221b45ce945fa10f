"""Checks of clicks (docs/spec/tracking.md#the-decision-on-a-click)."""

from ipaddress import ip_address
from typing import Annotated, Final
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import Field

from trackyard.actions.deps import Deps
from trackyard.actions.offers.lists import get_visible_offer
from trackyard.actions.tracking.click_check import (
    ClickCheck,
    SampleClick,
    check_click,
    explain_click,
)
from trackyard.api.lookups import in_scope_by_hex, in_scope_by_reference
from trackyard.api.statistics.times import utc_ms
from trackyard.base.errors import BadInput
from trackyard.base.zones import datetime_text
from trackyard.decision.target.queries import read_query_params
from trackyard.domain.people.roles import Permission
from trackyard.domain.statistics.quality.origins import origin_text
from trackyard.domain.tracking.forgiven import forgiven_text
from trackyard.domain.tracking.links import unpack
from trackyard.domain.tracking.near_misses import forgive_link, target_among
from trackyard.domain.tracking.rejections import Rejection, is_rejected
from trackyard.journal.records import Click, ClickFlag
from trackyard.wire.endpoint import ApiRequest, Routes, for_affiliates, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Keyed, NoParams, Params
from trackyard.wire.response.envelope import Answer, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()

_NO_REJECTION: Final = Rejection("")
_LINKS: Final = ("/click", "/sl")
_NO_LINK: Final = "This value must be a link of a click: …/click?pid=…&offer_id=…, its short form or …/sl?pid=…&id=…."

Parameter = Annotated[str, s.BoundedText(maximum=8192)]
"""As long as an edge reads it; it is cut where an edge cuts."""


class CheckClick(Params):
    """A click to try.

    url: a tracking link, a short link or a SmartLink; `params` replaces parameters of the same name.
    ip, ua: the visitor's IP address and user agent.
    headers: other headers of the browser, such as Referer, Sec-CH-UA-Platform or Purpose.
    time: a time in the platform's zone; without it now.
    """

    url: Annotated[str, s.BoundedText(maximum=8192)] = ""
    params: Keyed[str, Parameter] = Field(default_factory=dict)
    ip: s.IpAddress | None = None
    ua: Parameter = ""
    headers: Keyed[str, Parameter] = Field(default_factory=dict)
    time: s.Moment | None = None

    def sample(self, request: ApiRequest[Deps]) -> SampleClick:
        """Return the click. Raises BadInput for a URL that is not a tracking link."""
        smart, linked = _link_of(self.url)
        params = linked | self.params
        if smart:
            params.pop("offer_id", None)  # the SmartLink chooses it
        return SampleClick(
            params=params,
            ip=plain_address(self.ip or ""),
            ua=self.ua,
            headers={name.lower().encode(): value.encode() for name, value in self.headers.items()},
            at=request.deps.clock.now_ms() if self.time is None else utc_ms(self.time, request.deps.zone),
            smart=smart,
        )


class ClickStepView(View):
    """The result of one step.

    name: the rejection reason of the step.
    verdict: passed, refused, or not asked where an earlier step decided.
    detail: the deciding value.
    """

    name: str
    verdict: str
    detail: str


class VisitorView(View):
    """The visitor; an unknown text is "", an unknown number 0."""

    ip: str
    country: str
    region_id: int
    city_id: int
    city: str
    isp: str
    connection_type: str
    proxy: bool
    os: str
    os_version: str
    browser: str
    browser_version: str
    device: str
    brand: str
    device_model: str
    bot: bool
    origin: str


class SmartLinkOfferResultView(View):
    """An offer of a SmartLink. reason: of its rejection, "" when it takes the click."""

    offer_id: int
    reason: str
    detail: str


class ClickCheckView(View):
    """The result of a check.

    reason: the reason of the first step that rejects, "" when the click passes.
    target: the URL of the redirect, null for the page about an offer that is not available.
    smart_id: the SmartLink, "" = none.
    smart_offers: its offers, the best EPC first. The first that takes the click has it, but for one click in five, for
    which their order is by chance.
    """

    passes: bool
    reason: str
    detail: str
    target: str | None
    redirect_type: str
    offer_id: int | None
    pid: int | None
    time: str
    visitor: VisitorView
    steps: list[ClickStepView]
    smart_id: str
    smart_offers: list[SmartLinkOfferResultView]


class RecordedClickView(View):
    """A recorded click and the decision on it."""

    id: str
    created_at: str
    passed: bool
    reason: str
    detail: str
    offer_id: int
    pid: int
    advertiser_id: str
    landing_id: int
    prelanding_id: int
    smart_id: str
    uniq: int
    referrer: str
    flags: list[str]
    origin: str
    forgiven: str


class CheckOwnClick(Params):
    """A click on one's own link, to try.

    params: the parameters of the link, such as sub1 or l. The caller gives pid, and the path gives offer_id.
    ip, ua: the visitor's IP address and user agent.
    """

    params: Keyed[str, Parameter] = Field(default_factory=dict)
    ip: s.IpAddress | None = None
    ua: Parameter = ""


class OwnClickCheckView(View):
    """The result of a check, for an affiliate.

    reason: the reason of the first step that rejects, "" when the click passes.
    target: the URL that the visitor goes to, without its parameters; null for the page about an offer that is not
    available.
    """

    passes: bool
    reason: str
    target: str | None
    visitor: VisitorView


class OwnClickCheckAnswer(Answer):
    """A click that was tried."""

    check: OwnClickCheckView


class ClickCheckAnswer(Answer):
    """A click that was tried."""

    check: ClickCheckView


class ClickExplanationAnswer(Answer):
    """A recorded click and its decision, and the decision by the rules of today."""

    click: RecordedClickView
    today: ClickCheckView


@routes.post("/admin/click-check", for_staff(Permission.STATS_CLICKS), id="admin.click-check", not_replayable=True)
def check(request: ApiRequest[Deps], params: CheckClick) -> ClickCheckAnswer:
    """Try a click and show the result of each step of the decision. Nothing is counted or recorded."""
    checked = check_click(request.deps, request.access, params.sample(request))
    return ClickCheckAnswer(check=check_view(checked, request.deps.zone))


@routes.post(
    "/partner/offer/{id}/click-check",
    for_affiliates(Permission.OFFERS_READ),
    id="partner.offer.click-check",
    find=in_scope_by_reference(get_visible_offer),
    not_replayable=True,
)
def check_own(request: ApiRequest[Deps], params: CheckOwnClick) -> OwnClickCheckAnswer:
    """Try a click on one's own link of an offer. Nothing is counted or recorded."""
    own = {"offer_id": str(request.subject.offer.id), "pid": str(request.access.affiliate_id)}
    sample = SampleClick(
        params={**params.params, **own},
        ip=plain_address(params.ip or ""),
        ua=params.ua,
        headers={},
        at=request.deps.clock.now_ms(),
    )
    checked = check_click(request.deps, request.access, sample)
    return OwnClickCheckAnswer(
        check=OwnClickCheckView(
            passes=checked.rejection is None,
            reason="" if checked.rejection is None else checked.rejection.reason,
            target=None if checked.url is None else _plain_url(checked.url),
            visitor=_visitor_view(checked),
        )
    )


@routes.get(
    "/admin/click/{id}/explain",
    for_staff(Permission.STATS_CLICKS),
    id="admin.click.explain",
    find=in_scope_by_hex(explain_click),
)
def explain(request: ApiRequest[Deps], _params: NoParams) -> ClickExplanationAnswer:
    """Explain the decision on a recorded click. The answer shows the decision by the rules of today too."""
    found, zone = request.subject, request.deps.zone
    return ClickExplanationAnswer(click=recorded_view(found.click, zone), today=check_view(found.today, zone))


def recorded_view(click: Click, zone: ZoneInfo) -> RecordedClickView:
    """Return the view of a recorded click."""
    return view_of(
        RecordedClickView,
        click,
        created_at=datetime_text(click.time, zone),
        passed=not is_rejected(click.reason),
        offer_id=click.offer,
        pid=click.affiliate,
        advertiser_id=click.advertiser,
        landing_id=click.landing,
        prelanding_id=click.prelanding,
        flags=[flag.name.lower() for flag in ClickFlag if click.flags & flag],
        origin=origin_text(click.origin),
        forgiven=forgiven_text(click.forgiven),
    )


def check_view(checked: ClickCheck, zone: ZoneInfo) -> ClickCheckView:
    """Return the view of a tried click."""
    hit = checked.hit
    return view_of(
        ClickCheckView,
        checked.rejection or _NO_REJECTION,
        passes=checked.rejection is None,
        target=checked.url,
        redirect_type=checked.redirect_type,
        offer_id=checked.route.id or None,
        pid=None if hit.affiliate is None else hit.affiliate.id,
        time=datetime_text(hit.time_ms, zone),
        visitor=_visitor_view(checked),
        steps=[view_of(ClickStepView, step, verdict=step.outcome) for step in checked.step_results],
        smart_id=hit.smart_id,
        smart_offers=[
            view_of(SmartLinkOfferResultView, tried, tried.rejection or _NO_REJECTION) for tried in checked.tried
        ],
    )


def _visitor_view(checked: ClickCheck) -> VisitorView:
    hit = checked.hit
    connection = hit.place.connection
    origin = origin_text(hit.origin)
    return view_of(VisitorView, hit.place, hit.agent, ip=hit.ip, bot=hit.bot, connection_type=connection, origin=origin)


def _plain_url(url: str) -> str:
    """Return scheme, host and path of a URL.

    Its query may have codes that the network and the advertiser share (docs/spec/callers.md#visibility-for-affiliates).
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def plain_address(ip: str) -> str:
    """Return an IP address as edges write it: without the IPv6 form of IPv4."""
    mapped = getattr(ip_address(ip), "ipv4_mapped", None) if ip else None
    return ip if mapped is None else str(mapped)


def _link_of(url: str) -> tuple[bool, dict[str, str]]:
    """Return whether a tracking link is a SmartLink, and its parameters; {} for none."""
    if not url:
        return False, {}
    try:
        parts = urlsplit(url)
    except ValueError:  # a host that is none
        raise BadInput({"url": [_NO_LINK]}) from None
    path, query = target_among(parts.path, parts.query.encode(), _LINKS)
    given = _params_of(query.decode())
    forgive_link(given)
    if path in _LINKS:
        return path == "/sl", given
    link = unpack(path[1:])
    if link is None:
        raise BadInput({"url": [_NO_LINK]})
    return False, given | _params_of(link.query)


def _params_of(query: str) -> dict[str, str]:
    """Return the parameters as an edge reads them."""
    return read_query_params(query.encode())[0] if query else {}
