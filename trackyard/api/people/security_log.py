"""The security log, for administrators (docs/spec/callers.md#security-log)."""

from typing import Annotated, TypedDict
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.people.security_log import list_security_log
from trackyard.api.paging import Paging
from trackyard.base.errors import BadInput
from trackyard.base.zones import datetime_text, day_end_ms, day_start_ms
from trackyard.domain.people.callers import AccountKind
from trackyard.domain.people.roles import Permission
from trackyard.domain.people.security_log import SecurityEvent, SecurityFilter, SecurityOutcome, SecurityRecord
from trackyard.domain.platform.audit import Author, Authors
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.response.envelope import Answer, Pagination, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()


class ActorFilter(TypedDict):
    """The author of records; None is any."""

    actor_kind: str | None
    actor_id: str | None


class PeriodFilter(TypedDict):
    """The period of records in UTC milliseconds; None is without an end."""

    since: int | None
    until: int | None


class LogParams(Paging):
    """The records of a log. user_id, affiliate_id: the author."""

    user_id: s.Hex | None = None
    affiliate_id: s.Id | None = None
    date_from: s.Day | None = None
    date_to: s.Day | None = None

    def actor(self) -> ActorFilter:
        """Return the chosen author. Raises BadInput for two."""
        if self.user_id is not None and self.affiliate_id is not None:
            raise BadInput({"affiliate_id": ["Send user_id or affiliate_id, not both."]})
        if self.affiliate_id is not None:
            return {"actor_kind": AccountKind.AFFILIATE, "actor_id": str(self.affiliate_id)}
        return {"actor_kind": None, "actor_id": self.user_id}

    def period(self, zone: ZoneInfo) -> PeriodFilter:
        """Return the chosen period. Raises BadInput."""
        if self.date_from and self.date_to and self.date_to < self.date_from:
            raise BadInput({"date_to": ["This day must not lie before the first."]})
        return {
            "since": None if self.date_from is None else day_start_ms(self.date_from, zone),
            "until": None if self.date_to is None else day_end_ms(self.date_to, zone),
        }


class SecurityLogParams(LogParams):
    """The records of the security log."""

    event: Annotated[str | None, s.Choice(tuple(SecurityEvent))] = None
    outcome: Annotated[str | None, s.Choice(tuple(SecurityOutcome))] = None
    address: Annotated[str | None, s.BoundedText(maximum=45, minimum=1)] = None


class SecurityUserView(View):
    """The account; each name is empty when the account does not exist any more."""

    id: str
    email: str
    first_name: str
    last_name: str


class SecurityRecordView(View):
    """An event of the security log.

    user: null for an account that does not exist.
    user_type: staff, affiliate, advertiser, member or person; "" without a user.
    subject: the owners of keys that were read.
    client_request_id: the X-Request-Id that the caller sent.
    """

    id: str
    created_at: str
    event: str
    outcome: str
    user: SecurityUserView | None
    user_type: str
    subject: str
    address: str
    user_agent: str
    request_id: str
    client_request_id: str


class SecurityLogAnswer(Answer):
    """A page of the security log."""

    events: list[SecurityRecordView]
    pagination: Pagination


@routes.get("/admin/security-log", for_staff(Permission.AUDIT_READ), id="admin.security-log.list")
def list_records(request: ApiRequest[Deps], params: SecurityLogParams) -> SecurityLogAnswer:
    """List sign-ins and reads of other people's keys, the newest first.

    They are kept as long as other logs. Of tries beyond the limit the first is recorded.
    """
    zone = request.deps.zone
    chosen = SecurityFilter(
        event=params.event, outcome=params.outcome, address=params.address, **params.actor(), **params.period(zone)
    )
    found, total, authors = list_security_log(request.deps, chosen, **params.place(request))
    return SecurityLogAnswer(
        events=[_view(record, authors, zone) for record in found], pagination=params.pagination(request, total)
    )


def _view(record: SecurityRecord, authors: Authors, zone: ZoneInfo) -> SecurityRecordView:
    author = authors.get((record.actor_kind, record.actor_id), Author(record.actor_id))
    return view_of(
        SecurityRecordView,
        record,
        created_at=datetime_text(record.at, zone),
        user=view_of(SecurityUserView, author) if record.actor_id else None,
        user_type=record.actor_kind,
    )
