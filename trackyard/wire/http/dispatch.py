"""One request from bytes to answer, checked in the order of docs/spec/api-conventions.md#errors.

The order is: path, method, size, key, rate, caller, id in the path, parameters. Handlers are synchronous and run in
threads; nothing else blocks the event loop.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import ExitStack
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, Generic, TypeVar, cast
from urllib.parse import quote

import anyio.to_thread
from anyio import CapacityLimiter
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from trackyard.analytics.cancellation import CancellationToken, current_cancellation
from trackyard.base.clock import Clock, SystemClock
from trackyard.base.error_codes import ErrorCode
from trackyard.base.errors import RequestError, TooManyRequests, Unauthorized, Unavailable
from trackyard.base.logs.origin import request_origin
from trackyard.base.logs.outages import first_line
from trackyard.base.metrics import API_PATH_SECONDS, API_REQUESTS, API_SECONDS
from trackyard.base.rate_limits import Limiter, MonotonicClock, RateLimit, RateLimiter, RateLimitStatus
from trackyard.base.secrets import digest
from trackyard.base.strangers import StrangersBusy
from trackyard.domain.people.callers import AffiliateCaller, Caller
from trackyard.domain.tracking.ip_lists import wide_network_of
from trackyard.store.engine.audit_actor import current_actor
from trackyard.wire.endpoint import MEGABYTE, Endpoint
from trackyard.wire.http.answering import MAX_IGNORED
from trackyard.wire.http.answers import JSON, error_response, json_response, protect
from trackyard.wire.http.auth import Authenticate, find_caller, find_key
from trackyard.wire.http.bodies import check_length, read_body
from trackyard.wire.http.disconnects import run_cancellable
from trackyard.wire.http.forwarding import find_forwarded
from trackyard.wire.http.handler_run import HandlerResult, HandlerRun, RawRequest
from trackyard.wire.http.health import Branch, Page, Site, health
from trackyard.wire.http.idempotency import (
    REPLAYED_HEADER,
    RunOnce,
    find_idempotency_key,
)
from trackyard.wire.http.key_limits import authorize
from trackyard.wire.http.origins import address_of, audit_actor, origin_of
from trackyard.wire.http.rate_limits import (
    ApiLimits,
    ReportLimiter,
    SharedLimits,
    WrongKeyLimiter,
    rate_headers,
    take_shared,
)
from trackyard.wire.http.routing import Match, RouteTable
from trackyard.wire.limits.strangers import Door, Strangers
from trackyard.wire.request.brackets import (
    FOR_CALLERS,
    FOR_STRANGERS,
)
from trackyard.wire.request.params import MAX_SHOWN_NAME
from trackyard.wire.response.errors import MethodNotAllowed, server_error
from trackyard.wire.response.streaming import ExportSlots

log = logging.getLogger("trackyard.api")

_PROBES = frozenset({"/healthz", "/readyz", "/metrics"})
"""Pages that monitoring asks for all day: their requests are logged for DEBUG."""

THREADS = 16
REPORT_THREADS = 100
"""Most of them wait for the analytic store, which refuses reports that would wait too long."""
FILE_THREADS = 4
"""For files of offers and pages of the documentation, which anyone may ask for."""
REFUSAL_DELAY_S = 0.25
"""Time that a 429 waits. Its connection is not read meanwhile, so that a flood sends little."""
BUSY_DELAY_S = 1.0
"""Time that a stranger without a place waits, and a 429 of a page: no program asks for pages."""

Forward = Callable[[Request, str], Awaitable[Response]]
"""Answers a request for the tracking listener that came to the API. Arguments: request, address of its caller."""

D = TypeVar("D")


class Dispatch(Generic[D]):
    """The ASGI application of a catalogue.

    pages: pages without a key, by path.
    branches: pages without a key, by the start of their path (`/files/`); they get the rest of the path, or the query
        where the start is a path and `?`.
    run_idempotently: returns the first answer to a repeated write; None = Idempotency-Key is ignored.
    site: pages for people; None = the API alone.
    hsts_seconds: how long browsers that came by https keep to it; 0 = the header is not sent.
    shared: the limits that the APIs of all machines count together; None = each counts by itself.
    refusal_of: maps a failure to the error for the caller; None = a defect of the program.
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
        limits: ApiLimits | None = None,
        run_idempotently: RunOnce | None = None,
        refusal_of: Callable[[Exception], RequestError | None] = lambda _fault: None,
        seconds: MonotonicClock = time.monotonic,
        forward: Forward | None = None,
        site: Site | None = None,
        hsts_seconds: int = 0,
        shared: SharedLimits | None = None,
    ) -> None:
        self._hsts = f"max-age={hsts_seconds}" if hsts_seconds else ""
        self._forward, self._site = forward, site
        self._refusal_of = refusal_of
        self._clock = clock or SystemClock()
        self._limits = limits = limits or ApiLimits()
        self._shared = shared
        self._rates: Limiter = RateLimiter(limits, seconds)
        self._strangers = Strangers(limits, shared, seconds)
        self._files: Limiter = RateLimiter(limits.of_pages(), seconds)
        self._refused: Limiter = RateLimiter(limits.of_pages(), seconds)
        self._probes: Limiter = RateLimiter(limits.of_pages(), seconds)
        self._reports = ReportLimiter(limits)
        self._failed = WrongKeyLimiter(seconds)
        self._run_idempotently = run_idempotently
        self._exports = ExportSlots() if site is None else site.exports
        self._routes = RouteTable(endpoints)
        self._deps = deps
        self._authenticate = authenticate
        self._pages = pages
        self._branches = branches or {}
        self._threads, self._report_threads = CapacityLimiter(THREADS), CapacityLimiter(REPORT_THREADS)
        self._file_threads = CapacityLimiter(FILE_THREADS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send, self._shared)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1000})
            return
        request = Request(scope, receive)
        token = request_origin.set(origin_of(request))
        try:
            response = await self._respond(request)
            response.headers["X-Request-Id"] = request_origin.get().shown_id
            if self._hsts and scope["scheme"] == "https":  # which uvicorn takes from trusted proxies
                response.headers["Strict-Transport-Security"] = self._hsts
            if request.method == "HEAD":
                response.body = b""  # the Content-Length stays the same as of GET
            await response(scope, receive, send)
        finally:
            request_origin.reset(token)

    async def _respond(self, request: Request) -> Response:
        started = time.perf_counter()
        label, kind, requester = "unrouted", "page", ""
        match: Match | None = None
        page = self._find_page(request)
        forwarded = find_forwarded(request.scope["path"])
        forward = None if forwarded is None else self._forward
        site = self._site if self._site is not None and self._site.owns(request.scope["path"]) else None
        try:
            if site is not None:
                label, kind = "console", "console"
                response = await self._site_response(site, request)
            elif forwarded is not None and forward is not None:
                label, kind = forwarded, "forwarded"
                response = await forward(request, address_of(request))
            elif request.method == "OPTIONS":
                response = self._options(request)
            elif page is not None:
                response = await self._page(page, request)
            else:
                match = self._routes.get(request.method, request.scope["path"])
                label, kind = match.endpoint.path, match.endpoint.kind
                response, requester = await self._respond_to_api_request(match, request)
        except RequestError as refusal:
            response = error_response(await self._limited(refusal, request), match)
        except ClientDisconnect:
            response = error_response(RequestError("The request ended too early"))  # no client is left to read it
        except Exception as fault:
            response = self._failure_response(fault, request)
        if forward is None:  # answers of the tracking listener are passed on as they are
            protect(response)
        if page is None and forward is None and site is None:
            response.raw_headers += rate_headers(self._rate_status(request))
        seconds = time.perf_counter() - started
        API_SECONDS.labels(kind).observe(seconds)
        self._log_request(request, response, label, requester, seconds)
        return response

    async def _site_response(self, site: Site, request: Request) -> Response:
        """Return a page, or the page of an error."""
        try:
            self._count_request(self._files, _network(request), request)
            return await site.respond(request, self._strangers)
        except RequestError as refusal:
            shown_id = request_origin.get().shown_id
            return await site.error(request, await _delayed(refusal, of_page=True), shown_id, self._strangers)
        except ClientDisconnect:
            raise
        except Exception as fault:
            self._failure_response(fault, request)  # which logs it
            return await site.error(request, self._refusal_of(fault), request_origin.get().shown_id, self._strangers)

    def _failure_response(self, fault: Exception, request: Request) -> Response:
        """Return the answer to a failure of a store, or to a defect."""
        where = {"method": request.method, "path": request.scope["path"]}
        refusal = self._refusal_of(fault)
        if refusal is not None:
            # The store itself logs when it is lost and when it is back; other refusals are rare.
            level = logging.DEBUG if refusal.code == Unavailable.code else logging.WARNING
            log.log(level, "request refused", extra=where | {"code": refusal.code, "error": first_line(fault)})
            log.debug("request failed", exc_info=fault, extra=where)
            return error_response(refusal)
        log.error("request failed", exc_info=fault, extra=where)
        return json_response(500, server_error(request_origin.get().shown_id))

    async def _respond_to_api_request(self, match: Match, request: Request) -> tuple[Response, str]:
        max_bytes = match.endpoint.body_max
        check_length(request, max_bytes)
        if match.endpoint.is_public:
            return await self._respond_to_stranger(match, request), ""
        key = find_key(request.headers, request.scope["query_string"])
        # Looked up before the body is read: a stranger must not fill the disk with an upload.
        caller = await self._find_caller(key, _network(request))
        with SpooledTemporaryFile(max_size=MEGABYTE) as body:
            await read_body(request, max_bytes, None if caller is None else body)
            if caller is None:
                raise Unauthorized
            try:
                await self._count_call(self._rates, "caller", self._limits, caller.name, request)
                authorize(match.endpoint, caller, address_of(request))
                with ExitStack() as slot:
                    if match.endpoint.report:
                        slot.enter_context(self._reports.slot(caller.name))
                        if self._shared is not None:
                            end = await self._shared.begin_report(caller.name, self._limits.reports)
                            slot.callback(end or (lambda: None))
                    done = await self._work(match, caller, request, body, caller.name)
                    if done.file is not None:  # which is a report until it was sent
                        done.file.loop_cleanup.push(slot.pop_all())
            except RequestError as refusal:
                return error_response(await _delayed(refusal), match), caller.name
        return _success_response(done), caller.name

    async def _respond_to_stranger(self, match: Match, request: Request) -> Response:
        """Answer a request that needs no key."""
        door = Door(match.endpoint.path, match.endpoint.act)
        await self._strangers.count(door, request)
        with SpooledTemporaryFile(max_size=MEGABYTE) as body:
            await read_body(request, match.endpoint.body_max, body)
            with self._strangers.place(door) as threads:
                return _success_response(await self._work(match, None, request, body, _network(request), threads))

    async def _find_caller(self, key: str | None, address: str) -> Caller | None:
        """Return the caller of a key. Raises TooManyRequests during a flood of wrong keys.

        Keys that called recently are accepted during a flood.
        """
        if key is None:
            return None
        if self._failed.over(address) and not self._failed.knows(digest(key)):
            self._failed.count(address)
            raise TooManyRequests(1, code=ErrorCode.TOO_MANY_WRONG_KEYS)
        caller = await anyio.to_thread.run_sync(find_caller, self._authenticate, key, limiter=self._threads)
        if caller is None:
            self._failed.count(address)
        else:
            self._failed.accept(digest(key))
        return caller

    async def _limited(self, refusal: RequestError, request: Request) -> RequestError:
        """Return the refusal of a request without a caller; a 429 where its network has too many of them."""
        if not isinstance(refusal, TooManyRequests):
            wait = self._refused.take(_network(request)).wait
            refusal = TooManyRequests(wait) if wait else refusal
        return await _delayed(refusal)

    async def _count_call(self, limiter: Limiter, group: str, rate: RateLimit, name: str, request: Request) -> None:
        """Count a call over the APIs of all machines. Raises TooManyRequests."""
        request.state.standing = standing = await take_shared(limiter, self._shared, group, rate, name)
        if standing.wait:
            raise TooManyRequests(standing.wait)

    @staticmethod
    def _count_request(limiter: Limiter, name: str, request: Request) -> None:
        """Count a call of a network in this API alone. Raises TooManyRequests."""
        request.state.standing = standing = limiter.take(name)
        if standing.wait:
            raise TooManyRequests(standing.wait)

    def _rate_status(self, request: Request) -> RateLimitStatus:
        """Return the rate limit status of the caller, or of its address before the key is known."""
        found: RateLimitStatus | None = getattr(request.state, "standing", None)
        return found or self._rates.peek(_network(request))

    async def _work(
        self,
        match: Match,
        caller: Caller | None,
        request: Request,
        body: "SpooledTemporaryFile[bytes]",
        name: str,
        threads: CapacityLimiter | None = None,
    ) -> HandlerResult:
        """Run a method. threads: where it runs; None = in the threads of callers."""
        idempotency_key = None if self._run_idempotently is None else find_idempotency_key(request.headers, match)
        kind = request.headers.get("content-type", "")
        head = request.method == "HEAD"
        limits = FOR_STRANGERS if caller is None else FOR_CALLERS
        sent = RawRequest(request.scope["query_string"], kind, cast(BinaryIO, body), idempotency_key, head, limits)
        slot = partial(self._exports.slot, name, affiliate=isinstance(caller, AffiliateCaller))
        work = HandlerRun(self._deps, match, caller, request_origin.get(), sent, self._run_idempotently, slot)
        requester = CancellationToken(name)
        actor_token = current_actor.set(audit_actor(match.endpoint, caller, self._clock.now_ms()))
        cancellation_token = current_cancellation.set(requester)
        try:
            if match.endpoint.report:
                return await run_cancellable(request.receive, requester, work.run, self._report_threads)
            return await anyio.to_thread.run_sync(work.run, limiter=threads or self._threads)
        finally:
            current_actor.reset(actor_token)
            current_cancellation.reset(cancellation_token)

    def _find_page(self, request: Request) -> Page | None:
        path = request.scope["path"]
        for prefix, branch in self._branches.items():
            if prefix == f"{path}?":
                return partial(branch, request.scope["query_string"].decode("latin-1"), request.headers)
            if path.startswith(prefix):
                return partial(branch, path.removeprefix(prefix), request.headers)
        return self._pages.get(path.rstrip("/"))

    async def _page(self, page: Page, request: Request) -> Response:
        if request.method not in ("GET", "HEAD"):
            raise MethodNotAllowed(["GET", "HEAD", "OPTIONS"])
        is_file = isinstance(page, partial)
        limiter = self._files if is_file else self._probes
        self._count_request(limiter, _network(request), request)
        if page is health:
            return page()  # whatever the threads do
        return await anyio.to_thread.run_sync(page, limiter=self._file_threads if is_file else self._threads)

    def _options(self, request: Request) -> Response:
        response = json_response(200, {"status": 1})
        response.headers["Allow"] = ", ".join(self._routes.allowed(request.scope["path"]) or ["GET", "HEAD", "OPTIONS"])
        return response

    @staticmethod
    def _log_request(request: Request, response: Response, label: str, requester: str, seconds: float) -> None:
        method = request.method if request.method in ("GET", "HEAD", "POST", "DELETE", "OPTIONS") else "other"
        API_REQUESTS.labels(method, label, str(response.status_code)).inc()
        API_PATH_SECONDS.labels(label).inc(seconds)
        fields = {"method": request.method, "path": request.scope["path"], "status": response.status_code}
        level = logging.DEBUG if request.scope["path"].rstrip("/") in _PROBES else logging.INFO
        log.log(level, "request", extra=fields | {"caller": requester, "ms": round(seconds * 1000, 1)})


async def _delayed(refusal: RequestError, *, of_page: bool = False) -> RequestError:
    if isinstance(refusal, StrangersBusy) or (of_page and isinstance(refusal, TooManyRequests)):
        await asyncio.sleep(BUSY_DELAY_S)
    elif isinstance(refusal, TooManyRequests):
        await asyncio.sleep(REFUSAL_DELAY_S)
    return refusal


def _network(request: Request) -> str:
    """Return the network by which callers without a key are counted."""
    return wide_network_of(address_of(request))


def _success_response(done: HandlerResult) -> Response:
    response: Response = done.file or Response(done.content, media_type=JSON)
    if done.ignored:
        names = [quote(name[:MAX_SHOWN_NAME], safe="[]") for name in done.ignored[:MAX_IGNORED]]
        response.headers["X-Ignored-Parameters"] = ",".join(names)
    if done.replayed:
        response.headers[REPLAYED_HEADER] = "true"
    return response


async def _lifespan(receive: Receive, send: Send, shared: SharedLimits | None) -> None:
    while True:
        message = await receive()
        if message["type"] == "lifespan.shutdown" and shared is not None:
            await shared.close()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
