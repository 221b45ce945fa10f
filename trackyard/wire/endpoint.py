"""The declaration of an endpoint (docs/architecture.md#an-endpoint-is-one-declaration).

Dispatch, authorization, validation, the OpenAPI document and the contract tests are derived from it. Every path answers
under both prefixes.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Literal, Protocol, TypedDict, Unpack, get_args, get_type_hints

from typing_extensions import TypeVar

from trackyard.base.error_codes import ErrorCode
from trackyard.base.errors import AccessDenied, Unauthorized
from trackyard.base.strangers import StrangerAct
from trackyard.domain.people.callers import Access, AdvertiserCaller, AffiliateCaller, Caller, StaffCaller
from trackyard.domain.people.permissions import EXPORT_FEATURES, FEATURES
from trackyard.domain.people.roles import Permission
from trackyard.wire.request.params import NoParams, Params
from trackyard.wire.response.envelope import Answer
from trackyard.wire.response.exports import FileExport, with_file
from trackyard.wire.response.guards import guards_of
from trackyard.wire.response.list_rows import list_rows

Version = Literal["3.0", "3.1"]
VERSIONS: Final[tuple[Version, ...]] = ("3.0", "3.1")
LATER_PREFIXES: Final = ("4.0",)
"""Prefixes that paths of `Endpoint.also` may begin with; they answer as the newest version does."""
Method = Literal["GET", "POST", "DELETE"]
Audience = Literal["any", "affiliate", "staff", "advertiser", "anyone"]
"""any: affiliates and staff. anyone: no key is needed or read. Advertisers call what names them, and nothing else."""

MEGABYTE: Final = 1024 * 1024
UPLOAD_MAX: Final = 50 * MEGABYTE
"""Bytes of a request that may carry files."""
STRANGER_MAX: Final = 16 * 1024
"""Bytes of a request to a method for anyone."""

_SECOND_FACTOR: Final = (
    "Sessions of this account need a second factor: set one up with POST /auth/second_factor, then sign in with it"
)

_WITH_GIVEN_PASSWORD: Final = frozenset({"auth.password.change", "auth.sign-out"})
"""The methods for a session of a password that was given."""
_GIVEN: Final = "This password was given to you: choose one of your own first, with POST /auth/password"

D = TypeVar("D")
A = TypeVar("A", bound=Answer, default=Answer)
A_co = TypeVar("A_co", bound=Answer, covariant=True, default=Answer)


@dataclass(frozen=True, slots=True)
class ApiRequest(Generic[D]):
    """One authorized request.

    caller_or_none: None in methods for anyone.
    address, user_agent: the client's IP address and user agent.
    path: the values of the variables in the path.
    subject: the result of `find`.
    warnings: sentences that the answer carries with its data.
    """

    deps: D
    caller_or_none: Caller | None
    version: Version
    permission: Permission
    path: dict[str, str] = field(default_factory=dict)
    subject: Any = None
    max_limit: int = 1000
    address: str = ""
    user_agent: str = ""
    warnings: list[str] = field(default_factory=list)

    def warn(self, sentence: str) -> None:
        """Add a sentence to the `warnings` of the answer, once (docs/spec/api-conventions.md#warnings)."""
        if sentence not in self.warnings:
            self.warnings.append(sentence)

    @property
    def caller(self) -> Caller:
        """Return the caller. Raises Unauthorized in methods for anyone."""
        if self.caller_or_none is None:
            raise Unauthorized
        return self.caller_or_none

    @property
    def access(self) -> Access:
        """Return the caller with the permission of this method. Raises Unauthorized in methods for anyone."""
        return Access(self.caller, self.permission)

    @property
    def session(self) -> str:
        """Return the id of the session that calls; "" for a lasting key, and without a caller."""
        return "" if self.caller_or_none is None else self.caller_or_none.session

    @property
    def staff(self) -> bool:
        """Return whether a staff user calls."""
        return isinstance(self.caller_or_none, StaffCaller)


@dataclass(frozen=True, slots=True)
class Rights:
    """The callers of an endpoint and their permission."""

    audience: Audience
    permission: Permission
    advertisers: bool = False


FOR_ANYONE: Final = Rights("anyone", Permission.NONE)
"""Anyone may call, without a key."""


def for_staff(permission: Permission) -> Rights:
    """Admit staff users that have the permission."""
    return Rights("staff", permission)


def for_affiliates(permission: Permission) -> Rights:
    """Admit affiliates; the permission bounds their view."""
    return Rights("affiliate", permission)


def for_callers(permission: Permission, *, advertisers: bool = False) -> Rights:
    """Admit affiliates, and staff users that have the permission. advertisers: admit them as well."""
    return Rights("any", permission, advertisers)


def for_advertisers(permission: Permission) -> Rights:
    """Admit advertisers; the permission bounds their view."""
    return Rights("advertiser", permission, advertisers=True)


@dataclass(frozen=True, kw_only=True)
class Endpoint(Generic[D, A_co]):
    """One method of the API, with the type of its answers. `Routes` makes it from a handler.

    audience: staff also need `permission`; it is NONE in methods for anyone.
    advertisers: whether advertisers may call it.
    find: finds the subject of the path or raises NotFound, before parameters are read.
    affiliate_answer: the view of affiliates, when it differs.
    page_max: larger limits are reduced to it.
    body_max: bytes; at most STRANGER_MAX in methods for anyone.
    versions: the prefixes that it answers.
    report: a caller may run only a few reports at the same time.
    not_replayable: a repeat with the same Idempotency-Key runs again.
    credentials: whether it decides who gets in, as a method that writes a column of CREDENTIAL_COLUMNS does: keys with
    limits may not call it. A parameter alone is marked `Credential`.
    features: a caller that is denied one of them may not call (domain/people/permissions.py).
    file_export: the answer to `format=csv`; by default the file of a list has the rows of its answers.
    also: other spellings of the path, which answer the same; one may begin with a prefix of LATER_PREFIXES.
    act: the kind of act, for writes of strangers in methods for anyone.
    """

    id: str
    method: Method
    path: str
    audience: Audience = "any"
    permission: Permission = Permission.NONE
    advertisers: bool = False
    params: type[Params] = NoParams
    answer: type[Answer]
    affiliate_answer: type[Answer] | None = None
    handle: Callable[[ApiRequest[D], Any], A_co]
    find: Callable[[ApiRequest[D]], Any] | None = None
    page_max: int = 1000
    body_max: int = MEGABYTE
    versions: tuple[Version, ...] = VERSIONS
    report: bool = False
    not_replayable: bool = False
    credentials: bool = False
    features: tuple[str, ...] = ()
    file_export: FileExport[D] | None = None
    description: str = ""
    also: tuple[str, ...] = ()
    act: StrangerAct | None = None

    def __post_init__(self) -> None:
        if not self.text:
            raise TypeError(f"{self.id}: the docstring of the handler is the description of the endpoint")
        if (self.permission is Permission.NONE) != (self.audience == "anyone"):
            raise TypeError(f"{self.id}: only methods for anyone need no permission")
        if (self.act is None) == (self.is_public and self.method != "GET"):
            raise TypeError(f"{self.id}: writes of strangers, and nothing else, have an act")
        if self.is_public:
            object.__setattr__(self, "body_max", min(self.body_max, STRANGER_MAX))
        if self.method == "GET" and self.file_export is None:
            object.__setattr__(self, "file_export", self._file_of_rows())
        if self.file_export is not None:
            if self.method != "GET":
                raise TypeError(f"{self.id}: a file is the answer of a GET")
            object.__setattr__(self, "params", with_file(self.params))
            if self.file_export.rows is not None and any(guards_of(view) for view in self.file_export.views):
                raise TypeError(f"{self.id}: rows of a file carry no figures of another permission")
        if not {*self.features, *self.file_features} <= FEATURES.keys():
            raise TypeError(f"{self.id}: there is no such feature")

    def _file_of_rows(self) -> FileExport[D] | None:
        """Return the file of a list, from the rows of its answers; None for other methods."""
        found = [list_rows(answer) for answer in (self.answer, self.affiliate_answer) if answer is not None]
        if any(each is None for each in found):
            return None
        views = tuple(each.view for each in found if each is not None and each.view is not None)
        feature = EXPORT_FEATURES.get(self.permission, "") if self.report else ""
        return FileExport(self.id.replace(".", "-").removesuffix("-list"), views, None, feature=feature)

    @property
    def is_public(self) -> bool:
        """Return whether it is a method for anyone, which needs no key."""
        return self.audience == "anyone"

    @property
    def kind(self) -> str:
        """Return the kind of request, a label of the metric trackyard_api_request_duration_seconds."""
        if self.is_public:
            return "public"
        if self.report:
            return "report"
        return "read" if self.method == "GET" else "write"

    @property
    def file_features(self) -> tuple[str, ...]:
        """Return the features that an affiliate needs for the answer as a file, besides `features`."""
        return (self.file_export.feature,) if self.file_export is not None and self.file_export.feature else ()

    @property
    def text(self) -> str:
        """Return its description, by default the docstring of the handler."""
        return self.description or inspect.getdoc(self.handle) or ""

    @property
    def variables(self) -> tuple[str, ...]:
        """Return the variables in the path by name, in order."""
        return tuple(re.findall(r"\{(\w+)\}", self.path))

    @property
    def replayable(self) -> bool:
        """Return whether a repeat with the same Idempotency-Key does not run again."""
        return self.method != "GET" and not self.not_replayable

    def answer_for(self, caller: Caller | None) -> type[Answer]:
        """Return the view for a caller. Fields hidden from affiliates do not exist in theirs."""
        return self.affiliate_answer or self.answer if isinstance(caller, AffiliateCaller) else self.answer

    def admits(self, caller: Caller) -> bool:
        """Return whether this kind of caller may call the endpoint."""
        if isinstance(caller, AdvertiserCaller):
            return self.advertisers
        return self.audience in ("any", "anyone", "staff" if isinstance(caller, StaffCaller) else "affiliate")


class EndpointOptions(TypedDict, Generic[D], total=False):
    """The options of a route, in addition to path and rights (see `Endpoint`)."""

    find: Callable[[ApiRequest[D]], Any]
    page_max: int
    body_max: int
    versions: tuple[Version, ...]
    report: bool
    not_replayable: bool
    credentials: bool
    features: tuple[str, ...]
    file_export: FileExport[D]
    params: type[Params]
    description: str
    also: tuple[str, ...]
    act: StrangerAct


class Declare(Protocol[D]):
    """Makes an endpoint of a handler."""

    def __call__(self, handler: Callable[[ApiRequest[D], Any], A], /) -> Endpoint[D, A]:
        """Return the endpoint with the type of the handler's answers."""
        ...


class Routes(Generic[D]):
    """The endpoints of one file, in the order of their handlers.

    A decorated handler is its endpoint, which pages pass to `LocalCalls.ask`.

    Parameters, answer and description are read from the handler: the annotation of its second argument, its return
    annotation (`ForStaff | ForAffiliates` when the two differ) and its docstring.
    """

    def __init__(self) -> None:
        self.endpoints: list[Endpoint[D]] = []

    def get(self, path: str, rights: Rights, *, id: str, **options: Unpack[EndpointOptions[D]]) -> "Declare[D]":
        """Declare a GET."""
        return self._route("GET", path, rights, id, options)

    def post(self, path: str, rights: Rights, *, id: str, **options: Unpack[EndpointOptions[D]]) -> "Declare[D]":
        """Declare a POST."""
        return self._route("POST", path, rights, id, options)

    def delete(self, path: str, rights: Rights, *, id: str, **options: Unpack[EndpointOptions[D]]) -> "Declare[D]":
        """Declare a DELETE."""
        return self._route("DELETE", path, rights, id, options)

    def _route(self, method: Method, path: str, rights: Rights, id: str, options: EndpointOptions[D]) -> "Declare[D]":
        def declare(handler: Callable[[ApiRequest[D], Any], A]) -> Endpoint[D, A]:
            hints = get_type_hints(handler)
            answers = get_args(hints["return"]) or (hints["return"],)
            params = next(hint for name, hint in hints.items() if name not in ("request", "return"))
            settings: dict[str, Any] = {"params": params} | options
            endpoint = Endpoint[D, A](
                id=id,
                method=method,
                path=path,
                audience=rights.audience,
                permission=rights.permission,
                advertisers=rights.advertisers,
                answer=answers[0],
                affiliate_answer=answers[1] if len(answers) > 1 else None,
                handle=handler,
                **settings,
            )
            self.endpoints.append(endpoint)
            return endpoint

        return declare


@dataclass(frozen=True)
class Topic:
    """The methods of one subject. name: in addresses and tags. title: for people."""

    name: str
    title: str
    endpoints: Sequence[Endpoint[Any]]


def check_password_choice(caller: Caller, method: str = "") -> None:
    """Raise AccessDenied for a session of a given password.

    It may choose another password, or sign out.
    """
    if caller.needs_password and method not in _WITH_GIVEN_PASSWORD:
        raise AccessDenied(_GIVEN, code=ErrorCode.PASSWORD_CHANGE_REQUIRED)


def check_second_factor(caller: Caller, permission: Permission = Permission.NONE) -> None:
    """Raise AccessDenied for a session that needs a second factor first.

    It may call the methods of its own account.
    """
    if caller.needs_second_factor and permission is not Permission.ACCOUNT:
        raise AccessDenied(_SECOND_FACTOR, code=ErrorCode.SECOND_FACTOR_REQUIRED)


def check_features(caller: Caller | None, features: Iterable[str]) -> None:
    """Raise AccessDenied for a caller that is denied a feature."""
    if caller is None:
        return
    for feature in features:
        if feature in caller.denied:
            raise AccessDenied(code=feature)
