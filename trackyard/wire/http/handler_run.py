"""The part of a request that runs in a thread: parameters, answer, bytes of the answer."""

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack, nullcontext
from typing import Any, BinaryIO, Generic, NamedTuple, TypeVar

from trackyard.base.errors import BadInput
from trackyard.base.logs.origin import RequestOrigin
from trackyard.domain.people.callers import Caller
from trackyard.wire.endpoint import Endpoint, check_features
from trackyard.wire.http.answering import ReadRequest, answer_request, faults_as_sent, read_request, request_of
from trackyard.wire.http.auth import KEY_NAMES
from trackyard.wire.http.idempotency import RunOnce, check_idempotency_key, idempotent_request_of, owner_of
from trackyard.wire.http.list_files import list_table
from trackyard.wire.http.routing import Match
from trackyard.wire.request.brackets import File, FormLimits, Tree, body_tree, close_files, merged, query_pairs, tree_of
from trackyard.wire.response.envelope import encoded
from trackyard.wire.response.exports import ExportParams
from trackyard.wire.response.streaming import ExportResponse

D = TypeVar("D")


class RawRequest(NamedTuple):
    """A request as it came. Reading it may take a second, so never in the event loop.

    files: the uploads of a call from within the process; other requests have their files in the body.
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
    """An answer. ignored: the unused parameters by name. file: sent instead of `content`."""

    content: bytes
    ignored: list[str]
    replayed: bool = False
    file: ExportResponse | None = None

    def stored(self) -> str:
        """Return an answer in the form in which it is stored."""
        return json.dumps([self.content.decode(), self.ignored])


def is_file(endpoint: Endpoint[D, Any], read: ReadRequest[D]) -> bool:
    """Return whether a file answers the request instead of JSON."""
    return endpoint.file_export is not None and isinstance(read.params, ExportParams) and read.params.format != "json"


def file_of(
    endpoint: Endpoint[D, Any], read: ReadRequest[D], tree: Tree, reserve_slot: Callable[[], ExitStack], *, head: bool
) -> ExportResponse:
    """Return the answer as a file. Its first rows are read, so that their errors are sent as errors.

    reserve_slot: reserves the places of the file, which are free when it was sent.
    head: the file is not read. Raises RequestError; ValueError for a method without files.
    """
    if endpoint.file_export is None or not isinstance(read.params, ExportParams):
        raise ValueError(f"{endpoint.id} answers no file")
    check_features(read.request.caller_or_none, endpoint.file_features)
    cleanup, export, asked = reserve_slot(), endpoint.file_export, read.params
    try:
        with faults_as_sent(endpoint, tree) if export.rows is not None else nullcontext():  # answers report theirs
            table = list_table(endpoint, read, tree) if export.rows is None else export.rows(read.request, asked)
            file = ExportResponse(
                export.name, asked.format, table, cleanup, has_mark=asked.mark, separator=asked.separator
            )
            if not head:
                file.read_first()
    except BaseException:
        cleanup.close()
        raise
    return file


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
        self._api_request = request_of(match.endpoint, deps, caller, origin, match.version, match.variables)

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
        endpoint = self._match.endpoint
        read = read_request(endpoint, self._api_request, tree, fault)
        ignored = sorted(read.ignored)
        if is_file(endpoint, read):
            file = file_of(endpoint, read, tree, self._reserve_slot, head=self._sent.head)
            return HandlerResult(b"", ignored, file=file)
        return HandlerResult(encoded(answer_request(endpoint, read, tree)), ignored)
