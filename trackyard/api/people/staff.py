"""Staff users, for administrators (docs/api/staff.md)."""

from typing import Annotated

from msgspec import UNSET, UnsetType, structs

from trackyard.actions.deps import Deps
from trackyard.actions.people import staff
from trackyard.actions.people.staff import StaffRecord
from trackyard.api.lookups import by_hex
from trackyard.api.paging import Paging
from trackyard.api.people.trees import TreeView, tree_view
from trackyard.api.people.views import RevenueSwitch, RowsSwitch, log_key_reads, shown_key
from trackyard.api.statistics.times import text_or_none
from trackyard.base.zones import datetime_text
from trackyard.domain.people.callers import AccountKind
from trackyard.domain.people.roles import Permission, Role, legacy_kind
from trackyard.domain.people.staff import Staff
from trackyard.domain.people.staff_permissions import staff_tree
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Clearable, NoParams, Params, Seq
from trackyard.wire.response.envelope import Answer, Pagination, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
find = by_hex(staff.get_staff)

Password = Annotated[str, s.BoundedText(minimum=5, maximum=1000)]
RoleName = Annotated[Role, s.Choice(Role)]


class ListStaff(Paging):
    """The filter of a list. q: part of the name, e-mail address or skype, or the id."""

    q: s.Text = ""


class StaffParams(Params):
    """The parameters of a staff user.

    statistics_revenue, statistics_rows: override the platform's compatibility switches for this staff user; an empty
    value removes the override.
    """

    email: s.Email | None = None
    first_name: s.Name | None = None
    last_name: s.Name | None = None
    roles: Seq[RoleName] = ()
    skype: s.Text = ""
    whatsapp: s.Text = ""
    telegram: s.Text = ""
    viber: s.Text = ""
    facebook: s.Text = ""
    wechat: s.Text = ""
    internal_telegram_username: s.Text = ""
    work_hours: s.Text = ""
    statistics_revenue: Annotated[RevenueSwitch | None, Clearable()] = None
    statistics_rows: Annotated[RowsSwitch | None, Clearable()] = None


class EditStaff(StaffParams):
    """Changes of a staff user; an empty list of roles removes them all."""

    password: Password | None = None


class AddStaff(EditStaff):
    """A new staff user; without roles it may call nothing.

    statistics_revenue, statistics_rows: override the platform's compatibility switches for this staff user.
    """

    email: s.Email
    password: Password
    first_name: s.Name
    last_name: s.Name


class SetPassword(Params):
    """The new password; a random one without it."""

    password: Annotated[str, s.BoundedText(minimum=6, maximum=1000)] | None = None


class RemoveStaff(Params):
    """The staff user who takes over: the manager of all affiliates and advertisers of the removed one."""

    successor: s.Hex | None = None


class StaffView(View):
    """A staff user with its key (docs/api/staff.md#get-adminuserid).

    type: affiliate_manager, account_manager or common_manager.
    status: active or blocked.
    statistics_revenue, statistics_rows: the compatibility switches that it overrides, "" is the platform's.
    """

    id: str
    first_name: str
    last_name: str
    work_hours: str
    email: str
    skype: str
    whatsapp: str
    telegram: str
    viber: str
    facebook: str
    wechat: str
    internal_telegram_username: str
    api_key: str | None
    roles: list[str]
    status: str
    updated_at: str
    created_at: str
    last_login_at: str | None
    type: str
    avatar: None
    info: None
    statistics_revenue: str
    statistics_rows: str
    password: str | UnsetType | None = UNSET


class PasswordView(View):
    """A password, shown once."""

    id: str
    password: str


class StaffDetailsView(StaffView, kw_only=True):
    """A staff user alone. permissions: what its roles and its own levels come to, by area and feature."""

    permissions: TreeView


class StaffDetailsAnswer(Answer):
    """One staff user with what it may do."""

    user: StaffDetailsView


class StaffAnswer(Answer):
    """One staff user. An add or edit echoes the password, null when none was sent."""

    user: StaffView


class StaffListAnswer(Answer):
    """A page of staff users."""

    users: list[StaffView]
    pagination: Pagination


class RemovedStaffAnswer(Answer):
    """A removed staff user. affiliates, advertisers: how many its successor manages from now on."""

    id: str
    affiliates: int
    advertisers: int


class PasswordAnswer(Answer):
    """A new password."""

    user: PasswordView


@routes.get("/admin/users", for_staff(Permission.USERS_WRITE), id="admin.users.list")
def list_(request: ApiRequest[Deps], params: ListStaff) -> StaffListAnswer:
    """List staff users with their keys."""
    found, total = staff.list_staff(request.deps, params.q, **params.place(request))
    log_key_reads(request, AccountKind.STAFF, [record.user.id for record in found])
    views = [staff_view(request, record) for record in found]
    return StaffListAnswer(users=views, pagination=params.pagination(request, total))


@routes.get("/admin/user/{id}", for_staff(Permission.USERS_WRITE), id="admin.user.get", find=find)
def show(request: ApiRequest[Deps], _params: NoParams) -> StaffDetailsAnswer:
    """Show a staff user with its key and what its roles let it do."""
    log_key_reads(request, AccountKind.STAFF, [request.subject.user.id])
    return _details(request, request.subject)


@routes.get("/user/me", for_staff(Permission.ACCOUNT), id="user.me.get")
def show_own(request: ApiRequest[Deps], _params: NoParams) -> StaffDetailsAnswer:
    """Show the calling staff user and what its roles let it do. `POST /auth/api_key/show` shows its key."""
    own = StaffRecord(staff.get_user(request.deps, request.caller.account.id), api_key=None)
    return _details(request, own)


def _details(request: ApiRequest[Deps], record: StaffRecord) -> StaffDetailsAnswer:
    """Return a staff user with what its roles let it do."""
    tree = tree_view(staff_tree(record.user.roles, record.user.permissions))
    view = staff_view(request, record)
    return StaffDetailsAnswer(user=StaffDetailsView(**structs.asdict(view), permissions=tree))


@routes.post("/admin/user", for_staff(Permission.USERS_WRITE), id="admin.user.add", credentials=True)
def add(request: ApiRequest[Deps], params: AddStaff) -> StaffAnswer:
    """Create a staff user. The answer has its key, and echoes the password."""
    new = Staff(**params.model_dump(exclude={"password"}))
    record = staff.add_staff(request.deps, new, params.password)
    return StaffAnswer(user=staff_view(request, record, params.password))


@routes.post("/admin/user/{id}", for_staff(Permission.USERS_WRITE), id="admin.user.edit", credentials=True, find=find)
def edit(request: ApiRequest[Deps], params: EditStaff) -> StaffAnswer:
    """Change a staff user. A new password ends its sessions.

    The answer echoes it, null when none was sent.
    """
    given = {name: getattr(params, name) for name in params.model_fields_set}
    record = staff.edit_staff(request.deps, request.subject.user.id, given, keep=request.session)
    return StaffAnswer(user=staff_view(request, record, params.password))


@routes.post(
    "/admin/user/api_key/{id}", for_staff(Permission.USERS_WRITE), id="admin.user.api_key", credentials=True, find=find
)
def renew_key(request: ApiRequest[Deps], _params: NoParams) -> StaffAnswer:
    """Give a staff user a new API key. The old one stops at once, and so do its sessions."""
    record = staff.renew_key(request.deps, request.subject.user.id, keep=request.session)
    return StaffAnswer(user=staff_view(request, record))


@routes.post(
    "/admin/user/{id}/password",
    for_staff(Permission.USERS_WRITE),
    id="admin.user.password",
    credentials=True,
    find=find,
)
def set_password(request: ApiRequest[Deps], params: SetPassword) -> PasswordAnswer:
    """Give a staff user the password that is sent, or a new one without it. Its sessions end.

    A new one for another user is mailed to it too, and works for 24 hours: it must be changed at the first sign-in.
    """
    staff_id = request.subject.user.id
    password = staff.set_password(
        request.deps, staff_id, params.password, keep=request.session, by=request.caller.account
    )
    return PasswordAnswer(user=PasswordView(id=staff_id, password=password))


@routes.post(
    "/admin/user/{id}/block", for_staff(Permission.USERS_WRITE), id="admin.user.block", credentials=True, find=find
)
def block(request: ApiRequest[Deps], _params: NoParams) -> StaffAnswer:
    """Block a staff user: its sessions end at once.

    Its keys and password do not work until it is unblocked. It stays the manager of what it manages.
    """
    record = staff.block_staff(request.deps, request.subject.user.id)
    return StaffAnswer(user=staff_view(request, record))


@routes.post(
    "/admin/user/{id}/unblock", for_staff(Permission.USERS_WRITE), id="admin.user.unblock", credentials=True, find=find
)
def unblock(request: ApiRequest[Deps], _params: NoParams) -> StaffAnswer:
    """Let a blocked staff user sign in again; its keys work again."""
    record = staff.unblock_staff(request.deps, request.subject.user.id)
    return StaffAnswer(user=staff_view(request, record))


@routes.post(
    "/admin/user/{id}/remove", for_staff(Permission.USERS_WRITE), id="admin.user.remove", credentials=True, find=find
)
def remove(request: ApiRequest[Deps], params: RemoveStaff) -> RemovedStaffAnswer:
    """Remove a staff user with its keys and sessions. The audit log keeps its id.

    One that manages affiliates or advertisers needs a successor.
    """
    staff_id = request.subject.user.id
    managed = staff.remove_staff(request.deps, staff_id, params.successor)
    return RemovedStaffAnswer(id=staff_id, affiliates=managed.affiliates, advertisers=managed.advertisers)


def staff_view(request: ApiRequest[Deps], record: StaffRecord, password: str | UnsetType | None = UNSET) -> StaffView:
    """Return a staff user as administrators see it. password: of the request; None when it has none."""
    row, zone = record.user, request.deps.zone
    return view_of(
        StaffView,
        row,
        api_key=shown_key(request, record.api_key),
        updated_at=datetime_text(row.updated_at, zone),
        created_at=datetime_text(row.created_at, zone),
        last_login_at=text_or_none(row.last_login_at, zone),
        type=legacy_kind(row.roles),
        avatar=None,
        info=None,
        password=password,
    )
