"""The list and the page of product feeds (docs/spec/console.md#product-feeds)."""

from typing import Final

from trackyard.api.offers.feeds import product_feeds
from trackyard.base.errors import AccessDenied, Conflict
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import list_file
from trackyard.console.staff.faults import fault_of
from trackyard.console.staff.lists import read_list

pages = Pages()

PATH: Final = "/console/product-feeds"
LIST: Final = product_feeds.list_
GET: Final = product_feeds.get
ADD: Final = product_feeds.add
EDIT: Final = product_feeds.edit
READ: Final = product_feeds.read_now
REMOVE: Final = product_feeds.remove


@pages.get(PATH, needs=(LIST,))
def feeds(request: PageRequest) -> PageAnswer:
    """Show the feeds, by name."""
    state = read_list(request.address, ())
    sent = state.sent()
    if (file := list_file(request, LIST, lambda answer: answer.product_feeds, sent)) is not None:
        return file
    answer = request.calls.ask(LIST, sent)
    return request.page(
        "staff/product_feeds/list.html",
        rows=[(each, _time(request, each.items_at)) for each in answer.product_feeds],
        may_write=request.calls.may(ADD),
        api_request_path=request.calls.address(LIST, sent),
        **state.shown(answer.pagination.total_count),
    )


@pages.get(f"{PATH}/{{id}}", needs=(GET,))
def feed(request: PageRequest) -> PageAnswer:
    """Show the products of a feed."""
    return _page(request)


@pages.post(f"{PATH}/{{id}}/read", needs=(GET, READ))
def read_now(request: PageRequest) -> PageAnswer:
    """Ask for a reading of the feed's URL."""
    number = request.key
    try:
        request.calls.ask(READ, path={"id": number})
    except (AccessDenied, Conflict) as refusal:
        return _page(request, fault_of(refusal), refusal.status)
    message = gettext("The URL is being read. Open this page again in a minute to see the result.")
    return Redirect(f"{PATH}/{number}", message)


@pages.post(f"{PATH}/{{id}}/remove", needs=(GET, REMOVE))
def remove(request: PageRequest) -> PageAnswer:
    """Remove a feed."""
    try:
        request.calls.ask(REMOVE, path={"id": request.key})
    except (AccessDenied, Conflict) as refusal:
        return _page(request, fault_of(refusal), refusal.status)
    return Redirect(PATH, gettext("The product feed is removed."))


def _time(request: PageRequest, text: str) -> str:
    return request.time_of(text) if text else gettext("never")


def _page(request: PageRequest, fault: str = "", status: int = 200) -> PageAnswer:
    number, state = request.key, read_list(request.address, ())
    answer = request.calls.ask(GET, state.sent(), {"id": number})
    shown = answer.product_feed
    return request.page(
        "staff/product_feeds/one.html",
        status,
        feed=shown,
        times={
            "items_at": _time(request, shown.items_at),
            "last_read_at": _time(request, shown.last_read_at),
            "next_read_at": _time(request, shown.next_read_at),
        },
        rows=answer.items,
        fault=fault,
        may_write=request.calls.may(EDIT) and answer.is_writable,
        path=f"{PATH}/{number}",
        api_request_path=request.calls.address(GET, state.sent(), {"id": number}),
        **state.shown(answer.pagination.total_count),
    )
