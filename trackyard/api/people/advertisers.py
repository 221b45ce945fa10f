"""Advertisers (docs/api/advertisers.md)."""

from collections.abc import Callable, Iterable
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from msgspec.structs import replace
from pydantic import Field, field_validator

from trackyard.actions.deps import Deps
from trackyard.actions.people import advertisers, blacklist
from trackyard.actions.people.advertisers import AdvertiserRecord
from trackyard.actions.people.blacklist import AFFILIATE_LISTS
from trackyard.actions.people.callers import begin_advertiser_look
from trackyard.actions.people.scope import scope_for, writable_scope
from trackyard.actions.statistics.reports import switches_of
from trackyard.api.lookups import in_scope_by_hex
from trackyard.api.paging import Paging
from trackyard.api.people.account_fields import with_advertiser_fields, with_advertiser_parameters
from trackyard.api.people.views import (
    AddedNote,
    AdvertiserRef,
    ManagerView,
    country_to_store,
    hidden_code,
    manager_view,
)
from trackyard.api.subaccounts import SubAccountParams, SubAccountView, sub_accounts_view
from trackyard.base.zones import datetime_text, day_start_ms
from trackyard.domain.conversions.codes import postback_address
from trackyard.domain.people.advertisers import Advertiser, AdvertiserFilter, AdvertiserStatus
from trackyard.domain.people.callers import StaffCaller
from trackyard.domain.people.invitations import MAX_MESSAGE
from trackyard.domain.people.roles import Permission
from trackyard.domain.people.scope import Scope
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import AnyOf, Clearable, Credential, Keyed, NoParams, Only, Params, Seq
from trackyard.wire.response.envelope import Answer, Pagination, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
_WRITERS = for_staff(Permission.ADVERTISERS_WRITE)
find = in_scope_by_hex(advertisers.get_advertiser)

_SUB_ACCOUNTS = set(SubAccountParams.model_fields)


class ListAdvertisers(Paging):
    """The order and filters of a list.

    id, manager, country, tags, status: any of these.
    search: part of the title, contact person or e-mail address, or the whole id.
    """

    order: Annotated[str, s.Choice(("_id", "title", "email"))] = "_id"
    orderType: Annotated[str, s.Choice(("asc", "desc"))] = "asc"
    updated_at: Annotated[s.Day | None, Only(since="3.1")] = None
    id: AnyOf[s.Hex] = ()
    search: s.Text = ""
    manager: AnyOf[s.Hex] = ()
    country: AnyOf[s.Country] = ()
    tags: AnyOf[s.Text] = ()
    status: Annotated[AnyOf[Annotated[AdvertiserStatus, s.Choice(AdvertiserStatus)]], Only(since="3.1")] = ()

    def chosen(self, zone: ZoneInfo) -> AdvertiserFilter:
        """Return the conditions for the use case."""
        return AdvertiserFilter(
            ids=self.id,
            part=self.search,
            managers=self.manager,
            countries=self.country,
            tags=self.tags,
            statuses=self.status,
            changed_since=None if self.updated_at is None else day_start_ms(self.updated_at, zone),
        )


class ListAdvertiserNames(Paging):
    """The filters of a list of advertisers by name. id, status: any of these."""

    id: AnyOf[s.Hex] = ()
    status: AnyOf[Annotated[AdvertiserStatus, s.Choice(AdvertiserStatus)]] = ()


@with_advertiser_parameters
class AdvertiserParams(SubAccountParams):
    """The parameters of an advertiser. Its plain fields are in domain/people/advertiser_fields.py."""

    title: s.Name | None = None
    manager: Annotated[s.Hex | None, Clearable()] = None
    url: Annotated[s.Url | None, Clearable()] = None
    email: Annotated[s.Email | None, Clearable()] = None
    allowed_ip: Seq[s.IpLines] = ()
    disallowed_ip: Seq[s.IpLines] = ()
    hash_password: Annotated[s.Text | None, Credential()] = None
    country: Annotated[s.Country | None, Clearable()] = None
    zip_code: Annotated[str | None, s.BoundedText(maximum=32)] = None
    vat_code: Annotated[str | None, s.BoundedText(maximum=64)] = None
    consider_personal_targeting_only: s.TrueFalse = False
    tags: Seq[s.Text] = ()
    status: Annotated[str, s.Choice(tuple(AdvertiserStatus))] = AdvertiserStatus.ACTIVE
    affiliates_enabled: Seq[s.Id] = ()
    affiliates_disabled: Seq[s.Id] = ()
    custom_fields: Keyed[str, s.Text] = Field(default_factory=dict)

    @field_validator("allowed_ip", "disallowed_ip")
    @classmethod
    def _entries(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """Return the entries of all items, each of which may hold several lines."""
        return tuple(line for item in value for line in item.splitlines())

    def written_values(self) -> dict[str, Any]:
        """Return the sent values by field of Advertiser, without sub accounts."""
        sent = {name: getattr(self, name) for name in self.model_fields_set - _SUB_ACCOUNTS}
        given = {name: list(value) if isinstance(value, tuple) else value for name, value in sent.items()}
        if "manager" in given:
            given["manager_id"] = given.pop("manager")
        return given


class AddAdvertiser(AdvertiserParams):
    """A new advertiser."""

    title: s.Name


class EditAdvertiser(AdvertiserParams):
    """Changes of an advertiser; lists are replaced, an empty value clears.

    add_note: is put on top of the note.
    message: words that go with another status.
    """

    email: Annotated[s.Email | None, Clearable(), Credential()] = None
    country: Annotated[s.Text | None, Clearable()] = None
    add_note: AddedNote = ""
    message: Annotated[str, s.BoundedText(maximum=MAX_MESSAGE)] = ""


class AdvertiserLookAnswer(Answer):
    """A look at the portal of an advertiser."""

    id: str
    ends_at: str


class BlacklistParams(Params):
    """The blacklists, and the affiliate."""

    advertisers_id: Seq[s.Hex]
    pid: s.Id


class ListedAffiliateView(View):
    """An affiliate on an advertiser's list; the name is "" for staff who may not read the affiliate."""

    id: int
    name: str


@with_advertiser_fields
class AdvertiserView(View):
    """An advertiser, for staff (docs/api/advertisers.md#get-adminadvertiserid).

    Unknown values are "". hosts_only: existing programs read it.
    manager_obj: without a manager "", or null with the switch statistics_rows=plain.
    postback_url: the URL of its postbacks, with its code for staff who may write it, else ***. CLICK is the place
    of the click id. Administrators see the platform's code in the URL of an advertiser without one.
    signs_postbacks: whether it has a signing secret, so that its postbacks need a signature.
    """

    id: str
    title: str
    contact: str
    email: str
    url: str
    manager: str
    manager_obj: ManagerView | str | None
    allowed_ip: list[str]
    disallowed_ip: list[str]
    skype: str
    note: str | None
    hash_password: str | None
    postback_url: str
    signs_postbacks: bool
    offers: str
    has_user: bool
    address_1: str
    address_2: str
    city: str
    country: str
    zip_code: str
    vat_code: str
    sub_accounts: dict[str, SubAccountView]
    consider_personal_targeting_only: bool
    tags: list[str]
    status: str
    sees_affiliates: int
    hosts_only: bool
    hide_conversion_status: bool
    subaccounts_encryption: bool
    affiliates_enabled: list[ListedAffiliateView]
    affiliates_disabled: list[ListedAffiliateView]
    custom_fields: dict[str, str]
    host_uniqueness_number_unique_clicks: int | None
    host_uniqueness_time_frame: int | None
    created_at: str
    updated_at: str


class AdvertiserAnswer(Answer):
    """One advertiser."""

    advertiser: AdvertiserView


class SigningSecretAnswer(Answer):
    """A new signing secret, which is shown once."""

    signing_secret: str


class AdvertisersAnswer(Answer):
    """A page of advertisers."""

    advertisers: list[AdvertiserView]
    pagination: Pagination


class AdvertiserNamesAnswer(Answer):
    """A page of advertisers with id and name."""

    advertisers: list[AdvertiserRef]
    pagination: Pagination


class AdvertiserMessageAnswer(Answer):
    """The result in words."""

    message: str


@routes.get("/admin/advertisers", for_staff(Permission.ADVERTISERS_READ), id="admin.advertisers.list")
def list_(request: ApiRequest[Deps], params: ListAdvertisers) -> AdvertisersAnswer:
    """List advertisers. `updated_at`: changed since the start of that day."""
    found, total = advertisers.list_advertisers(
        request.deps,
        request.access,
        params.chosen(request.deps.zone),
        order=params.order,
        descending=params.orderType == "desc",
        **params.place(request),
    )
    view = advertiser_viewer(request)
    views = [view(record) for record in found]
    return AdvertisersAnswer(advertisers=views, pagination=params.pagination(request, total))


@routes.get("/admin/advertisers/names", for_staff(Permission.ADVERTISERS_READ), id="admin.advertisers.names")
def list_names(request: ApiRequest[Deps], params: ListAdvertiserNames) -> AdvertiserNamesAnswer:
    """List the names of advertisers, in their order, without the rest of their records."""
    chosen = AdvertiserFilter(ids=params.id, statuses=params.status)
    found, total = advertisers.list_titles(request.deps, request.access, chosen, **params.place(request))
    views = [AdvertiserRef(id=id_, title=title) for id_, title in found.items()]
    return AdvertiserNamesAnswer(advertisers=views, pagination=params.pagination(request, total))


@routes.get("/admin/advertiser/{id}", for_staff(Permission.ADVERTISERS_READ), id="admin.advertiser.get", find=find)
def show(request: ApiRequest[Deps], _params: NoParams) -> AdvertiserAnswer:
    """Show an advertiser."""
    return AdvertiserAnswer(advertiser=advertiser_viewer(request)(request.subject))


@routes.post("/admin/advertiser", _WRITERS, id="admin.advertiser.add")
def add(request: ApiRequest[Deps], params: AddAdvertiser) -> AdvertiserAnswer:
    """Create an advertiser."""
    given = params.written_values()
    lists = {name: given.pop(name) for name in AFFILIATE_LISTS if name in given}
    new = Advertiser(**given, sub_accounts=params.sub_accounts())
    record = advertisers.add_advertiser(request.deps, request.access, new, lists)
    return AdvertiserAnswer(advertiser=advertiser_viewer(request)(record))


@routes.post("/admin/advertiser/{id}", _WRITERS, id="admin.advertiser.edit", find=find)
def edit(request: ApiRequest[Deps], params: EditAdvertiser) -> AdvertiserAnswer:
    """Change an advertiser. Tags and IP addresses that are sent replace the earlier ones.

    An empty value clears.
    """
    given = params.written_values()
    stored = request.subject.advertiser
    if params.country is not None:
        given["country"] = country_to_store(request, params.country, stored.country)
    advertiser_id = stored.id
    record = advertisers.edit_advertiser(request.deps, request.access, advertiser_id, given, params.sent_parts())
    return AdvertiserAnswer(advertiser=advertiser_viewer(request)(record))


@routes.post(
    "/admin/advertiser/{id}/signing-secret",
    _WRITERS,
    id="admin.advertiser.signing-secret.renew",
    credentials=True,
    find=find,
)
def renew_signing_secret(request: ApiRequest[Deps], _params: NoParams) -> SigningSecretAnswer:
    """Give an advertiser a new secret that signs its postbacks, and show it once.

    From then on its postbacks need a `signature`; see docs/spec/conversions.md#signatures. An earlier secret ends.
    """
    advertiser_id = request.subject.advertiser.id
    secret = advertisers.renew_signing_secret(request.deps, request.access, advertiser_id)
    return SigningSecretAnswer(signing_secret=secret)


@routes.delete(
    "/admin/advertiser/{id}/signing-secret",
    _WRITERS,
    id="admin.advertiser.signing-secret.remove",
    credentials=True,
    find=find,
)
def remove_signing_secret(request: ApiRequest[Deps], _params: NoParams) -> AdvertiserMessageAnswer:
    """Remove the signing secret of an advertiser: its postbacks need no signature any more."""
    advertiser_id = request.subject.advertiser.id
    advertisers.remove_signing_secret(request.deps, request.access, advertiser_id)
    return AdvertiserMessageAnswer(message=f"Postbacks of the advertiser {advertiser_id} need no signature")


@routes.post("/admin/advertiser/{id}/sendpass", _WRITERS, id="admin.advertiser.sendpass", credentials=True, find=find)
def send_password(request: ApiRequest[Deps], _params: NoParams) -> AdvertiserMessageAnswer:
    """Give an advertiser a new password and send it by mail.

    The password works for 24 hours, and the advertiser chooses another one when it signs in.
    """
    address = advertisers.send_password(request.deps, request.access, request.subject.advertiser.id)
    return AdvertiserMessageAnswer(message=f"A new password is on its way to {address}")


@routes.post(
    "/admin/advertiser/{id}/look-as",
    _WRITERS,
    id="admin.advertiser.look_as",
    credentials=True,
    find=find,
    not_replayable=True,
)
def look_as(request: ApiRequest[Deps], _params: NoParams) -> AdvertiserLookAnswer:
    """Record that the caller looks at the portal as an advertiser sees it, for 30 minutes.

    The audit log records who looked. The console then shows the portal, in which nothing can be changed.
    """
    advertiser_id = request.subject.advertiser.id
    ends_at = begin_advertiser_look(request.deps, request.access, advertiser_id)
    return AdvertiserLookAnswer(id=advertiser_id, ends_at=datetime_text(ends_at, request.deps.zone))


@routes.post("/admin/advertiser/disable-affiliate", _WRITERS, id="admin.advertiser.disable-affiliate")
def disable_affiliate(request: ApiRequest[Deps], params: BlacklistParams) -> AdvertiserMessageAnswer:
    """Put an affiliate on the blacklist of advertisers. Its clicks on their offers are rejected."""
    ids = list(dict.fromkeys(params.advertisers_id))
    blacklist.block_affiliate(request.deps, request.access, ids, params.pid)
    return AdvertiserMessageAnswer(message=f"Affiliate {params.pid} is on the blacklist of: {', '.join(ids)}")


@routes.post("/admin/advertiser/enable-affiliate", _WRITERS, id="admin.advertiser.enable-affiliate")
def enable_affiliate(request: ApiRequest[Deps], params: BlacklistParams) -> AdvertiserMessageAnswer:
    """Remove an affiliate from the blacklist of advertisers.

    The message lists the affiliates that had not listed it.
    """
    ids = list(dict.fromkeys(params.advertisers_id))
    gone = blacklist.unblock_affiliate(request.deps, request.access, ids, params.pid)
    removed = [each for each in ids if each in gone]
    absent = [each for each in ids if each not in gone]
    parts = [f"is removed from the blacklist of: {', '.join(removed)}"] if removed else []
    parts += [f"was not on the blacklist of: {', '.join(absent)}"] if absent else []
    return AdvertiserMessageAnswer(message=f"Affiliate {params.pid} {'; it '.join(parts)}")


def advertiser_viewer(request: ApiRequest[Deps]) -> Callable[[AdvertiserRecord], AdvertiserView]:
    """Return the function that makes views of advertisers for the caller."""
    caller, deps = request.caller, request.deps
    writable = writable_scope(deps, caller, Permission.ADVERTISERS_WRITE)
    readable = scope_for(deps, caller, Permission.AFFILIATES_READ)
    sees_platform = isinstance(caller, StaffCaller) and caller.may_write_with_key(Permission.SETTINGS_WRITE)
    unmanaged = None if switches_of(deps, caller).plain else ""
    return lambda record: replace(
        _advertiser_view(record, deps, writable, readable, sees_platform=sees_platform),
        manager_obj=unmanaged if record.manager is None else manager_view(record.manager, deps.zone),
    )


def _listed(record: AdvertiserRecord, numbers: Iterable[int], readable: Scope) -> list[ListedAffiliateView]:
    shown = {number: record.names[number] for number in numbers if number in record.names}
    return [
        ListedAffiliateView(
            id=number,
            name=shown[number].name if number in shown and readable.has_affiliate(number) else "",
        )
        for number in numbers
    ]


def _advertiser_view(
    record: AdvertiserRecord, deps: Deps, writable: Scope, readable: Scope, *, sees_platform: bool
) -> AdvertiserView:
    """Return an advertiser as staff see it, with the code of its postbacks for `writable` ones only.

    It has a user once a password was sent to it.
    sees_platform: whether the caller may see the platform's code.
    """
    row = record.advertiser
    is_writable = writable.has_advertiser(row.id)
    code = row.hash_password or record.platform_code
    shown = hidden_code(code, shown=is_writable if row.hash_password else sees_platform)
    return view_of(
        AdvertiserView,
        row,
        manager=row.manager_id or "",
        manager_obj="",
        offers=str(record.offers),
        hash_password=hidden_code(row.hash_password, shown=is_writable),
        postback_url=postback_address(deps.tracking_url, shown or ""),
        signs_postbacks=row.signing_secret is not None,
        has_user=row.password_hash is not None,
        sub_accounts=sub_accounts_view(row.sub_accounts),
        sees_affiliates=int(row.sees_affiliates),
        hosts_only=False,
        affiliates_enabled=_listed(record, record.lists.enabled, readable),
        affiliates_disabled=_listed(record, record.lists.disabled, readable),
        created_at=datetime_text(row.created_at, deps.zone),
        updated_at=datetime_text(row.updated_at, deps.zone),
    )
