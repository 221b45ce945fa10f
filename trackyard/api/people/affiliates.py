"""Affiliates, for staff (docs/api/affiliates.md)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from pydantic import Field

from trackyard.actions.deps import Deps
from trackyard.actions.people import affiliates
from trackyard.actions.people.callers import begin_look
from trackyard.actions.people.preferences import edit_preferences
from trackyard.api.lookups import in_scope_by_number
from trackyard.api.money.held_changes import warn_of_held
from trackyard.api.paging import Paging
from trackyard.api.people.account_fields import with_affiliate_parameters, with_own_parameters
from trackyard.api.people.affiliate_view import AffiliateView, affiliate_view
from trackyard.api.people.views import (
    AddedNote,
    PartnerView,
    RevenueSwitch,
    RowsSwitch,
    country_to_store,
    log_key_reads,
)
from trackyard.api.subaccounts import SubAccountParams
from trackyard.base.zones import datetime_text, day_start_ms
from trackyard.domain.money.held_changes import PAYMENT_SYSTEMS
from trackyard.domain.people.affiliates import STATUS_RULES, Affiliate, AffiliateFilter, AffiliateStatus, EmailState
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.invitations import MAX_MESSAGE
from trackyard.domain.people.preferences import LANGUAGES
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_callers, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import AnyOf, Clearable, Credential, Keyed, NoParams, Only, Params, RequiredFor, Seq
from trackyard.wire.response.envelope import Answer, Money, Pagination, View, number
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
find = in_scope_by_number(affiliates.get_affiliate)

Status = Annotated[AffiliateStatus, s.Choice(AffiliateStatus)]
Password = Annotated[str, s.BoundedText(minimum=6, maximum=1000)]
Referrer = Annotated[Annotated[int, s.WholeNumber(minimum=0)] | None, Clearable()]
"""The id of an affiliate; 0, as records show it, is none."""
Level = Annotated[int, s.WholeNumber(minimum=0, maximum=1000, contract="string")]


@dataclass(frozen=True)
class ListedStatus(s.Choice):
    """A status by its name, or by its number in existing programs.

    0 is not active, 1 active, 2 banned, 3 on moderation.
    """

    def read(self, text: str, context: Mapping[str, Any]) -> AffiliateStatus:
        numbers = {rule.number: status for status, rule in STATUS_RULES.items() if rule.number}
        named = numbers.get(text.strip(), text)
        return AffiliateStatus(str(super().read(named, context)))


@dataclass(frozen=True)
class OptInFlag(s.Choice):
    """1 when it is wanted; 0 has the same effect as leaving it out."""

    contract = "flag"
    values: tuple[str, ...] = ("1",)

    def read(self, text: str, context: Mapping[str, Any]) -> int:
        return int(s.ZERO_ONE.read(text, context))

    def schema(self) -> s.Schema:
        return s.ZERO_ONE.schema()


class ListAffiliates(Paging):
    """The affiliates of a list.

    with_balance: whether balances are shown.
    id, status, status_partner: any of these. status_partner: see ListedStatus.
    search: part of the e-mail address, login, name, company or contact person, or the id.
    manager_id, country, tags: any of these.
    updated_at: changed since the start of that day.
    """

    with_balance: Annotated[int, OptInFlag()] = 0
    id: AnyOf[s.Id] = ()
    status: AnyOf[Status] = ()
    status_partner: AnyOf[Annotated[AffiliateStatus, ListedStatus(AffiliateStatus)]] = ()
    search: s.Text = ""
    manager_id: AnyOf[s.Hex] = ()
    country: AnyOf[s.Country] = ()
    tags: AnyOf[s.Text] = ()
    updated_at: s.Day | None = None
    order: Annotated[str, s.Choice(("id", "email", "name"))] = "id"
    orderType: Annotated[str, s.Choice(("asc", "desc"))] = "asc"

    def chosen(self, zone: ZoneInfo) -> AffiliateFilter:
        """Return the conditions for the use case."""
        since = None if self.updated_at is None else day_start_ms(self.updated_at, zone)
        return AffiliateFilter(
            ids=self.id,
            statuses=(*self.status, *self.status_partner),
            part=self.search,
            managers=self.manager_id,
            countries=self.country,
            tags=self.tags,
            changed_since=since,
        )


class ListAffiliateNames(Paging):
    """The filters of a list of affiliates by name. id, status: any of these."""

    id: AnyOf[s.Id] = ()
    status: AnyOf[Status] = ()


class PaymentSystemItem(Params):
    """A payment system in which an affiliate wants to be paid.

    fields: number of the system's field to its value.
    """

    system_id: s.Id
    currency: s.Text = ""
    fields: Keyed[str, s.Text] = Field(default_factory=dict)


@with_own_parameters
class ContactParams(Params):
    """Names and postal address of an affiliate; an empty value clears.

    contactPerson and contact_person are the same.
    """

    name: Annotated[s.Text | None, Clearable()] = None
    contact_person: Annotated[s.Text | None, Clearable(), Field(alias="contactPerson")] = None
    contact_person_too: Annotated[s.Text | None, Clearable(), Field(alias="contact_person")] = None
    country: Annotated[s.Country | None, Clearable()] = None

    def written_values(self) -> dict[str, Any]:
        """Return the sent values by field of Affiliate, without the password and sub accounts."""
        given = {name: getattr(self, name) for name in self.model_fields_set - _APART}
        if "contact_person_too" in self.model_fields_set:
            given.setdefault("contact_person", self.contact_person_too)
        if "ref" in given:
            given["ref"] = given["ref"] or None
        if "payment_systems" in given:
            given["payment_systems"] = [item.model_dump() for item in given["payment_systems"]]
        for name in {"tags", "server_ip"} & given.keys():
            given[name] = list(dict.fromkeys(given[name]))
        return given


_APART = {"password", "notify", "email_confirmed", "contact_person_too", *SubAccountParams.model_fields}


@with_affiliate_parameters
class AffiliateParams(ContactParams, SubAccountParams):
    """The parameters of an affiliate.

    server_clicks: whether the servers at the IP addresses of server_ip may report clicks of visitors (`ip`, `ua`).
    statistics_revenue, statistics_rows: override the platform's compatibility switches for this affiliate; an empty
    value removes the override.
    """

    login: s.Login | None = None
    ref_percent: Annotated[s.Percent | None, Clearable()] = None
    level: Level = 0
    manager_id: Annotated[s.Hex | None, Clearable()] = None
    payment_systems: Seq[PaymentSystemItem] = ()
    custom_fields: Keyed[str, s.Text] = Field(default_factory=dict)
    ref: Referrer = None
    tags: Seq[s.Text] = ()
    server_ip: Seq[s.IpEntry] = ()
    statistics_revenue: Annotated[RevenueSwitch | None, Clearable()] = None
    statistics_rows: Annotated[RowsSwitch | None, Clearable()] = None


class AddAffiliate(AffiliateParams):
    """A new affiliate. notify: whether it gets a mail that it has an account."""

    email: s.Email
    password: Password
    status: Status = AffiliateStatus.ACTIVE
    notify: s.Flag = False


class EditAffiliate(AffiliateParams):
    """Changes of an affiliate. Payment systems and tags are replaced, custom fields change one by one.

    email_confirmed: 1 confirms its e-mail address in its place.
    add_note: is put on top of the notes.
    status_reason: why it is not active or banned; the affiliate sees it.
    message: words that go with another status.
    """

    edits = True

    login: Annotated[s.Login | None, Credential()] = None
    country: Annotated[s.Text | None, Clearable()] = None
    password: Annotated[Password | None, Credential()] = None
    status: Status | None = None
    status_reason: Annotated[str, s.BoundedText(maximum=2000)] = ""
    message: Annotated[str, s.BoundedText(maximum=MAX_MESSAGE)] = ""
    email_confirmed: Annotated[int, OptInFlag()] = 0
    add_note: AddedNote = ""


class UpdateAffiliates(Params):
    """Changes of several affiliates. manager_id: an empty value takes the manager away."""

    edits = True

    id: Seq[s.Id]
    status: Status | None = None
    manager_id: Annotated[s.Hex | None, Clearable()] = None


class SetLocale(Params):
    """The language and the time zone of an affiliate's pages; an empty value takes the usual one."""

    lang: Annotated[Annotated[str, s.Choice(LANGUAGES)] | None, Clearable()] = None
    timezone: Annotated[s.Zone | None, Clearable()] = None


class AffiliateMessageAnswer(Answer):
    """A sentence about what was done."""

    message: str


class AffiliateAnswer(Answer):
    """One affiliate."""

    partner: AffiliateView
    id: int


class AffiliatesAnswer(Answer):
    """A page of affiliates."""

    partners: list[AffiliateView]
    pagination: Pagination


class AffiliateNamesAnswer(Answer):
    """A page of affiliates with id and name."""

    partners: list[PartnerView]
    pagination: Pagination


class ReferredAffiliatesAnswer(Answer):
    """A page of affiliates by their ids."""

    referrals: dict[str, AffiliateView]
    pagination: Pagination


class AffiliatePasswordView(View):
    """A password, shown once."""

    id: int
    password: str


class AffiliatePasswordAnswer(Answer):
    """A new password, in both places where programs look for it."""

    partner: AffiliatePasswordView
    password: str


class LookAnswer(Answer):
    """A look at the portal of an affiliate."""

    id: int
    ends_at: str


class BalanceParams(Params):
    """The affiliate of the balance; affiliates get their own."""

    pid: Annotated[s.Id | None, Only(admin=True), RequiredFor(staff=True)] = None


class BalanceView(View):
    """Three maps by currency code (docs/api/affiliates.md#get-balance)."""

    balance: dict[str, Money]
    hold: dict[str, Money]
    available: dict[str, Money]


class BalanceAnswer(Answer):
    """The balance of one affiliate."""

    balance: BalanceView


@routes.get("/admin/partners", for_staff(Permission.AFFILIATES_READ), id="admin.partners.list")
def list_(request: ApiRequest[Deps], params: ListAffiliates) -> AffiliatesAnswer:
    """List affiliates with their keys. Balances are shown with `with_balance=1` alone."""
    wanted = bool(params.with_balance)
    chosen = params.chosen(request.deps.zone)
    found, total = affiliates.list_affiliates(
        request.deps,
        request.access,
        chosen,
        with_balance=wanted,
        order=params.order,
        descending=params.orderType == "desc",
        **params.place(request),
    )
    _log_key_reads(request, found)
    views = [affiliate_view(request, record) for record in found]
    return AffiliatesAnswer(partners=views, pagination=params.pagination(request, total))


@routes.get("/admin/partners/names", for_staff(Permission.AFFILIATES_READ), id="admin.partners.names")
def list_names(request: ApiRequest[Deps], params: ListAffiliateNames) -> AffiliateNamesAnswer:
    """List the names of affiliates, by number, without the rest of their records."""
    chosen = AffiliateFilter(ids=params.id, statuses=params.status)
    found, total = affiliates.list_names(request.deps, request.access, chosen, **params.place(request))
    views = [view_of(PartnerView, each) for each in found]
    return AffiliateNamesAnswer(partners=views, pagination=params.pagination(request, total))


@routes.get("/admin/partner/{id}", for_staff(Permission.AFFILIATES_READ), id="admin.partner.get", find=find)
def show(request: ApiRequest[Deps], _params: NoParams) -> AffiliateAnswer:
    """Show an affiliate with its key and balance."""
    record = affiliates.get_record(request.deps, request.subject)
    _log_key_reads(request, [record])
    return AffiliateAnswer(partner=affiliate_view(request, record), id=record.affiliate.id)


@routes.post("/admin/partner", for_staff(Permission.AFFILIATES_WRITE), id="admin.partner.add")
def add(request: ApiRequest[Deps], params: AddAffiliate) -> AffiliateAnswer:
    """Create an affiliate."""
    new = Affiliate(**params.written_values(), sub_accounts=params.sub_accounts())
    record = affiliates.add_affiliate(request.deps, request.access, new, params.password, notifies=params.notify)
    return AffiliateAnswer(partner=affiliate_view(request, record), id=record.affiliate.id)


@routes.post("/admin/partner/{id}", for_staff(Permission.AFFILIATES_WRITE), id="admin.partner.edit", find=find)
def edit(request: ApiRequest[Deps], params: EditAffiliate) -> AffiliateAnswer:
    """Change an affiliate, all but its e-mail address. A new password ends its sessions.

    Where e-mail addresses have to be confirmed, making an affiliate active that has not confirmed its own is a 409.
    Where a second person has to confirm, other payment systems are held: `warnings` shows it, and the rest is changed.
    """
    given = params.written_values() | params.model_dump(include={"password"}, exclude_unset=True)
    if params.email_confirmed:
        given["email_state"] = EmailState.CONFIRMED
    if given.get("country") is not None:
        given["country"] = country_to_store(request, given["country"], request.subject.country)
    if parts := params.sent_parts():
        given["sub_accounts"] = parts
    record = affiliates.edit_affiliate(request.deps, request.access, request.subject.id, given)
    warn_of_held(request, PAYMENT_SYSTEMS, record.held)
    return AffiliateAnswer(partner=affiliate_view(request, record), id=record.affiliate.id)


@routes.post("/admin/partners/mass-update", for_staff(Permission.AFFILIATES_WRITE), id="admin.partners.mass-update")
def update(request: ApiRequest[Deps], params: UpdateAffiliates) -> Answer:
    """Change the status or the manager of several affiliates, all or none.

    Where e-mail addresses have to be confirmed, making an affiliate active that has not confirmed its own is a 409.
    """
    affiliates.update_affiliates(
        request.deps, request.access, params.id, params.model_dump(exclude={"id"}, exclude_unset=True)
    )
    return Answer()


@routes.post("/admin/partner/{id}/locale", for_staff(Permission.AFFILIATES_WRITE), id="admin.partner.locale", find=find)
def set_locale(request: ApiRequest[Deps], params: SetLocale) -> AffiliateMessageAnswer:
    """Choose the language and the time zone of an affiliate for pages and mails."""
    names = {"lang": "language", "timezone": "timezone"}
    given = {names[name]: str(getattr(params, name) or "") for name in params.model_fields_set}
    edit_preferences(request.deps, Account(AccountKind.AFFILIATE, str(request.subject.id)), given)
    return AffiliateMessageAnswer(message="updated")


@routes.post(
    "/admin/partner/password/{id}",
    for_staff(Permission.AFFILIATES_WRITE),
    id="admin.partner.password",
    credentials=True,
    find=find,
)
def renew_password(request: ApiRequest[Deps], _params: NoParams) -> AffiliatePasswordAnswer:
    """Give an affiliate a new password and answer with it; it is sent by mail too. Its sessions end.

    The password works for 24 hours, and the affiliate chooses another one when it signs in.
    """
    affiliate_id = request.subject.id
    password = affiliates.renew_password(request.deps, request.access, affiliate_id)
    view = AffiliatePasswordView(id=affiliate_id, password=password)
    return AffiliatePasswordAnswer(partner=view, password=password)


@routes.post(
    "/admin/partner/{id}/look-as",
    for_staff(Permission.AFFILIATES_WRITE),
    id="admin.partner.look_as",
    credentials=True,
    find=find,
    not_replayable=True,
)
def look_as(request: ApiRequest[Deps], _params: NoParams) -> LookAnswer:
    """Record that the caller looks at the portal as an affiliate sees it, for 30 minutes.

    The audit log records who looked. The console then shows the portal, in which nothing can be changed.
    """
    affiliate_id = request.subject.id
    ends_at = begin_look(request.deps, request.access, affiliate_id)
    return LookAnswer(id=affiliate_id, ends_at=datetime_text(ends_at, request.deps.zone))


@routes.get(
    "/admin/partner/{id}/referrals", for_staff(Permission.AFFILIATES_READ), id="admin.partner.referrals", find=find
)
def list_referrals(request: ApiRequest[Deps], params: Paging) -> ReferredAffiliatesAnswer:
    """List the affiliates that an affiliate referred, by their ids."""
    found, total = affiliates.list_referred(request.deps, request.access, request.subject.id, **params.place(request))
    _log_key_reads(request, found)
    views = {str(record.affiliate.id): affiliate_view(request, record) for record in found}
    return ReferredAffiliatesAnswer(referrals=views, pagination=params.pagination(request, total))


@routes.get("/balance", for_callers(Permission.BALANCES_READ), id="balance.get", features=("general.billing",))
def show_balance(request: ApiRequest[Deps], params: BalanceParams) -> BalanceAnswer:
    """Show an affiliate's balance, hold and available sums per currency."""
    found = affiliates.get_balances(request.deps, request.access, params.pid)
    return BalanceAnswer(
        balance=BalanceView(
            balance={item.currency: number(item.hold + item.available) for item in found},
            hold={item.currency: number(item.hold) for item in found},
            available={item.currency: number(item.available) for item in found},
        )
    )


def _log_key_reads(request: ApiRequest[Deps], found: Iterable[affiliates.AffiliateRecord]) -> None:
    shown = [record.affiliate.id for record in found if record.api_key is not None]
    log_key_reads(request, AccountKind.AFFILIATE, shown)
