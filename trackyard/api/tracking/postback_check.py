"""What a call of an advertiser would do (docs/spec/conversions.md#inbound-postbacks)."""

from typing import Annotated, Final
from urllib.parse import parse_qsl, urlsplit

from pydantic import Field

from trackyard.actions.deps import Deps
from trackyard.actions.tracking.postback_check import Checked, Sample, check_call
from trackyard.api.conversions.edits import IpAddress
from trackyard.api.tracking.click_check import plain_address, utc_ms
from trackyard.base.errors import BadInput
from trackyard.base.zones import datetime_text
from trackyard.domain.people.roles import Permission
from trackyard.domain.tracking.postback_params import named, pixel_named
from trackyard.wire.endpoint import Call, Endpoint
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Keyed, Params
from trackyard.wire.response.envelope import Answer, Money, View, number

Parameter = Annotated[str, s.Words(most=2048)]

PIXELS: Final = ("/success.jpg", "/success.php", "/track.js")
_NO_CALL: Final = "This value must be a call's address: …/postback?clickid=… or that of a pixel."


class CheckCall(Params):
    """A call as it would come. url: an address of `/postback` or of a pixel; its parameters count where `params` has
    none of the name · ip: of the caller · method: of the request; both do the same · time: of the platform's zone;
    without it now."""

    url: Annotated[str, s.Words(most=8192)] = ""
    params: Keyed[str, Parameter] = Field(default_factory=dict)
    ip: Annotated[str, IpAddress()] | None = None
    method: Annotated[str, s.Choice(("GET", "POST"))] = "GET"
    time: s.Moment | None = None

    def sample(self, call: Call[Deps]) -> Sample:
        """For the use case. Raises BadInput for a URL that is no call's."""
        return Sample(
            params=_link_params(self.url) | named(self.params),
            ip=plain_address(self.ip or ""),
            at=call.deps.clock.now_ms() if self.time is None else utc_ms(self.time, call.deps.zone),
        )


class CallStepView(View):
    """What one step says. verdict: passed, stopped (the call does nothing), declined (the conversion is made, and
    declined), waits (the click may still come), or not asked · detail: what decided."""

    name: str
    verdict: str
    detail: str


class MadeView(View):
    """The conversion as the call leaves it. id: made up when it is new · hold_date_expire: when a hold ends by itself,
    null = it does not."""

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


class WouldCallView(View):
    """A call that the affiliate would get. postback_id: 0 = the offer's cross_postback_url."""

    postback_id: int
    url: str


class CallCheckView(View):
    """How a call fares. response: what the server postback log would say, "" when it makes or changes a conversion ·
    params: as they are read, by canonical name."""

    response: str
    method: str
    time: str
    params: dict[str, str]
    click_id: str
    offer_id: int | None
    pid: int | None
    steps: list[CallStepView]
    conversion: MadeView | None
    postbacks: list[WouldCallView]


class CallCheckAnswer(Answer):
    """A call that was tried."""

    check: CallCheckView


def check(call: Call[Deps], params: CheckCall) -> CallCheckAnswer:
    """Try a call of an advertiser as it would come and see what each step of the decision says, which conversion it
    would make or change, and whom it would call. Nothing is counted, recorded or sent."""
    sample = params.sample(call)
    checked = check_call(call.deps, call.caller, sample)
    return CallCheckAnswer(
        check=CallCheckView(
            response=checked.response,
            method=params.method,
            time=datetime_text(sample.at, call.deps.zone),
            params={name: "***" if name == "secure" else value for name, value in sample.params.items()},
            click_id=sample.params.get("clickid", ""),
            offer_id=None if checked.click is None else checked.click.offer,
            pid=None if checked.click is None else checked.click.affiliate,
            steps=[
                CallStepView(name=name, verdict=it.outcome, detail=it.detail) for name, it in checked.verdicts.items()
            ],
            conversion=_made(call, checked),
            postbacks=[WouldCallView(postback_id=each.postback_id, url=each.url) for each in checked.calls],
        )
    )


def _made(call: Call[Deps], checked: Checked) -> MadeView | None:
    if checked.change is None:
        return None
    after, until = checked.change.after, checked.change.after.hold_until
    return MadeView(
        id=after.id,
        is_new=checked.change.before is None,
        status=after.status.shown.value,
        goal=after.goal,
        goal_title=after.goal_title,
        comment=after.comment,
        currency=after.currency,
        sum=number(after.sum),
        revenue=number(after.charge),
        payouts=number(after.payout),
        hold_date_expire=None if until is None else datetime_text(until, call.deps.zone),
    )


def _link_params(url: str) -> dict[str, str]:
    """The parameters of a call's address by canonical name; {} for none."""
    if not url:
        return {}
    try:
        parts = urlsplit(url)
    except ValueError:  # a host that is none
        raise BadInput({"url": [_NO_CALL]}) from None
    given, path = dict(parse_qsl(parts.query, keep_blank_values=True)), parts.path.rstrip("/")
    if path in PIXELS:
        return pixel_named(given)
    if path != "/postback":
        raise BadInput({"url": [_NO_CALL]})
    return named(given)


ENDPOINTS: tuple[Endpoint[Deps], ...] = (
    Endpoint(
        id="admin.postback-check",
        method="POST",
        path="/admin/postback-check",
        audience="staff",
        permission=Permission.STATS_CONVERSION,
        params=CheckCall,
        answer=CallCheckAnswer,
        anew=True,
        handle=check,
    ),
)
