"""Tests of postback URLs (docs/spec/postbacks.md#macros)."""

from typing import Annotated

from trackyard.actions.deps import Deps
from trackyard.actions.tracking.postback_trials import send_test_postback
from trackyard.api.tracking.macro_warnings import warn_of_macros
from trackyard.api.tracking.postbacks import Goal, Status, of_version
from trackyard.domain.people.roles import Permission
from trackyard.domain.tracking.macro_registry import MacroPlace
from trackyard.wire.endpoint import ApiRequest, Routes, for_callers
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Only, Params, RequiredFor
from trackyard.wire.response.envelope import Answer, View

routes = Routes[Deps]()


class TryPostback(Params):
    """A postback URL to test.

    The macros are filled with the values of a made-up conversion.
    offer_id, status, goal: of this conversion; confirmed and 1 by default.
    """

    pid: Annotated[s.Id | None, Only(admin=True), RequiredFor(staff=True)] = None
    offer_id: s.Id | None = None
    url: s.Url
    status: Status | None = None
    goal: Goal = "1"


class PostbackTestView(View):
    """The result of a test.

    url: as it was requested.
    http_code: 0 = unreachable; `error` has the reason.
    body: the body of the answer, at most 64 KB.
    """

    url: str
    http_code: int
    body: str
    error: str


class PostbackTestAnswer(Answer):
    """One test."""

    test: PostbackTestView


@routes.post("/partner/postback/test", for_callers(Permission.POSTBACKS_WRITE), id="partner.postback.test")
def send_test(request: ApiRequest[Deps], params: TryPostback) -> PostbackTestAnswer:
    """Request a postback URL once, as a conversion would, and show the answer.

    The request has the header X-Trackyard-Test: 1; nothing is stored.
    """
    values = params.model_dump() | {"status": of_version(params.status, request.version), "goal": params.goal or "1"}
    trial = send_test_postback(request.deps, request.access, **values)
    warn_of_macros(request, MacroPlace.POSTBACK, {"url": params.url})
    answer = trial.answer
    text = answer.body.decode("utf-8", errors="replace")
    return PostbackTestAnswer(
        test=PostbackTestView(url=trial.url, http_code=answer.http_code, body=text, error=answer.error)
    )
