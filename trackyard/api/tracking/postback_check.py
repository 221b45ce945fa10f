"""Checks of inbound postbacks (docs/spec/conversions.md#inbound-postbacks)."""

from typing import Annotated, Final
from urllib.parse import urlsplit

from pydantic import Field

from trackyard.actions.deps import Deps
from trackyard.actions.tracking.postback_check import PostbackCheck, SamplePostback, check_postback
from trackyard.api.statistics.times import text_or_none, utc_ms
from trackyard.api.tracking.click_check import plain_address
from trackyard.base.errors import BadInput
from trackyard.base.zones import datetime_text
from trackyard.decision.target.queries import read_query_params
from trackyard.domain.conversions.pixel_pages import find_page_host
from trackyard.domain.people.roles import Permission
from trackyard.domain.tracking.near_misses import forgive_names, forgive_second_query, target_among
from trackyard.domain.tracking.postback_params import (
    CLICK_ID_NAMES,
    PIXEL_NAMES,
    PIXELS,
    POSTBACK_NAMES,
    canonical_params,
    canonical_pixel_params,
)
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Keyed, Params
from trackyard.wire.response.envelope import Answer, Money, View, number
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()

Parameter = Annotated[str, s.BoundedText(maximum=2048)]

_POSTBACK: Final = "/postback"
_PATHS: Final = frozenset((_POSTBACK, *(f"/{name}" for name in PIXELS)))
_NOT_A_POSTBACK: Final = "This value must be the URL of a call, …/postback?clickid=… or a pixel."


class CheckPostback(Params):
    """An inbound postback to try.

    url: a URL of `/postback` or of a pixel; `params` replaces parameters of the same name.
    referrer: the URL or the host of a pixel's page.
    ip: the sender's IP address.
    method: both methods have the same effect.
    time: a time in the platform's zone; without it now.
    """

    url: Annotated[str, s.BoundedText(maximum=8192)] = ""
    params: Keyed[str, Parameter] = Field(default_factory=dict)
    referrer: Annotated[str, s.BoundedText(maximum=2048)] = ""
    ip: s.IpAddress | None = None
    method: Annotated[str, s.Choice(("GET", "POST"))] = "GET"
    time: s.Moment | None = None

    def sample(self, request: ApiRequest[Deps]) -> SamplePostback:
        """Return the postback. Raises BadInput for a URL of none."""
        return SamplePostback(
            params=_link_params(self.url) | canonical_params(self.params),
            page=self._page(),
            ip=plain_address(self.ip or ""),
            at=request.deps.clock.now_ms() if self.time is None else utc_ms(self.time, request.deps.zone),
        )

    def _page(self) -> str | None:
        """Return the host of the page of a pixel; None for a postback."""
        if not _is_pixel(self.url):
            return None
        return find_page_host("", self.referrer if "//" in self.referrer else f"//{self.referrer}")


class PostbackStepView(View):
    """The result of one step.

    verdict: passed, stopped (the postback has no effect), declined (the conversion is made, and declined), waits (the
    click may still come), or not asked.
    detail: the deciding value.
    """

    name: str
    verdict: str
    detail: str


class ResultingConversionView(View):
    """The conversion after the postback.

    id: a made-up one when the conversion is new.
    hold_date_expire: the time at which a hold ends by itself, null = it does not.
    """

    id: str
    is_new: bool
    status: str
    goal: str
    goal_title: str
    comment: str
    currency: str
    sum: Money
    revenue: Money
    payouts: Money
    hold_date_expire: str | None


class PlannedDeliveryView(View):
    """An outbound postback that would be sent. postback_id: 0 = the offer's cross_postback_url."""

    postback_id: int
    url: str


class PostbackCheckView(View):
    """The result of a check.

    response: as in the server postback log, "" when it makes or changes a conversion.
    params: by canonical name.
    """

    response: str
    method: str
    time: str
    params: dict[str, str]
    click_id: str
    offer_id: int | None
    pid: int | None
    steps: list[PostbackStepView]
    conversion: ResultingConversionView | None
    postbacks: list[PlannedDeliveryView]


class PostbackCheckAnswer(Answer):
    """A tried postback."""

    check: PostbackCheckView


@routes.post(
    "/admin/postback-check", for_staff(Permission.STATS_CONVERSION), id="admin.postback-check", not_replayable=True
)
def check(request: ApiRequest[Deps], params: CheckPostback) -> PostbackCheckAnswer:
    """Try an inbound postback and show the result of each step of the decision.

    The answer shows the conversion that it would make or change, and the deliveries it would cause. Nothing is counted,
    recorded or sent.
    """
    sample = params.sample(request)
    checked = check_postback(request.deps, request.access, sample)
    return PostbackCheckAnswer(
        check=PostbackCheckView(
            response=checked.response,
            method=params.method,
            time=datetime_text(sample.at, request.deps.zone),
            params={name: "***" if name == "secure" else value for name, value in sample.params.items()},
            click_id=sample.params.get("clickid", ""),
            offer_id=None if checked.click is None else checked.click.offer,
            pid=None if checked.click is None else checked.click.affiliate,
            steps=[
                PostbackStepView(name=name, verdict=it.outcome, detail=it.detail)
                for name, it in checked.step_results.items()
            ],
            conversion=_conversion_view(request, checked),
            postbacks=[view_of(PlannedDeliveryView, each) for each in checked.calls],
        )
    )


def _conversion_view(request: ApiRequest[Deps], checked: PostbackCheck) -> ResultingConversionView | None:
    if checked.change is None:
        return None
    after = checked.change.after
    return view_of(
        ResultingConversionView,
        after,
        is_new=checked.change.before is None,
        status=after.status.shown.value,
        revenue=number(after.charge),
        payouts=number(after.payout),
        hold_date_expire=text_or_none(after.hold_until, request.deps.zone),
    )


def _target(url: str) -> tuple[str, bytes]:
    """Return the path and the query of a URL. Raises BadInput for a text that is not a URL."""
    try:
        parts = urlsplit(url)
    except ValueError:  # a host that is none
        raise BadInput({"url": [_NOT_A_POSTBACK]}) from None
    return target_among(parts.path, parts.query.encode(), _PATHS)


def _is_pixel(url: str) -> bool:
    return _target(url)[0].removeprefix("/") in PIXELS


def _link_params(url: str) -> dict[str, str]:
    """Return the parameters of a postback's URL by canonical name; {} for none."""
    if not url:
        return {}
    path, query = _target(url)
    if path not in _PATHS:
        raise BadInput({"url": [_NOT_A_POSTBACK]})
    is_postback = path == _POSTBACK
    names = POSTBACK_NAMES if is_postback else PIXEL_NAMES
    given = read_query_params(query)[0]
    forgive_names(given, names)
    forgive_second_query(given, CLICK_ID_NAMES, names)
    return canonical_params(given) if is_postback else canonical_pixel_params(given)
