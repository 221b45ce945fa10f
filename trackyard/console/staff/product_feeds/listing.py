"""The list and the page of product feeds (docs/spec/console.md#product-feeds)."""

from typing import Final

from trackyard.base.errors import Conflict
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import list_file
from trackyard.console.staff.faults import fault_of
from trackyard.console.staff.lists import read_list

pages = Pages()

PATH: Final = "/console/product-feeds"
LIST: Final = "admin.product-feeds.list"
GET: Final = "admin.product-feed.get"
ADD: Final = "admin.product-feed.add"
EDIT: Final = "admin.product-feed.edit"
REMOVE: Final = "admin.product-feed.remove"


@pages.get(PATH, needs=(LIST,))
def feeds(request: PageRequest) -> PageAnswer:
    """Show the feeds, by name."""
    state = read_list(request.address, ())
    sent = state.sent()
    if (file := list_file(request, LIST, "product_feeds", sent)) is not None:
        return file
    answer = request.calls.call(LIST, sent)
    return request.page(
        "staff/product_feeds/list.html",
        rows=[(each, request.time_of(each["items_at"])) for each in answer["product_feeds"]],
        may_write=request.calls.may(ADD),
        api_request_path=request.calls.address(LIST, sent),
        **state.shown(answer["pagination"]["total_count"]),
    )


@pages.get(f"{PATH}/{{id}}", needs=(GET,))
def feed(request: PageRequest) -> PageAnswer:
    """Show the products of a feed."""
    return _page(request)


@pages.post(f"{PATH}/{{id}}/remove", needs=(GET, REMOVE))
def remove(request: PageRequest) -> PageAnswer:
    """Remove a feed."""
    try:
        request.calls.call(REMOVE, path={"id": request.path["id"]})
    except Conflict as refusal:
        return _page(request, fault_of(refusal), 409)
    return Redirect(PATH, gettext("The product feed is removed."))


def _page(request: PageRequest, fault: str = "", status: int = 200) -> PageAnswer:
    number, state = request.path["id"], read_list(request.address, ())
    answer = request.calls.call(GET, state.sent(), {"id": number})
    return request.page(
        "staff/product_feeds/one.html",
        status,
        feed=answer["product_feed"],
        items_at=request.time_of(answer["product_feed"]["items_at"]),
        rows=answer["items"],
        fault=fault,
        may_write=request.calls.may(EDIT),
        path=f"{PATH}/{number}",
        api_request_path=request.calls.address(GET, state.sent(), {"id": number}),
        **state.shown(answer["pagination"]["total_count"]),
    )
