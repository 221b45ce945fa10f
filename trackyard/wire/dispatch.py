"""One request from bytes to answer, in the order of behaviour.md §2: unrouted, method, size, key, caller, path id,
parameters. Handlers are synchronous and run in threads; nothing else blocks the loop."""

import logging
import re
import secrets
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import Any, BinaryIO, Generic, NamedTuple, TypeVar, cast
from urllib.parse import quote

import anyio.to_thread
from anyio import CapacityLimiter
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from trackyard.base.clock import Clock, SystemClock
from trackyard.base.errors import AccessDenied, BadInput, Refusal, TooLarge, TooManyRequests, Unauthorized, WrongCaller
from trackyard.base.metrics import API_REQUESTS, API_SECONDS
from trackyard.base.telemetry import request_id
from trackyard.domain.acting import Acting, acting
from trackyard.domain.callers import Caller, StaffCaller
from trackyard.wire.auth import KEY_NAMES, Authenticate, find_caller, find_key
from trackyard.wire.brackets import Tree, body_tree, close_files, merged, query_pairs, tree_of
from trackyard.wire.endpoint import MEGABYTE, Call, Endpoint
from trackyard.wire.envelope import encoded
from trackyard.wire.errors import MethodNotAllowed, body_of, server_error
from trackyard.wire.probes import Branch, Page
from trackyard.wire.reading import read_params
from trackyard.wire.routing import Match, Routes

log = logging.getLogger("trackyard.api")

JSON = "application/json"
MAX_IGNORED = 20
THREADS = 16
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}\Z")

D = TypeVar("D")


class Dispatch(Generic[D]):
    """The ASGI application of a catalogue.

    Outside of the API, and without a key: `pages` by their path, `branches` by what their paths begin with
    (`/files/`), which get the rest of the path.
    """

    def __init__(
        self,
        endpoints: Iterable[Endpoint[D]],
        deps: D,
        authenticate: Authenticate,
        pages: Mapping[str, Page],
        branches: Mapping[str, Branch] | None = None,
        *,
        clock: Clock | None = None,
    ) -> None:
        self._clock = clock or SystemClock()
        self._routes = Routes(endpoints)
        self._deps = deps
        self._authenticate = authenticate
        self._pages = pages
        self._branches = branches or {}
        self._threads = CapacityLimiter(THREADS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1000})
            return
        request = Request(scope, receive)
        token = request_id.set(_request_id(request))
        try:
            response = await self._answered(request)
            response.headers["X-Request-Id"] = request_id.get()
            if request.method == "HEAD":
                response.body = b""  # Content-Length stays that of GET
            await response(scope, receive, send)
        finally:
            request_id.reset(token)

    async def _answered(self, request: Request) -> Response:
        started = time.perf_counter()
        label, who = "unrouted", ""
        try:
            page = self._find_page(request)
            if request.method == "OPTIONS":
                response = self._options(request)
            elif page is not None:
                response = await self._page(page, request)
            else:
                match = self._routes.get(request.method, request.scope["path"])
                label = match.endpoint.path
                response, who = await self._called(match, request)
        except Refusal as refusal:
            response = _refused(refusal)
        except ClientDisconnect:
            response = _json(400, body_of(Refusal("The request ended too early")))  # nobody reads it
        except Exception:
            log.exception("request failed", extra={"method": request.method, "path": request.scope["path"]})
            response = _json(500, server_error(request_id.get()))
        self._account(request, response, label, who, time.perf_counter() - started)
        return response

    async def _called(self, match: Match, request: Request) -> tuple[Response, str]:
        query, most = request.scope["query_string"], match.endpoint.body_max
        _check_length(request, most)
        key = find_key(request.headers, _key_pairs(query))
        anyone = match.endpoint.audience == "anyone"
        # Looked up before the body is read: a stranger must not fill the disk with an upload.
        caller = (
            None
            if anyone
            else await anyio.to_thread.run_sync(find_caller, self._authenticate, key, limiter=self._threads)
        )
        with SpooledTemporaryFile(max_size=MEGABYTE) as body:
            await _read_body(request, most, body if anyone or caller is not None else None)
            if caller is None and not anyone:
                raise Unauthorized
            # The key's rate (429) is taken here, once it has one.
            try:
                _authorize(match.endpoint, caller)
                content, ignored = await self._work(match, caller, request, body)
            except Refusal as refusal:
                return _refused(refusal), _name(caller)
        response = Response(content, media_type=JSON)
        if ignored:
            names = sorted(ignored)[:MAX_IGNORED]
            response.headers["X-Ignored-Parameters"] = ",".join(quote(name[:200], safe="[]") for name in names)
        return response, _name(caller)

    async def _work(
        self, match: Match, caller: Caller | None, request: Request, body: "SpooledTemporaryFile[bytes]"
    ) -> tuple[bytes, set[str]]:
        sent = _Sent(request.scope["query_string"], request.headers.get("content-type", ""), cast(BinaryIO, body))
        token = acting.set(self._acting(match, caller))
        try:
            work = _Work(self._deps, match, caller, _address(request), sent)
            return await anyio.to_thread.run_sync(work.run, limiter=self._threads)
        finally:
            acting.reset(token)

    def _acting(self, match: Match, caller: Caller | None) -> Acting | None:
        """Who the audit log names for what this call writes."""
        if not isinstance(caller, StaffCaller):
            return None
        return Acting(caller.id, match.endpoint.id, request_id.get(), self._clock.now_ms())

    def _find_page(self, request: Request) -> Page | None:
        path = request.scope["path"]
        for prefix, branch in self._branches.items():
            if path.startswith(prefix):
                return partial(branch, path.removeprefix(prefix), request.headers)
        return self._pages.get(path.rstrip("/"))

    async def _page(self, page: Page, request: Request) -> Response:
        if request.method not in ("GET", "HEAD"):
            raise MethodNotAllowed(["GET", "HEAD", "OPTIONS"])
        return await anyio.to_thread.run_sync(page, limiter=self._threads)

    def _options(self, request: Request) -> Response:
        response = _json(200, {"status": 1})
        response.headers["Allow"] = ", ".join(self._routes.allowed(request.scope["path"]) or ["GET", "HEAD", "OPTIONS"])
        return response

    @staticmethod
    def _account(request: Request, response: Response, label: str, who: str, seconds: float) -> None:
        method = request.method if request.method in ("GET", "HEAD", "POST", "DELETE", "OPTIONS") else "other"
        API_REQUESTS.labels(method, label, str(response.status_code)).inc()
        API_SECONDS.labels(label).observe(seconds)
        fields = {"method": request.method, "path": request.scope["path"], "status": response.status_code}
        log.info("request", extra=fields | {"caller": who, "ms": round(seconds * 1000, 1)})


class _Sent(NamedTuple):
    """What a request says, as it came. Reading it may take a second: never in the event loop."""

    query: bytes
    content_type: str
    body: BinaryIO

    def tree(self) -> tuple[Tree, BadInput | None]:
        """The parameters, or what is wrong with their form: told only after the path's id was looked for."""
        try:
            pairs = [(name, value) for name, value in query_pairs(self.query) if name not in KEY_NAMES]
            under = tree_of(pairs)
            return merged(under, body_tree(self.content_type, self.body)), None
        except BadInput as fault:
            return {}, fault


class _Work(Generic[D]):
    """The part of a call that runs in a thread: the parameters' form, the path's id, the parameters, the handler."""

    def __init__(self, deps: D, match: Match, caller: Caller | None, address: str, sent: _Sent) -> None:
        self._match = match
        self._sent = sent
        endpoint = match.endpoint
        self._call = Call(
            deps=deps,
            known=caller,
            address=address,
            version=match.version,
            permission=endpoint.permission,
            path=match.variables,
            max_limit=endpoint.page_max,
        )

    def run(self) -> tuple[bytes, set[str]]:
        """The answer and the names of the parameters it did not use. Raises Refusals."""
        tree, fault = self._sent.tree()
        try:
            return self._answered(tree, fault)
        finally:
            close_files(tree)

    def _answered(self, tree: Tree, fault: BadInput | None) -> tuple[bytes, set[str]]:
        endpoint, call = self._match.endpoint, self._call
        if endpoint.find is not None:
            call = replace(call, subject=endpoint.find(call))
        if fault is not None:
            raise fault
        params, ignored = read_params(endpoint.params, tree, staff=call.staff, version=call.version)
        answer = endpoint.handle(call, params)
        if type(answer) is not endpoint.answer_for(call.known):
            raise TypeError(f"{endpoint.id} answered {type(answer).__name__}, which is not its view for this caller")
        return encoded(answer), ignored


def _name(caller: Caller | None) -> str:
    return "" if caller is None else caller.name


def _address(request: Request) -> str:
    """The client's address; behind a trusted proxy the one it tells of (the server sees to that)."""
    return request.client.host if request.client is not None else ""


def _authorize(endpoint: Endpoint[Any], caller: Caller | None) -> None:
    if caller is None:
        return  # a method for anyone: `_called` refuses strangers elsewhere
    if not endpoint.admits(caller):
        raise WrongCaller
    if isinstance(caller, StaffCaller) and not caller.may(endpoint.permission):
        raise AccessDenied(code=endpoint.permission)


def _check_length(request: Request, most: int) -> None:
    said = request.headers.get("content-length", "")
    if said.isdecimal() and int(said) > most:
        raise _too_large(most)


async def _read_body(request: Request, most: int, body: "SpooledTemporaryFile[bytes] | None") -> None:
    """Reads the body into `body`, in memory up to a megabyte, then on disk; None counts it alone."""
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > most:
            raise _too_large(most)
        if body is not None:
            body.write(chunk)


def _too_large(most: int) -> TooLarge:
    return TooLarge(f"The body is over the limit of {most // MEGABYTE} MB")


def _key_pairs(query: bytes) -> list[tuple[str, str]]:
    """The pairs that may hold the key; the rest of the query may be broken."""
    pairs = (piece.partition(b"=") for piece in query.split(b"&"))
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, _, value in pairs]


def _request_id(request: Request) -> str:
    sent = request.headers.get("x-request-id", "")
    return sent if _REQUEST_ID.match(sent) else secrets.token_hex(12)


def _refused(refusal: Refusal) -> Response:
    response = _json(refusal.status, body_of(refusal))
    if isinstance(refusal, MethodNotAllowed):
        response.headers["Allow"] = ", ".join(refusal.allowed)
    if isinstance(refusal, TooManyRequests):
        response.headers["Retry-After"] = str(refusal.retry_after)
    return response


def _json(status: int, body: Any) -> Response:
    return Response(encoded(body), status_code=status, media_type=JSON)


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
