"""API keys of an account, for its owner and for administrators (docs/spec/callers.md#api-keys)."""

from typing import Annotated, Any, Final
from zoneinfo import ZoneInfo

from msgspec import UNSET, UnsetType

from trackyard.actions.deps import Deps
from trackyard.actions.people import keys
from trackyard.actions.people.keys import MadeKey
from trackyard.api.lookups import path_hex
from trackyard.api.people.views import RevenueSwitch, RowsSwitch, confirm_session
from trackyard.api.statistics.times import text_or_none
from trackyard.base.errors import BadInput
from trackyard.base.zones import datetime_text
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.key_limits import SCOPES, ordered_scopes
from trackyard.domain.people.keys import DEFAULT_OVERLAP_HOURS, MAX_OVERLAP_HOURS, ApiKey
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_callers, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Clearable, NoParams, Params, Seq
from trackyard.wire.response.envelope import Answer, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()

_OWN: Final = for_callers(Permission.ACCOUNT, advertisers=True)
_ADMINISTRATORS: Final = for_staff(Permission.USERS_WRITE)
_DAY_MS: Final = 86_400_000

Name = Annotated[str, s.BoundedText(minimum=1, maximum=100)]
ScopeName = Annotated[str, s.Choice(SCOPES)]
Days = Annotated[int, s.WholeNumber(minimum=1, maximum=3650)]
Hours = Annotated[int, s.WholeNumber(minimum=0, maximum=MAX_OVERLAP_HOURS)]


class Confirmed(Params):
    """What makes a key. password: of the calling account, which a session needs."""

    password: Annotated[str, s.BoundedText(maximum=1000)] = ""


class KeyLimitParams(Params):
    """The limits of a key.

    scopes: read, write or both, and the areas of permissions that it is for; without an area, all.
    networks: IP addresses, networks and ranges from which it is accepted; none = any.
    days: from now until it ends; none = never.
    statistics_revenue, statistics_rows: override the switches of its owner (docs/compatibility.md).
    """

    networks: Seq[s.IpEntry] = ()
    days: Annotated[Days | None, Clearable()] = None
    statistics_revenue: Annotated[RevenueSwitch | None, Clearable()] = None
    statistics_rows: Annotated[RowsSwitch | None, Clearable()] = None

    def sent_limits(self, now_ms: int) -> dict[str, Any]:
        """Return the sent limits by the fields of a key."""
        given = self.model_dump(include={name for name in self.model_fields_set if name in _KEY_FIELDS})
        if "scopes" in given:
            given["scopes"] = ordered_scopes(given["scopes"])
        if "networks" in given:
            given["networks"] = tuple(dict.fromkeys(given["networks"]))
        if "days" in self.model_fields_set:
            given["expires_at"] = None if self.days is None else now_ms + self.days * _DAY_MS
        return given


_KEY_FIELDS: Final = frozenset({"name", "scopes", "networks", "statistics_revenue", "statistics_rows"})


class AddKey(KeyLimitParams, Confirmed):
    """A new key of the calling account."""

    name: Name
    scopes: Seq[ScopeName]


class AddKeyForOwner(AddKey):
    """A new key of a staff user or an affiliate."""

    user_id: s.Hex | None = None
    affiliate_id: s.Id | None = None


class EditKey(KeyLimitParams):
    """Changes of a key; what is not sent stays."""

    name: Name | None = None
    scopes: Seq[ScopeName] = ()


class RotateKey(Confirmed):
    """The replacement of a key. hours: for which the old key still works."""

    hours: Hours = DEFAULT_OVERLAP_HOURS


class ListKeys(Params):
    """The owner of keys: a staff user or an affiliate."""

    user_id: s.Hex | None = None
    affiliate_id: s.Id | None = None


class KeyView(View):
    """A key. Dates are null where there is none.

    first: the key of the account that has no limits and no scopes.
    api_key: in the answer that makes it only.
    last_used_at: to the minute.
    successor_id: the key that replaces it.
    """

    id: str
    name: str
    first: bool
    scopes: list[str]
    networks: list[str]
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    successor_id: str | None
    statistics_revenue: str
    statistics_rows: str
    api_key: str | UnsetType = UNSET


class KeyAnswer(Answer):
    """One key."""

    key: KeyView


class KeysAnswer(Answer):
    """The keys of an account, the first key first, then the newest."""

    keys: list[KeyView]


class RemovedKeyAnswer(Answer):
    """The key that has ended."""

    id: str


def _find_own(request: ApiRequest[Deps]) -> ApiKey:
    return keys.get_key(request.deps, path_hex(request), request.caller.account)


def _find_any(request: ApiRequest[Deps]) -> ApiKey:
    return keys.get_key(request.deps, path_hex(request))


@routes.get("/auth/keys", _OWN, id="auth.keys.list")
def list_own(request: ApiRequest[Deps], _params: NoParams) -> KeysAnswer:
    """List the API keys of the calling account, without the keys themselves."""
    return _keys(request, request.caller.account)


@routes.post("/auth/keys", _OWN, id="auth.keys.add", not_replayable=True)
def add_own(request: ApiRequest[Deps], params: AddKey) -> KeyAnswer:
    """Make another API key of the calling account. It is shown in this answer only.

    It may do what its owner may, within its scopes. A session sends the password.
    """
    return _add(request, request.caller.account, params)


@routes.post("/auth/keys/{id}", _OWN, id="auth.keys.edit", find=_find_own)
def edit_own(request: ApiRequest[Deps], params: EditKey) -> KeyAnswer:
    """Change an API key of the calling account, from its next request on. The first key has no limits."""
    return _edit(request, params)


@routes.post("/auth/keys/{id}/rotate", _OWN, id="auth.keys.rotate", find=_find_own, not_replayable=True)
def rotate_own(request: ApiRequest[Deps], params: RotateKey) -> KeyAnswer:
    """Replace an API key of the calling account.

    The answer has its successor; the old one ends after `hours`.
    """
    return _rotate(request, params)


@routes.delete("/auth/keys/{id}", _OWN, id="auth.keys.remove", find=_find_own)
def remove_own(request: ApiRequest[Deps], _params: NoParams) -> RemovedKeyAnswer:
    """End an API key of the calling account at once. The first key is renewed or rotated instead."""
    return _remove(request)


@routes.get("/admin/keys", _ADMINISTRATORS, id="admin.keys.list", credentials=True)
def list_of(request: ApiRequest[Deps], params: ListKeys) -> KeysAnswer:
    """List the API keys of a staff user or an affiliate, without the keys themselves."""
    return _keys(request, _owner(request, params))


@routes.post("/admin/keys", _ADMINISTRATORS, id="admin.keys.add", credentials=True, not_replayable=True)
def add_for(request: ApiRequest[Deps], params: AddKeyForOwner) -> KeyAnswer:
    """Make another API key of a staff user or an affiliate. It is shown in this answer only."""
    return _add(request, _owner(request, params), params)


@routes.post("/admin/keys/{id}", _ADMINISTRATORS, id="admin.keys.edit", credentials=True, find=_find_any)
def edit_of(request: ApiRequest[Deps], params: EditKey) -> KeyAnswer:
    """Change an API key of anyone, from its next request on."""
    return _edit(request, params)


@routes.post(
    "/admin/keys/{id}/rotate",
    _ADMINISTRATORS,
    id="admin.keys.rotate",
    credentials=True,
    find=_find_any,
    not_replayable=True,
)
def rotate_of(request: ApiRequest[Deps], params: RotateKey) -> KeyAnswer:
    """Replace an API key of anyone. The answer has its successor; the old one ends after `hours`."""
    return _rotate(request, params)


@routes.delete("/admin/keys/{id}", _ADMINISTRATORS, id="admin.keys.remove", credentials=True, find=_find_any)
def remove_of(request: ApiRequest[Deps], _params: NoParams) -> RemovedKeyAnswer:
    """End an API key of anyone at once."""
    return _remove(request)


def _owner(request: ApiRequest[Deps], params: ListKeys | AddKeyForOwner) -> Account:
    if (params.user_id is None) == (params.affiliate_id is None):
        raise BadInput({"user_id": ["Send user_id or affiliate_id."]})
    if params.user_id is not None:
        account = Account(AccountKind.STAFF, params.user_id)
    else:
        account = Account(AccountKind.AFFILIATE, str(params.affiliate_id))
    keys.check_owner(request.deps, account)
    return account


def _keys(request: ApiRequest[Deps], account: Account) -> KeysAnswer:
    return KeysAnswer(keys=[key_view(each, request.deps.zone) for each in keys.list_keys(request.deps, account)])


def _add(request: ApiRequest[Deps], account: Account, params: AddKey) -> KeyAnswer:
    confirm_session(request, params.password)
    unset = {"networks": (), "expires_at": None, "statistics_revenue": None, "statistics_rows": None}
    made = keys.add_key(request.deps, account, unset | params.sent_limits(request.deps.clock.now_ms()))
    return _made(made, request.deps.zone)


def _edit(request: ApiRequest[Deps], params: EditKey) -> KeyAnswer:
    given = params.sent_limits(request.deps.clock.now_ms())
    after = keys.edit_key(request.deps, request.subject.id, given)
    return KeyAnswer(key=key_view(after, request.deps.zone))


def _rotate(request: ApiRequest[Deps], params: RotateKey) -> KeyAnswer:
    confirm_session(request, params.password)
    return _made(keys.rotate_key(request.deps, request.subject.id, params.hours), request.deps.zone)


def _remove(request: ApiRequest[Deps]) -> RemovedKeyAnswer:
    keys.remove_key(request.deps, request.subject.id)
    return RemovedKeyAnswer(id=request.subject.id)


def _made(made: MadeKey, zone: ZoneInfo) -> KeyAnswer:
    return KeyAnswer(key=key_view(made.key, zone, made.secret))


def key_view(key: ApiKey, zone: ZoneInfo, secret: str | UnsetType = UNSET) -> KeyView:
    """Return a key. secret: of a key that was just made."""
    return view_of(
        KeyView,
        key,
        first=key.is_first,
        scopes=list(key.scopes),
        networks=list(key.networks),
        created_at=datetime_text(key.created_at, zone),
        expires_at=text_or_none(key.expires_at, zone),
        last_used_at=text_or_none(key.last_used_at, zone),
        successor_id=key.successor_id or None,
        statistics_revenue=key.statistics_revenue or "",
        statistics_rows=key.statistics_rows or "",
        api_key=secret,
    )
