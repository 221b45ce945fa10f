"""The platform's settings and the audit log, for administrators (docs/spec/platform.md#settings)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.money.exchange_rates import exchange_rate_status
from trackyard.actions.platform.settings import (
    Settings,
    edit_settings,
    get_settings,
    list_audit,
    send_test_mail,
)
from trackyard.api.money.exchange_rates import ExchangeRateStatusView, exchange_rate_status_view
from trackyard.api.people.security_log import LogParams
from trackyard.api.people.views import RevenueSwitch, RowsSwitch, confirm_session, hidden_code
from trackyard.api.tracking.macro_warnings import warn_of_macros
from trackyard.base.zones import datetime_text
from trackyard.domain.people.key_limits import may_write
from trackyard.domain.people.roles import Permission
from trackyard.domain.platform.audit import AuditFilter, AuditRecord, Author, Authors
from trackyard.domain.tracking.macro_registry import MacroPlace
from trackyard.outbound.mail import parse_smtp_url
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Clearable, Credential, NoParams, Params
from trackyard.wire.response.envelope import Answer, Pagination, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()


@dataclass(frozen=True)
class MailServer(s.BoundedText):
    """smtp://user:password@host:587 or smtps://user:password@host:465."""

    maximum: int = 500

    def read(self, text: str, context: Mapping[str, Any]) -> str:
        url = super().read(text.strip(), context)
        try:
            parse_smtp_url(url)
        except ValueError:
            raise ValueError("This value must be a URL such as smtp://user:password@host:587.") from None
        return url


Sender = Annotated[str, s.BoundedText(maximum=254, pattern=r"([^<>@\r\n]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)")]


ImportsLimit = Annotated[str, s.Choice(("pending", "confirmed"))]


class EditSettings(Params):
    """Changes of settings; an empty value removes one.

    smtp_url: unchanged when it is sent as it is shown.
    password: the password of the calling account; a session needs it for another `smtp_url` or `mail_from`.
    refuse_bots: whether clicks of bots and prefetches are rejected.
    affiliate_imports: the highest status of conversions that affiliates import; an empty value sets pending.
    show_decline_reasons: whether affiliates see why their conversions were declined.
    statistics_revenue, statistics_rows: switches (docs/compatibility.md); an empty value sets the default.
    """

    trafficback_url: Annotated[s.Url | None, Clearable()] = None
    hash_password: Annotated[s.Text | None, Clearable(), Credential()] = None
    mail_from: Annotated[Sender | None, Clearable(), Credential()] = None
    smtp_url: Annotated[Annotated[str, MailServer()] | None, Clearable(), Credential()] = None
    refuse_bots: s.Flag | None = None
    affiliate_imports: Annotated[ImportsLimit | None, Clearable()] = None
    show_decline_reasons: s.Flag | None = None
    statistics_revenue: Annotated[RevenueSwitch | None, Clearable()] = None
    statistics_rows: Annotated[RowsSwitch | None, Clearable()] = None
    password: Annotated[str, s.BoundedText(maximum=1000)] = ""


class SettingsView(View):
    """The settings; "" = none, of mail as the variables say. smtp_url: its password as ***."""

    trafficback_url: str
    hash_password: str
    mail_from: str
    smtp_url: str
    refuse_bots: bool
    affiliate_imports: str
    show_decline_reasons: bool
    statistics_revenue: str
    statistics_rows: str


class SettingsAnswer(Answer):
    """All settings, and the state of exchange rates."""

    settings: SettingsView
    quotes: ExchangeRateStatusView


class MailTestAnswer(Answer):
    """The e-mail address that the mail goes to, and what became of it.

    server: host and port of the mail server in force; "" = none, and the mail is written to a file.
    is_sent: whether that server took the mail. answer: its refusal, or why it was not reached; "" = none.
    """

    email: str
    server: str
    is_sent: bool
    answer: str


class AuditParams(LogParams):
    """The records of a list.

    what, key: the thing that was changed.
    method: the id of the method.
    request_id: the X-Request-Id of the request, ours or the caller's own.
    """

    what: Annotated[str | None, s.BoundedText(maximum=32, minimum=1)] = None
    key: Annotated[str | None, s.BoundedText(maximum=200, minimum=1)] = None
    method: Annotated[str | None, s.BoundedText(maximum=64, minimum=1)] = None
    request_id: Annotated[str | None, s.BoundedText(maximum=64, minimum=1)] = None


class AuditUserView(View):
    """The author of a change; each name is empty when the account does not exist any more.

    id: "system" is a scheduled job.
    """

    id: str
    email: str
    first_name: str
    last_name: str


class ChangeView(View, rename={"before": "from", "after": "to"}):
    """The value of a field before and after. null where the thing did not exist; secrets as ***."""

    before: Any
    after: Any


class AuditView(View):
    """The changes that one request made to one thing.

    user_type: staff, affiliate, advertiser, member or system.
    client_request_id: the X-Request-Id that the caller sent.
    key_id, key_name: the API key that called; "" in a session and for a job. The first key of an account has no name.
    """

    id: str
    created_at: str
    user: AuditUserView
    user_type: str
    address: str
    method: str
    request_id: str
    client_request_id: str
    key_id: str
    key_name: str
    what: str
    key: str
    changes: dict[str, ChangeView]


class AuditAnswer(Answer):
    """A page of the audit log."""

    audit: list[AuditView]
    pagination: Pagination


@routes.get("/admin/settings", for_staff(Permission.SETTINGS_WRITE), id="admin.settings.get")
def show(request: ApiRequest[Deps], _params: NoParams) -> SettingsAnswer:
    """Show the settings of the platform."""
    return _answer(request, get_settings(request.deps))


@routes.post("/admin/settings", for_staff(Permission.SETTINGS_WRITE), id="admin.settings.edit")
def edit(request: ApiRequest[Deps], params: EditSettings) -> SettingsAnswer:
    """Change settings of the platform. They are in force within a second.

    Another mail server or sender needs the password in a session. The other administrators get a mail about it, through
    the server before.
    """
    given: dict[str, str | bool] = {name: getattr(params, name) for name in params.model_fields_set - {"password"}}
    given = {name: "" if value is None else value for name, value in given.items()}
    if given.get("smtp_url") and given["smtp_url"] == _without_password(get_settings(request.deps).smtp_url):
        del given["smtp_url"]
    confirm = partial(confirm_session, request, params.password)
    settings = edit_settings(request.deps, given, request.caller.account, confirm)
    warn_of_macros(request, MacroPlace.OFFER_URL, {"trafficback_url": params.trafficback_url or ""})
    return _answer(request, settings)


@routes.post(
    "/admin/settings/test_mail",
    for_staff(Permission.SETTINGS_WRITE),
    id="admin.settings.test_mail",
    not_replayable=True,
)
def test_mail(request: ApiRequest[Deps], _params: NoParams) -> MailTestAnswer:
    """Send a mail to the calling staff user now, to try the settings of mail that are in force.

    The answer has the answer of the mail server. Without a mail server the mail is queued and written to a file.
    """
    done = send_test_mail(request.deps, request.caller.account.id)
    return MailTestAnswer(email=done.email, server=done.server, is_sent=done.is_sent, answer=done.answer)


@routes.get("/admin/audit", for_staff(Permission.AUDIT_READ), id="admin.audit.list")
def list_records(request: ApiRequest[Deps], params: AuditParams) -> AuditAnswer:
    """List what staff, affiliates and advertisers changed, the newest first.

    A record has the author, the time, the IP address, the values before and after, and the request.
    """
    zone = request.deps.zone
    chosen = AuditFilter(
        **params.model_dump(include={"what", "key", "method", "request_id", "affiliate_id"}),
        staff_id=params.user_id,
        **params.period(zone),
    )
    found, total, authors = list_audit(request.deps, chosen, **params.place(request))
    return AuditAnswer(
        audit=[audit_view(record, authors, zone) for record in found],
        pagination=params.pagination(request, total),
    )


def _answer(request: ApiRequest[Deps], settings: Settings) -> SettingsAnswer:
    quotes = exchange_rate_status_view(exchange_rate_status(request.deps), request.deps.zone)
    shows_code = may_write(request.caller.key, Permission.SETTINGS_WRITE)
    return SettingsAnswer(settings=settings_view(settings, shows_code=shows_code), quotes=quotes)


def settings_view(settings: Settings, *, shows_code: bool) -> SettingsView:
    """Return the view of the settings.

    shows_code: whether the caller may read the code of the platform.
    """
    code = hidden_code(settings.hash_password, shown=shows_code) or ""
    return view_of(SettingsView, settings, smtp_url=_without_password(settings.smtp_url), hash_password=code)


def _without_password(url: str) -> str:
    return re.sub(r"(?<=//)([^/@:]*):[^/]*(?=@)", r"\1:***", url)


def audit_view(record: AuditRecord, authors: Authors, zone: ZoneInfo) -> AuditView:
    """Return the view of a record."""
    kind, author_id = record.actor
    author = authors.get(record.actor, Author(author_id))
    return view_of(
        AuditView,
        record,
        created_at=datetime_text(record.at, zone),
        user=view_of(AuditUserView, author),
        user_type=kind,
        changes={name: ChangeView(before=before, after=after) for name, (before, after) in record.changes.items()},
    )
