"""The pages as a part of the API's listener (docs/spec/console.md)."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import Final
from urllib.parse import parse_qsl, quote

import anyio.to_thread
from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import Response

from trackyard.actions.deps import Deps
from trackyard.actions.events.bells import count_unread
from trackyard.actions.failures import refusal_of
from trackyard.actions.platform.network import get_network
from trackyard.actions.statistics.reports import rows_read
from trackyard.base.error_codes import ErrorCode
from trackyard.base.errors import AccessDenied, RequestError, TooManyRequests, Unauthorized
from trackyard.base.logs.origin import request_origin
from trackyard.base.strangers import StrangersBusy
from trackyard.base.texts.languages import NAMES, language, speaking
from trackyard.base.texts.marks import lazy_gettext
from trackyard.console.account.own_password import CHOOSE
from trackyard.console.account.sign_in import sign_in_again
from trackyard.console.deferred.parts import DeferredParts
from trackyard.console.forms.resubmission import keep, only_shown
from trackyard.console.frame import sessions
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.answers import (
    HEADERS,
    Download,
    FramedDocument,
    Html,
    Looks,
    PageAnswer,
    Redirect,
    SignedIn,
    SignedOut,
    framed_response,
    html_response,
    redirect_response,
)
from trackyard.console.frame.assets import PREFIX, accent_address, address, asset_response
from trackyard.console.frame.form_bodies import MAX_FIELDS, SentForm, read_form
from trackyard.console.frame.looks import find_looked_at, read_look
from trackyard.console.frame.navigation import (
    ADVERTISER,
    PORTAL,
    STAFF,
    RailGroup,
    RailNumber,
    SeenFindings,
    first_page,
    is_current,
    links_for,
    with_used,
)
from trackyard.console.frame.pages import FORM_MAX, PageRoute, PageTable
from trackyard.console.frame.persons import find_person
from trackyard.console.frame.request import PageRequest, Person
from trackyard.console.frame.shown import zones_text
from trackyard.console.frame.templates import link_to, render
from trackyard.console.parts import PARTS
from trackyard.console.people.threads import count_unread_threads
from trackyard.console.portal.messages import count_unread_messages
from trackyard.console.portal.news import count_unread_news
from trackyard.console.refusals import OverloadPages, is_overload
from trackyard.console.staff.work import count_waiting, find_mail_fault
from trackyard.console.turns import PagesBusy, TooManyPages, Turns
from trackyard.domain.people.callers import AffiliateCaller, Caller
from trackyard.wire.endpoint import check_second_factor
from trackyard.wire.http.disconnects import run_for_client
from trackyard.wire.http.origins import address_of
from trackyard.wire.limits.strangers import Door, Strangers
from trackyard.wire.local_calls import ONLY_LOOKS, CallContext, LocalCalls
from trackyard.wire.openapi.texts import Texts
from trackyard.wire.response.streaming import ExportSlots

SIGN_IN: Final = "/sign-in"
_THREADS: Final = 8
"""Pages of people that are made at a time; others wait for a turn."""
_LOOK_UPS: Final = 2
"""Sessions that are looked up at a time."""
_OLD_FORM: Final = lazy_gettext(
    "This form is too old, or another site sent it. Open the page again and repeat the change."
)
_LOOK_ENDED: Final = lazy_gettext(
    "The look at the portal has ended: it lasts 30 minutes at most. Begin another one here."
)
_ERRORS: Final = Door("/error")
"""The door of pages that say what went wrong."""
_ROOTS: Final = ("/console", "/portal", "/advertiser", "/sign-up", SIGN_IN, "/sign-out")

Authenticate = Callable[[str], Caller | None]


class Console:
    """Answers the paths of the pages.

    authenticate: returns the caller of a session's key; None when it has ended.
    reports: the reports that a person may run at once.
    texts: what the parameters of the methods mean.
    grace_s: how long a page waits for its reports before it is sent without them.
    """

    def __init__(
        self,
        deps: Deps,
        authenticate: Authenticate,
        reports: int = 4,
        *,
        texts: Texts,
        grace_s: float = 0.25,
    ) -> None:
        self._deps = deps
        self._context = CallContext(deps, deps.clock, texts, deps.api_url)
        self._authenticate = authenticate
        self._table = PageTable(PARTS)
        self._threads, self._turns = CapacityLimiter(_THREADS), Turns(_THREADS)
        self._look_ups = CapacityLimiter(_LOOK_UPS)
        self._overload = OverloadPages(self._overload_page)
        self._reports = _ReportSlots(reports)
        self._late = DeferredParts(refusal_of, grace_s, lambda: rows_read(deps))
        self._seen_findings = SeenFindings()
        self.exports = ExportSlots()
        """The files that are being sent, files of the API among them."""

    def owns(self, path: str) -> bool:
        """Return whether a path belongs to a page."""
        return path == "/" or any(path == root or path.startswith(f"{root}/") for root in _ROOTS)

    async def respond(self, request: Request, strangers: Strangers) -> Response:
        """Return the answer to a request for a page. Raises RequestError.

        A page of a person takes a turn of that person; strangers have threads of their own.
        """
        path = request.scope["path"]
        if path.startswith(PREFIX):
            return asset_response(path)
        if path in ("/", "/console", "/portal", "/advertiser"):
            return redirect_response("/console/" if path == "/" else f"{path}/")
        route, variables = self._table.find(request.method, path)
        door = Door(route.path, route.act)
        if route.act is not None:
            await strangers.count(door, request)
        caller = None if route.audience == "anyone" else await self._caller(request)
        if caller is None and route.audience != "anyone" and route.method == "GET":
            raise Unauthorized
        fields, files = await self._form(route, request, caller) if route.method == "POST" else ((), ())
        asked = replace(self._asked(request), path=variables, form=fields, files=files)
        name = f"page {asked.client}"
        try:
            async with self._place(caller, door, strangers, request) as threads:
                run = partial(self._answer, route, asked, request, caller)
                answer = await run_for_client(request.receive, name, run, threads)
        finally:
            for _, file in files:
                file.handle.close()
        if chosen := asked.named_language:
            sessions.keep_language(request, answer, chosen)
        return answer

    @asynccontextmanager
    async def _place(
        self, caller: Caller | None, door: Door, strangers: Strangers, request: Request
    ) -> AsyncIterator[CapacityLimiter]:
        """Yield the threads in which a page is made. Raises StrangersBusy, TooManyPages, PagesBusy."""
        request.state.loop, request.state.caller = asyncio.get_running_loop(), caller
        if caller is None:
            with strangers.place(door) as threads:
                yield threads
        else:
            async with self._turns.turn(caller):
                yield self._threads

    async def _caller(self, request: Request) -> Caller | None:
        """Return who signed in with the session of the browser; None without one."""
        key = sessions.find_key(request)
        return await anyio.to_thread.run_sync(self._authenticate, key, limiter=self._look_ups) if key else None

    async def _form(self, route: PageRoute, request: Request, caller: Caller | None) -> SentForm:
        """Return the fields of a form, empty ones too, and its files. Raises BodyTooLarge."""
        return await read_form(request, FORM_MAX if caller is None else route.body_max)  # a stranger fills no disk

    async def error(
        self, request: Request, refusal: RequestError | None, request_id: str, strangers: Strangers
    ) -> Response:
        """Return the page of an error.

        refusal: None for a defect of the program, of which the page shows the id of the request alone.
        """
        if isinstance(refusal, Unauthorized) and request.method in ("GET", "HEAD"):
            wanted = str(_address(request))
            return redirect_response(f"{SIGN_IN}?next={quote(wanted, safe='')}")
        if refusal is not None and is_overload(refusal):
            return await self._overload.respond(request, refusal)
        caller = None
        with suppress(Exception):  # the stores may be what is lost: the page is then shown without the frame
            caller = await self._caller(request)
        try:
            async with self._place(caller, _ERRORS, strangers, request) as threads:
                run = partial(self._error, request, caller, refusal, request_id)
                return await anyio.to_thread.run_sync(run, limiter=threads)
        except (TooManyPages, PagesBusy, StrangersBusy) as busy:
            return await self._overload.respond(request, busy)

    def _error(
        self, request: Request, caller: Caller | None, refusal: RequestError | None, request_id: str
    ) -> Response:
        status = 500 if refusal is None else refusal.status
        asked = self._asked(request)
        try:
            asked = self._with_person(asked, caller)
        except Exception:
            asked = replace(asked, session_key="", needs_of=lambda _path, _audience: None)
        page = Html("error.html", {"status": status, "refusal": refusal, "request_id": request_id}, status)
        with speaking(language(asked.language)):
            return self._html(request, asked, page)

    def _asked(self, request: Request) -> PageRequest:
        """Return a request for a page, without its person and its form."""
        return PageRequest(
            deps=self._deps,
            address=_address(request),
            client=address_of(request),
            user_agent=request_origin.get().user_agent,
            session_key=sessions.find_key(request) or "",
            sealed_look=sessions.find_look(request),
            browser_language=sessions.language_of(request),
            has_page=self._table.has,
            needs_of=self._table.needs_of,
            seen_findings=self._seen_findings,
        )

    def _overload_page(self, refusal: RequestError, chosen: str) -> str:
        """Return the page of a refusal that concerns no person."""
        asked = PageRequest(deps=self._deps, address=PageAddress(SIGN_IN), browser_language=chosen)
        with suppress(Exception):
            asked = replace(asked, network=get_network(self._deps))
        with speaking(language(chosen)):
            values = {"status": refusal.status, "refusal": refusal, "request_id": ""}
            return render("error.html", {**_frame(asked, None), **values})

    def _answer(self, route: PageRoute, asked: PageRequest, request: Request, caller: Caller | None) -> Response:
        if route.audience == "anyone" and asked.session_key:  # looked up here: it waits where strangers wait
            caller = self._authenticate(asked.session_key)
        asked = self._with_person(asked, caller)
        with speaking(language(asked.language)):
            return self._answer_person(route, asked, request)

    def _answer_person(self, route: PageRoute, asked: PageRequest, request: Request) -> Response:
        if asked.person_or_none is None and (kept := keep(asked)):
            return self._html(request, asked, sign_in_again(asked, kept))
        if asked.look is not None and asked.person.is_staff:
            return self._response(request, asked, Looks(asked.look.back, message=_LOOK_ENDED))
        if _waits_for_password(asked):
            return self._response(request, asked, Redirect(CHOOSE))
        if _is_closed_home(asked):
            return self._response(request, asked, Redirect(_first_page(asked)))
        if asked.look is not None and route.method == "POST":
            raise AccessDenied(ONLY_LOOKS, code=ErrorCode.LOOK_AS)
        _check_rights(route, asked)
        if route.method == "POST":
            asked = _checked_form(route, asked, request)
        return self._response(request, asked, route.handle(asked))

    def _with_person(self, asked: PageRequest, caller: Caller | None) -> PageRequest:
        """Return the request with the person of its session, and the face of the network.

        While staff look at a portal, it is the affiliate; once that has ended, the staff user with a look.
        """
        asked = replace(asked, network=get_network(self._deps))
        if caller is None:
            strange = LocalCalls(self._context, None, request_origin.get(), ExitStack)
            return replace(asked, session_key="", calls_or_none=strange)
        look = read_look(asked, caller)
        looked_at = None if look is None else find_looked_at(asked, caller, look)
        seen = looked_at or caller
        calls = LocalCalls(
            self._context,
            seen,
            request_origin.get(),
            lambda: self._reports.reserve(caller.name),
            lambda: self.exports.slot(caller.name, affiliate=isinstance(caller, AffiliateCaller)),
            looks=looked_at is not None,
            timezone="" if asked.day_zone.key == self._deps.zone.key else asked.day_zone.key,
        )
        return replace(asked, person_or_none=find_person(self._deps, seen), calls_or_none=calls, look=look)

    def _response(self, request: Request, asked: PageRequest, answer: PageAnswer) -> Response:
        match answer:
            case Html():
                return self._html(request, asked, answer)
            case Redirect(to, message):
                response = redirect_response(to)
                _leave(request, response, asked, message)
            case SignedIn(key, to, page):
                signed_in = replace(asked, session_key=key)
                response = redirect_response(to) if page is None else self._html(request, signed_in, page)
                sessions.start(request, response, key)
            case Looks(to, sealed, message):
                response = redirect_response(to)
                if sealed:
                    sessions.start_look(request, response, sealed)
                else:
                    sessions.end_look(request, response)
                _leave(request, response, asked, message)
            case SignedOut(to):
                response = redirect_response(to)
                sessions.end(request, response)
            case Download(response):
                response.headers.update(HEADERS)
            case FramedDocument():
                response = framed_response(answer)
        return response

    def _html(self, request: Request, asked: PageRequest, page: Html) -> Response:
        message = sessions.find_message(request, asked.session_key) if asked.session_key else None
        frame = _frame(asked, message)

        def show(shown: Html) -> str:
            return render(shown.template, {**frame, **shown.values})

        if page.late is None:
            response = html_response(show(page), page.status, has_frames=page.has_frames)
        else:
            caller, loop = request.state.caller or asked.person.caller, request.state.loop
            response = self._late.respond(caller, loop, page.late, show, lambda: show(page), page.status)
        if message is not None:
            sessions.forget_message(request, response)
        return response


class _ReportSlots:
    """The number of reports that each person's pages are running. It is used from several threads."""

    def __init__(self, most: int) -> None:
        self._most, self._running = most, dict[str, int]()
        self._lock = Lock()

    def reserve(self, name: str) -> ExitStack:
        """Return the place of a report, which its end frees. Raises TooManyRequests."""
        stack = ExitStack()
        stack.enter_context(self._slot(name))
        return stack

    @contextmanager
    def _slot(self, name: str) -> Iterator[None]:
        with self._lock:
            if self._running.get(name, 0) >= self._most:
                raise TooManyRequests(1, code=ErrorCode.TOO_MANY_REPORTS)
            self._running[name] = self._running.get(name, 0) + 1
        try:
            yield
        finally:
            with self._lock:
                self._running[name] -= 1
                if not self._running[name]:
                    del self._running[name]


def _leave(request: Request, response: Response, asked: PageRequest, message: str) -> None:
    """Leave a message and the warnings of answers for the next page."""
    lines = [" ".join(each.split()) for each in (message, *asked.warnings)]
    if any(lines) and asked.session_key:
        sessions.leave_message(request, response, asked.session_key, "\n".join(lines))


def _waits_for_password(asked: PageRequest) -> bool:
    """Return whether a person has to choose a password before this page."""
    person = asked.person_or_none
    return person is not None and person.caller.needs_password and asked.address.path not in (CHOOSE, "/sign-out")


def _is_closed_home(asked: PageRequest) -> bool:
    """Return whether a person requests their own first page without the right to open it."""
    person = asked.person_or_none
    return person is not None and asked.address.path == person.home and not asked.may_open(person.home)


def _first_page(asked: PageRequest) -> str:
    """Return the page that a person sees instead of their first one.

    Raises AccessDenied without any, and for a session that needs a second factor.
    """
    check_second_factor(asked.person.caller)
    found = first_page(_rail_of(asked.person), asked.may_open)
    if found is None:
        raise AccessDenied(
            lazy_gettext("Your roles open no page. Ask an administrator for another role"), code=ErrorCode.NO_PAGE
        )
    return found


def _numbers_of(asked: PageRequest) -> Mapping[str, RailNumber]:
    """Return how many things wait on the pages of the rail, by path."""
    if asked.person_or_none is None:
        return {}
    threads = count_unread_threads(asked)
    if asked.person.is_staff:
        return {**count_waiting(asked), **threads}
    return count_unread_news(asked) | count_unread_messages(asked) | threads


def _rail_of(person: Person, waiting: Iterable[str] = ()) -> tuple[RailGroup, ...]:
    """Return the rail of a person. waiting: paths of pages with something new, which are not folded."""
    match person.audience:
        case "staff":
            return STAFF
        case "advertiser":
            return ADVERTISER
    return with_used(PORTAL, person.used.union(waiting))


def _check_rights(route: PageRoute, asked: PageRequest) -> None:
    """Raise Unauthorized without a person, AccessDenied for a person who may not open the page."""
    if route.audience == "anyone":
        return
    person = asked.person
    if route.audience not in ("person", person.audience):
        raise AccessDenied
    if route.needs:
        check_second_factor(person.caller)
    if not asked.may_use(route.needs):
        raise AccessDenied


def _checked_form(route: PageRoute, asked: PageRequest, request: Request) -> PageRequest:
    """Return the request with its form.

    A form that an earlier session of the person sent is only shown again.
    Raises AccessDenied for a form that no page of the person sent.
    """
    if sessions.is_from_this_site(request):
        if route.audience == "anyone" or sessions.is_form_token(asked.session_key, asked.field("form_token")):
            return asked
        if (shown := only_shown(asked)) is not None:
            return shown
    raise AccessDenied(_OLD_FORM, code=ErrorCode.FORM)


def _frame(asked: PageRequest, message: str | None) -> dict[str, object]:
    """Return the values that every template may use.

    may_open: returns whether the person may open the page of a path.
    link_to: returns a name as a link to its page; plain text where the person may not open the page.
    """
    person, path = asked.person_or_none, asked.address.path
    said, *warned = (message or "").split("\n")
    opens = asked.has_page if person is None else asked.may_open
    waiting = _numbers_of(asked)
    return {
        "asset": address,
        "accent_sheet": accent_address(asked.network),
        "network": asked.network,
        "address": asked.address,
        "person": person,
        "message": said,
        "warned": list(dict.fromkeys([*warned, *asked.warnings])),
        "form_token": sessions.form_token(asked.session_key) if asked.session_key else "",
        "look": asked.look if person is not None and not person.is_staff else None,
        "rail": [] if person is None else links_for(_rail_of(person, waiting), asked.may_open),
        "rail_numbers": waiting,
        "mail_fault": find_mail_fault(asked, waiting) if waiting and asked.person.is_staff else "",
        "unread_notices": 0 if person is None else count_unread(asked.deps, person.caller),
        "is_current": lambda link: is_current(link, path),
        "may_open": opens,
        "link_to": lambda page, text: link_to(page if opens(page.partition("?")[0]) else "", text),
        "language": asked.language,
        "zone": asked.zone,
        "day_zone": asked.day_zone,
        "platform_zone": asked.deps.zone,
        "zones": zones_text(asked.zone, asked.day_zone),
        "language_names": NAMES,
        "currency": asked.deps.currency,
    }


def _address(request: Request) -> PageAddress:
    """Return the address of a page, without the query where that cannot be read."""
    query: bytes = request.scope["query_string"]
    try:
        pairs = tuple(parse_qsl(query.decode("ascii", "replace"), max_num_fields=MAX_FIELDS))
    except ValueError:
        pairs = ()
    return PageAddress(request.scope["path"], pairs)
