"""The declaration of an endpoint: path, callers, permission, parameters, answer in one place
(docs/architecture.md#an-endpoint-is-one-declaration).

Dispatch, authorization, validation, the OpenAPI document and the contract tests are derived from it. Every path
answers under both prefixes.
"""

import inspect
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Literal, TypeVar

from trackyard.base.errors import AccessDenied, Unauthorized
from trackyard.domain.people.callers import AffiliateCaller, Caller, StaffCaller
from trackyard.domain.people.permissions import FEATURES
from trackyard.domain.people.roles import Permission
from trackyard.wire.request.params import NoParams, Params
from trackyard.wire.response.envelope import Answer
from trackyard.wire.response.exports import ExportParams, FileExport

Version = Literal["3.0", "3.1"]
VERSIONS: Final[tuple[Version, ...]] = ("3.0", "3.1")
Method = Literal["GET", "POST", "DELETE"]
Audience = Literal["any", "affiliate", "staff", "anyone"]
"""any: affiliates and staff · anyone: strangers too; a key is not even looked at."""

MEGABYTE: Final = 1024 * 1024
UPLOAD_MAX: Final = 50 * MEGABYTE
"""Bytes of a request that may carry files."""

D = TypeVar("D")


@dataclass(frozen=True, slots=True)
class ApiRequest(Generic[D]):
    """One authorized request. `caller_or_none`: who calls, None in methods for anyone · `address`: the client's ·
    `path`: the values of the path's variables · `subject`: what `find` found ·
    `warnings`: sentences that the answer carries besides its data."""

    deps: D
    caller_or_none: Caller | None
    version: Version
    permission: Permission
    path: dict[str, str] = field(default_factory=dict)
    subject: Any = None
    max_limit: int = 1000
    address: str = ""
    warnings: list[str] = field(default_factory=list)

    def warn(self, sentence: str) -> None:
        """Add a sentence to the `warnings` of the answer, once (docs/spec/api-conventions.md#warnings)."""
        if sentence not in self.warnings:
            self.warnings.append(sentence)

    @property
    def caller(self) -> Caller:
        """Who calls. Raises Unauthorized in methods for anyone: they know nobody."""
        if self.caller_or_none is None:
            raise Unauthorized
        return self.caller_or_none

    @property
    def staff(self) -> bool:
        """Whether a staff user calls."""
        return isinstance(self.caller_or_none, StaffCaller)

    @property
    def affiliate_id(self) -> int | None:
        """The calling affiliate's id; None for staff."""
        return self.caller_or_none.id if isinstance(self.caller_or_none, AffiliateCaller) else None


@dataclass(frozen=True, kw_only=True)
class Endpoint(Generic[D]):
    """One method of the API.

    audience: who may call; staff also need `permission` (NONE for methods for anyone) · find: finds what the path's
    id names, or raises NotFound, before parameters are looked at · affiliate_answer: the view affiliates get, when it
    is another · handle: gets the call and the read parameters · page_max: larger limits are clamped to it ·
    body_max: bytes · versions: the prefixes it answers · report: a key has but a few of these running at once · anew:
    a repeat with the same Idempotency-Key is made again all the same · features: what an affiliate must not be denied
    (domain/people/permissions.py) · sheet: what `format=csv` gives.
    """

    id: str
    method: Method
    path: str
    audience: Audience = "any"
    permission: Permission = Permission.NONE
    params: type[Params] = NoParams
    answer: type[Answer]
    affiliate_answer: type[Answer] | None = None
    handle: Callable[[ApiRequest[D], Any], Answer]
    find: Callable[[ApiRequest[D]], Any] | None = None
    page_max: int = 1000
    body_max: int = MEGABYTE
    versions: tuple[Version, ...] = VERSIONS
    report: bool = False
    not_replayable: bool = False
    features: tuple[str, ...] = ()
    file_export: FileExport[D] | None = None
    description: str = ""

    def __post_init__(self) -> None:
        if not self.text:
            raise TypeError(f"{self.id}: the handler's docstring is the endpoint's description")
        if (self.permission is Permission.NONE) != (self.audience == "anyone"):
            raise TypeError(f"{self.id}: methods for anyone, and no others, need no permission")
        if not set(self.features) <= FEATURES.keys():
            raise TypeError(f"{self.id}: there is no such feature")
        if self.file_export is not None and (self.method != "GET" or not issubclass(self.params, ExportParams)):
            raise TypeError(f"{self.id}: a file is the answer of a GET that has the parameter format")

    @property
    def text(self) -> str:
        """What it does: `description`, else its handler's docstring."""
        return self.description or inspect.getdoc(self.handle) or ""

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the path's variables, in order."""
        return tuple(re.findall(r"\{(\w+)\}", self.path))

    @property
    def replayable(self) -> bool:
        """Whether an Idempotency-Key makes it once."""
        return self.method != "GET" and not self.not_replayable

    def answer_for(self, caller: Caller | None) -> type[Answer]:
        """The view a caller's answer has: what an affiliate may not see does not exist in its own."""
        return self.affiliate_answer or self.answer if isinstance(caller, AffiliateCaller) else self.answer

    def admits(self, caller: Caller) -> bool:
        """Whether this kind of caller may call it at all."""
        others = "affiliate" if isinstance(caller, StaffCaller) else "staff"
        return self.audience != others


@dataclass(frozen=True)
class Topic:
    """The methods of one subject. name: in addresses and tags · title: for people."""

    name: str
    title: str
    endpoints: tuple[Endpoint[Any], ...]


def check_features(caller: Caller | None, features: Iterable[str]) -> None:
    """Raises AccessDenied for an affiliate that is denied one of the features."""
    if not isinstance(caller, AffiliateCaller):
        return
    for feature in features:
        if feature in caller.denied:
            raise AccessDenied(code=feature)
