"""Repeated deliveries and resumed postbacks.

See docs/spec/postbacks.md#pauses and docs/api/resends.md.
"""

from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import Field

from trackyard.actions.deps import Deps
from trackyard.actions.tracking import postbacks, resends
from trackyard.actions.tracking.resends import Resent
from trackyard.api.lookups import in_scope_by_hex, in_scope_by_number
from trackyard.api.statistics.times import utc_ms
from trackyard.api.tracking.postbacks import PostbackAnswer, postback_view
from trackyard.base.errors import BadInput
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import NoParams, Params
from trackyard.wire.response.envelope import Answer

routes = Routes[Deps]()
_WRITERS = for_staff(Permission.POSTBACKS_WRITE)
_find_attempt = in_scope_by_hex(resends.get_attempt)
_find_postback = in_scope_by_number(postbacks.get_postback)


class ReplayPostbacks(Params):
    """The affiliate, and the span of its deliveries. from, to: in the platform's zone, both inclusive."""

    pid: s.Id
    since: Annotated[s.Moment, Field(alias="from")]
    until: Annotated[s.Moment, Field(alias="to")]

    def span(self, zone: ZoneInfo) -> tuple[int, int]:
        """Return the span in UTC milliseconds, its end exclusive. Raises BadInput."""
        if self.until < self.since:
            raise BadInput({"to": ["This moment must not lie before the first."]})
        return utc_ms(self.since, zone), utc_ms(self.until, zone) + 1000


class ResentAnswer(Answer):
    """The repeated deliveries.

    waiting: deliveries that were queued by hand before and are not sent yet.
    dropped: deliveries of postbacks that were removed.
    """

    message: str
    queued: int
    waiting: int
    dropped: int


@routes.post("/admin/affiliatepostback/{id}/resend", _WRITERS, id="admin.affiliatepostback.resend", find=_find_attempt)
def resend(request: ApiRequest[Deps], _params: NoParams) -> ResentAnswer:
    """Repeat a delivery of the affiliate postback log.

    It has one attempt, whether its postback is paused or not. The id is the record's; the receiver knows the delivery
    by its first X-Trackyard-Delivery. The log shows it as forced.
    """
    return _answer(resends.resend(request.deps, request.subject))


@routes.post("/admin/affiliatepostbacks/replay", _WRITERS, id="admin.affiliatepostbacks.replay", report=True)
def replay(request: ApiRequest[Deps], params: ReplayPostbacks) -> ResentAnswer:
    """Repeat every delivery of an affiliate's postbacks in a span.

    Each is sent once and in the order of each conversion's changes. Superseded deliveries, and deliveries of an offer's
    cross_postback_url, are left out; at most 5,000 at once.
    """
    since, until = params.span(request.deps.zone)
    return _answer(resends.replay(request.deps, request.access, params.pid, since, until))


@routes.post("/admin/postback/{id}/resume", _WRITERS, id="admin.postback.resume", find=_find_postback)
def resume(request: ApiRequest[Deps], _params: NoParams) -> PostbackAnswer:
    """Resume the deliveries of a paused postback. An edit of the postback resumes them too."""
    row = postbacks.resume_postback(request.deps, request.access, request.subject.id)
    return PostbackAnswer(postback=postback_view(row, request.deps.zone, request.version))


def _answer(resent: Resent) -> ResentAnswer:
    message = f"{resent.queued} deliver{'ies are' if resent.queued != 1 else 'y is'} sent again"
    return ResentAnswer(message=message, queued=resent.queued, waiting=resent.waiting, dropped=resent.dropped)
