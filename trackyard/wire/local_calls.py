"""Calls of the API's methods from within this process (docs/spec/console.md#pages-call-the-api).

They pass the same authorization, validation and audit log as a request from outside.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Final, Generic, TypeVar
from urllib.parse import urlencode

from trackyard.base.clock import Clock
from trackyard.base.error_codes import ErrorCode
from trackyard.base.errors import AccessDenied, BadInput, RequestError, Unauthorized
from trackyard.base.logs.origin import RequestOrigin
from trackyard.domain.people.callers import Caller, StaffCaller
from trackyard.store.engine.audit_actor import current_actor
from trackyard.wire.endpoint import A, ApiRequest, Endpoint, Version, check_features
from trackyard.wire.http.answering import answer_request, read_request, request_of
from trackyard.wire.http.handler_run import file_of, is_file
from trackyard.wire.http.key_limits import authorize
from trackyard.wire.http.origins import audit_actor
from trackyard.wire.openapi.texts import NO_TEXTS, Texts
from trackyard.wire.parameters import MethodParameter, parameter_at
from trackyard.wire.request.brackets import FOR_PAGES, File, Tree, close_files, local_tree, tree_of
from trackyard.wire.request.params import fields_of
from trackyard.wire.request.parsing import as_sent, read_params
from trackyard.wire.request.scalars import Choice
from trackyard.wire.response.envelope import Answer
from trackyard.wire.response.streaming import ExportResponse

ONLY_LOOKS: Final = "You look at the portal as its owner sees it: nothing can be changed here"
VERSION: Final[Version] = "3.1"
"""The version of the API that is called."""
_TIMEZONE: Final = "timezone"

D = TypeVar("D")
V = TypeVar("V", bound=Answer)
Pairs = Sequence[tuple[str, str]]
"""Parameters as they are sent, such as `("filter[offer][]", "7")`."""
Files = Sequence[tuple[str, File]]
"""Uploads by the names of their parameters, such as `creativeFiles[]`."""


@dataclass(frozen=True)
class CallContext(Generic[D]):
    """What the calls of all callers share.

    texts: the meanings of parameters. url: of the API, for addresses that pages show.
    """

    deps: D
    clock: Clock
    texts: Texts = NO_TEXTS
    url: str = ""


@dataclass(frozen=True)
class LocalCalls(Generic[D]):
    """Calls for one caller. They run in the thread of their caller.

    caller: None for a stranger, who may call the methods for anyone alone.
    reserve_report: reserves a place among the reports of the caller; raises TooManyRequests.
    reserve_file: reserves a place among the files that are sent; raises TooManyExports, ExportsBusy.
    looks: whether staff look at the pages of the caller: they change nothing, and see nothing of how it signs in.
    timezone: is sent to each method that reads in a zone, "" = the platform's.
    warnings: the warnings of answers so far, for the frame of the page. Pages show warnings of reports in place.
    """

    context: CallContext[D]
    caller: Caller | None
    origin: RequestOrigin
    reserve_report: Callable[[], ExitStack]
    reserve_file: Callable[[], ExitStack] = ExitStack
    _: KW_ONLY
    looks: bool = False
    timezone: str = ""
    warnings: list[str] = field(default_factory=list)

    @property
    def is_staff(self) -> bool:
        """Return whether the caller is a staff user."""
        return isinstance(self.caller, StaffCaller)

    def may(self, method: Endpoint[D, Any]) -> bool:
        """Return whether the caller may call a method."""
        try:
            self._authorize(method)
        except RequestError:
            return False
        return True

    def may_export(self, method: Endpoint[D, Any]) -> bool:
        """Return whether the caller may have the answer of a method as a file."""
        return self.has_features(method.file_features) and self.may(method)

    def has_features(self, features: Iterable[str]) -> bool:
        """Return whether the caller is denied none of these features."""
        try:
            check_features(self.caller, features)
        except RequestError:
            return False
        return True

    def ask(
        self, endpoint: Endpoint[D, A], sent: Pairs = (), path: Mapping[str, str] | None = None, files: Files = ()
    ) -> A:
        """Return the answer of a method, in the view of the caller.

        sent: the parameters by wire name. path: the variables of the path by name.
        files: uploads by parameter, which are closed. Raises RequestError.
        """
        self._authorize(endpoint)
        with self.reserve_report() if endpoint.report else ExitStack():
            answer = self._answer(endpoint, sent, path, files)
        if not endpoint.report and answer.warnings:
            found = (self._in_words(endpoint, each) for each in answer.warnings)
            self.warnings.extend(each for each in found if each not in self.warnings)
        return answer

    def ask_as(
        self,
        view: type[V],
        endpoint: Endpoint[D, Any],
        sent: Pairs = (),
        path: Mapping[str, str] | None = None,
        files: Files = (),
    ) -> V:
        """Return the answer of a method that has several views, in the view of the page's people.

        Raises as `ask`; TypeError for a caller of other people.
        """
        answer = self.ask(endpoint, sent, path, files)
        if type(answer) is not view:
            raise TypeError(f"{endpoint.id} answers this caller with {type(answer).__name__}, not {view.__name__}")
        return answer

    @contextmanager
    def one_place(self) -> Iterator["LocalCalls[D]"]:
        """Yield calls with one place among the reports of the caller together, for reports that run at once.

        Raises TooManyRequests.
        """
        with self.reserve_report():
            yield replace(self, reserve_report=ExitStack)

    def file(self, method: Endpoint[D, Any], sent: Pairs, path: Mapping[str, str] | None = None) -> ExportResponse:
        """Return the answer as a file, which is read while it is sent; `sent` contains its `format`.

        It is for people, so a CSV file begins with a byte order mark.
        Its places among the reports and the files are free when it was sent. Raises RequestError.
        """
        self._authorize(method)
        with self._request(method, [*sent, ("mark", "1")], path) as (tree, request):
            read = read_request(method, request, tree)
            if not is_file(method, read):
                raise ValueError(f"{method.id} answers no file without a format")
            return file_of(method, read, tree, lambda: self._file_slot(method), head=False)

    def _authorize(self, endpoint: Endpoint[D]) -> None:
        """Raise Unauthorized or AccessDenied when the caller may not call a method."""
        if self.looks and (endpoint.method != "GET" or endpoint.id.startswith("auth.")):
            raise AccessDenied(ONLY_LOOKS, code=ErrorCode.LOOK_AS)
        if self.caller is not None:
            authorize(endpoint, self.caller, self.origin.address)
        elif not endpoint.is_public:
            raise Unauthorized

    def choices(self, method: Endpoint[D, Any], name: str) -> tuple[str, ...]:
        """Return the values that the caller may send in a parameter of a method; () for one without a list."""
        scalars = (field.scalar for field in fields_of(method.params) if field.name == name)
        return next((scalar.allowed(self._reading) for scalar in scalars if isinstance(scalar, Choice)), ())

    def parameter(self, method: Endpoint[D, Any], name: str) -> MethodParameter:
        """Return the description of a parameter for a form.

        name: as it is sent. Raises KeyError when the method does not have the parameter.
        """
        return parameter_at(method.params, name, self.context.texts, self._reading)

    def _in_words(self, endpoint: Endpoint[D, Any], warning: str) -> str:
        """Return a warning with the label of its parameter, which answers name in brackets."""
        name, found, sentence = warning.removeprefix("[").partition("] ")
        if not warning.startswith("[") or not found:
            return warning
        try:
            return f"{parameter_at(endpoint.params, name, self.context.texts, self._reading).label}: {sentence}"
        except KeyError:
            return sentence

    def check(self, method: Endpoint[D, Any], sent: Pairs) -> None:
        """Raise BadInput for parameters that the method refuses before it looks at stored things."""
        params, tree = method.params, tree_of(sent, FOR_PAGES)
        try:
            read_params(params, tree, staff=self.is_staff, version=VERSION)
        except BadInput as found:
            raise BadInput(as_sent(params, tree, found.fields or {})) from found

    @property
    def _reading(self) -> Mapping[str, Any]:
        return {"staff": self.is_staff, "version": VERSION}

    def _answer(self, endpoint: Endpoint[D, A], sent: Pairs, path: Mapping[str, str] | None, files: Files) -> A:
        with self._request(endpoint, sent, path, files) as (tree, request):
            return answer_request(endpoint, read_request(endpoint, request, tree), tree)

    @contextmanager
    def _request(
        self, endpoint: Endpoint[D, Any], sent: Pairs, path: Mapping[str, str] | None, files: Files = ()
    ) -> Iterator[tuple[Tree, ApiRequest[D]]]:
        """Yield the parameters and the request of a call, with its actor set for the audit log.

        Files are closed at the end.
        """
        tree = local_tree([*sent, *self._zone_pairs(endpoint, sent), *files], FOR_PAGES)
        request = request_of(endpoint, self.context.deps, self.caller, self.origin, VERSION, path or {})
        actor = current_actor.set(audit_actor(endpoint, self.caller, self.context.clock.now_ms()))
        try:
            yield tree, request
        finally:
            current_actor.reset(actor)
            close_files(tree)

    def _zone_pairs(self, endpoint: Endpoint[D], sent: Pairs) -> Pairs:
        """Return the zone as a parameter, for a method that reads in one and has none."""
        if not self.timezone or endpoint.method != "GET" or any(name == _TIMEZONE for name, _ in sent):
            return ()
        known = any(field.name == _TIMEZONE for field in fields_of(endpoint.params))
        return ((_TIMEZONE, self.timezone),) if known else ()

    def _file_slot(self, endpoint: Endpoint[D]) -> ExitStack:
        """Return the places of a file, which is a report until it was sent."""
        with ExitStack() as slot:
            if endpoint.report:
                slot.enter_context(self.reserve_report())
            slot.enter_context(self.reserve_file())
            return slot.pop_all()

    def address(self, method: Endpoint[D, Any], sent: Pairs = (), path: Mapping[str, str] | None = None) -> str:
        """Return the complete address of a call, to show it as a request."""
        shown = f"{self.context.url}/{VERSION}{method.path.format(**(path or {}))}"
        sent = [*sent, *self._zone_pairs(method, sent)]
        return f"{shown}?{urlencode(sent)}" if sent and method.method == "GET" else shown
