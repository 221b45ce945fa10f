"""The part of a request that runs in a thread: its parameters, the id in its path, its handler."""

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import BinaryIO, Generic, NamedTuple, TypeVar

from trackyard.base.errors import BadInput
from trackyard.base.logs.origin import RequestOrigin
from trackyard.domain.people.callers import Caller
from trackyard.wire.endpoint import ApiRequest, check_features
from trackyard.wire.http.auth import KEY_NAMES
from trackyard.wire.http.idempotency import RunOnce, check_idempotency_key, idempotent_request_of, owner_of
from trackyard.wire.http.key_limits import check_credentials
from trackyard.wire.http.routing import Match
from trackyard.wire.request.brackets import File, FormLimits, Tree, body_tree, close_files, merged, query_pairs, tree_of
from trackyard.wire.request.parsing import as_sent, read_params
from trackyard.wire.response.envelope import encoded
from trackyard.wire.response.exports import ExportParams, FileExport
from trackyard.wire.response.guards import hide_figures
from trackyard.wire.response.streaming import ExportResponse

MAX_IGNORED = 20
"""Names of ignored parameters that an answer lists."""
D = TypeVar("D")


class RawRequest(NamedTuple):
    """A request as it came. Reading it may take a second, so never in the event loop.

    files: of a call from within the process; others have theirs in the body.
    """

    query: bytes
    content_type: str
    body: BinaryIO
    idempotency_key: str | None
    head: bool
    limits: FormLimits
    files: Sequence[tuple[str, File]] = ()

    def tree(self) -> tuple[Tree, BadInput | None]:
        """Return the parameters, or the fault of their form.

        The fault is reported after the subject of the path was found.
        """
        try:
            check_idempotency_key(self.idempotency_key)
            sent = query_pairs(self.query, self.limits)
            under = tree_of([(name, value) for name, value in sent if name not in KEY_NAMES], self.limits)
            given = merged(under, body_tree(self.content_type, self.body, self.limits))
            return merged(given, tree_of(self.files, self.limits)) if self.files else given, None
        except BadInput as fault:
            return {}, fault


class HandlerResult(NamedTuple):
    """An answer. ignored: names of unused parameters. file: sent instead of `content`."""

    content: bytes
    ignored: list[str]
    replayed: bool = False
    file: ExportResponse | None = None

    def stored(self) -> str:
        """Return an answer in the form in which it is stored."""
        return json.dumps([self.content.decode(), self.ignored])


class HandlerRun(Generic[D]):
    """One run of a handler, with everything that reading its parameters needs."""

    def __init__(
        self,
        deps: D,
        match: Match,
        caller: Caller | None,
        origin: RequestOrigin,
        sent: RawRequest,
        run_idempotently: RunOnce | None,
        slot: Callable[[], ExitStack],
    ) -> None:
        self._match = match
        self._reserve_slot = slot
        self._sent = sent
        self._run_idempotently = run_idempotently
        endpoint = match.endpoint
        self._api_request = ApiRequest(
            deps=deps,
            caller_or_none=caller,
            address=origin.address,
            user_agent=origin.user_agent,
            version=match.version,
            permission=endpoint.permission,
            path=match.variables,
            max_limit=endpoint.page_max,
        )

    def run(self) -> HandlerResult:
        """Return the answer, or the first answer to a repeated write. Raises RequestError."""
        tree, fault = self._sent.tree()
        try:
            if self._run_idempotently is None or self._sent.idempotency_key is None or fault is not None:
                return self._respond(tree, fault)
            idempotent_request = idempotent_request_of(
                owner_of(self._api_request.caller_or_none, self._api_request.address),
                self._sent.idempotency_key,
                self._match,
                tree,
            )
            text, replayed = self._run_idempotently(idempotent_request, lambda: self._respond(tree, None).stored())
            content, ignored = json.loads(text)
            return HandlerResult(content.encode(), ignored, replayed)
        finally:
            close_files(tree)

    def _respond(self, tree: Tree, fault: BadInput | None) -> HandlerResult:
        endpoint, api_request = self._match.endpoint, self._api_request
        if endpoint.find is not None:
            api_request = replace(api_request, subject=endpoint.find(api_request))
        if fault is not None:
            raise fault
        try:
            return self._call_handler(api_request, tree)
        except BadInput as found:
            raise BadInput(as_sent(endpoint.params, tree, found.fields or {})) from found

    def _call_handler(self, api_request: ApiRequest[D], tree: Tree) -> HandlerResult:
        endpoint = self._match.endpoint
        params, ignored = read_params(endpoint.params, tree, staff=api_request.staff, version=api_request.version)
        check_credentials(api_request.caller_or_none, params)
        if endpoint.file_export is not None and isinstance(params, ExportParams) and params.format != "json":
            check_features(api_request.caller_or_none, endpoint.file_features)
            return HandlerResult(b"", sorted(ignored), file=self._file(endpoint.file_export, api_request, params))
        if endpoint.method == "GET":  # a filter that is dropped silently would widen the answer
            for name in sorted(ignored)[:MAX_IGNORED]:
                api_request.warn(ignored[name])
        answer = endpoint.handle(api_request, params)
        if api_request.warnings:
            answer.warnings = api_request.warnings
        if type(answer) is not endpoint.answer_for(api_request.caller_or_none):
            raise TypeError(f"{endpoint.id} answered {type(answer).__name__}, which is not its view for this caller")
        hide_figures(answer, api_request.caller_or_none)
        return HandlerResult(encoded(answer), sorted(ignored))

    def _file(self, file_export: FileExport[D], api_request: ApiRequest[D], params: ExportParams) -> ExportResponse:
        """Return the answer as a file. Its first rows are read, so that their errors are sent as errors."""
        cleanup = self._reserve_slot()
        try:
            file = ExportResponse(file_export.name, params.format, file_export.rows(api_request, params), cleanup)
            if not self._sent.head:
                file.read_first()
        except BaseException:
            cleanup.close()
            raise
        return file
