"""The log of mails, for staff (docs/spec/mails.md#log)."""

from typing import Annotated

from trackyard.actions.deps import Deps
from trackyard.actions.platform.mails import log as mail_log
from trackyard.api.paging import Paging
from trackyard.base.errors import BadInput
from trackyard.base.zones import datetime_text, day_end_ms, day_start_ms
from trackyard.domain.people.roles import Permission
from trackyard.domain.platform.mails.log import KINDS, MailFilter, MailState
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.response.envelope import Answer, Pagination, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()


class ListMails(Paging):
    """The mails of a list."""

    state: Annotated[str, s.Choice(tuple(MailState))] | None = None
    kind: Annotated[str, s.Choice(tuple(KINDS))] | None = None
    email: Annotated[str | None, s.BoundedText(maximum=254, minimum=1, strips=True)] = None
    date_from: s.Day | None = None
    date_to: s.Day | None = None


class LoggedMailView(View):
    """A mail of the log."""

    id: str
    email: str
    kind: str
    title: str
    subject: str
    state: str
    attempts: int
    answer: str
    created_at: str
    changed_at: str


class MailsAnswer(Answer):
    """A page of the log of mails."""

    mails: list[LoggedMailView]
    pagination: Pagination


@routes.get("/admin/mails", for_staff(Permission.SETTINGS_WRITE), id="admin.mails.list")
def list_(request: ApiRequest[Deps], params: ListMails) -> MailsAnswer:
    """List the mails of the network, the newest first, each with its state and the last refusal.

    The log has no texts of mails, so neither links nor passwords. It is kept as long as the other logs.
    """
    if params.date_from and params.date_to and params.date_to < params.date_from:
        raise BadInput({"date_to": ["This day must not lie before the first."]})
    zone = request.deps.zone
    chosen = MailFilter(
        params.email or "",
        params.kind or "",
        params.state or "",
        None if params.date_from is None else day_start_ms(params.date_from, zone),
        None if params.date_to is None else day_end_ms(params.date_to, zone),
    )
    found, total = mail_log.list_mails(request.deps, chosen, **params.place(request))
    views = [
        view_of(
            LoggedMailView,
            each,
            email=each.recipient,
            title=str(KINDS[each.kind]),
            created_at=datetime_text(each.created_at, zone),
            changed_at=datetime_text(each.changed_at, zone),
        )
        for each in found
    ]
    return MailsAnswer(mails=views, pagination=params.pagination(request, total))
