"""The list and the page of product feeds (docs/spec/console.md#product-feeds)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from trackyard.api.offers.feeds import product_feeds
from trackyard.api.offers.feeds.product_feeds import (
    ProductFeedItemsAnswer,
    ProductFeedsAnswer,
    ProductFeedView,
    ProductItemView,
)
from trackyard.base.errors import AccessDenied, Conflict
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import PageLink
from trackyard.console.lists.declared import ListColumn, ListPage, of_part
from trackyard.console.lists.page import answer_list, declare_list
from trackyard.console.staff.faults import fault_of

pages = Pages()

PATH: Final = "/console/product-feeds"
LIST: Final = product_feeds.list_
GET: Final = product_feeds.get
ADD: Final = product_feeds.add
EDIT: Final = product_feeds.edit
READ: Final = product_feeds.read_now
REMOVE: Final = product_feeds.remove


FEEDS: Final = ListPage[ProductFeedView, ProductFeedsAnswer](
    path=PATH,
    method=LIST,
    view=ProductFeedsAnswer,
    rows=lambda _, answer: answer.product_feeds,
    title=lazy_gettext("Product feeds"),
    counted=lambda _total: "",
    about=lazy_gettext("Lists of products for offers. Affiliates get the products with their own links."),
    main=lambda _: PageLink(gettext("New product feed"), f"{PATH}/new"),
    columns=(
        ListColumn(
            title=lazy_gettext("Name"),
            role="title",
            longest=80,
            cell=lambda each, _: cells.cell(
                each.name, gettext("The last reading failed") if each.last_error else "", link=f"{PATH}/{each.id}"
            ),
        ),
        ListColumn(title=lazy_gettext("Products"), role="figure", cell=lambda each, _: cells.count(each.items)),
        ListColumn(title=lazy_gettext("Offers"), role="figure", cell=lambda each, _: cells.count(each.offers)),
        ListColumn(
            title=lazy_gettext("Products written"),
            cell=lambda each, _: cells.moment(each.items_at) if each.items_at else gettext("never"),
        ),
    ),
    empty=lazy_gettext(
        "There is no product feed yet. Make one of a CSV file or its URL, and choose it in the form of an offer."
    ),
)
declare_list(pages, FEEDS)


@dataclass(frozen=True, slots=True)
class FeedProduct:
    """A product, and the answer that it is in."""

    item: ProductItemView
    answer: ProductFeedItemsAnswer


def _feed(request: PageRequest, rows: Sequence[FeedProduct]) -> Mapping[str, object]:
    """Return the feed, as its page shows it around the products."""
    path = {"id": request.key}
    answer = rows[0].answer if rows else request.calls.ask(GET, [("limit", "1")], path)
    feed = answer.product_feed
    return {
        "title": feed.name,
        "feed": feed,
        "times": {
            "items_at": _time(request, feed.items_at),
            "last_read_at": _time(request, feed.last_read_at),
            "next_read_at": _time(request, feed.next_read_at),
        },
        "may_write": request.calls.may(EDIT) and answer.is_writable,
    }


def _time(request: PageRequest, text: str) -> str:
    return request.time_of(text) if text else gettext("never")


PRODUCT_COLUMNS: Final = (
    ListColumn[ProductItemView](
        title=lazy_gettext("Product"),
        below=lazy_gettext("Brand"),
        role="title",
        longest=80,
        cell=lambda each, _: cells.cell(each.name, each.brand),
    ),
    ListColumn[ProductItemView](title=lazy_gettext("SKU"), longest=40, cell=lambda each, _: each.sku),
    ListColumn[ProductItemView](
        title=lazy_gettext("Price"), role="figure", cell=lambda each, _: f"{each.price} {each.currency}".strip()
    ),
    ListColumn[ProductItemView](
        title=lazy_gettext("Category"),
        below=lazy_gettext("Subcategory"),
        longest=40,
        cell=lambda each, _: cells.cell(each.category, each.subcategory),
    ),
    ListColumn[ProductItemView](title=lazy_gettext("Availability"), longest=30, cell=lambda each, _: each.availability),
    ListColumn[ProductItemView](
        title=lazy_gettext("Page"), longest=60, cell=lambda each, _: cells.cell(each.url, link=each.url)
    ),
)


FEED_PRODUCTS: Final = ListPage[FeedProduct, ProductFeedItemsAnswer](
    path=f"{PATH}/{{id}}",
    method=GET,
    view=ProductFeedItemsAnswer,
    variables=lambda request: ((), {"id": request.key}),
    rows=lambda _, answer: [FeedProduct(each, answer) for each in answer.items],
    record=lambda each: each.item,
    title=lazy_gettext("Product feed"),
    counted=lambda total: ngettext("%(num)d product", "%(num)d products", total),
    columns=tuple(of_part(each, lambda row: row.item) for each in PRODUCT_COLUMNS),
    card=lazy_gettext("Products"),
    template="staff/product_feeds/one.html",
    values=_feed,
    empty=lazy_gettext("The feed has no products yet: they come with the first reading of its URL."),
)
declare_list(pages, FEED_PRODUCTS)


def _shown(request: PageRequest) -> PageRequest:
    """Return the request of the page that has the form."""
    return replace(request, address=PageAddress(f"{PATH}/{request.key}"))


@pages.post(f"{PATH}/{{id}}/read", needs=(GET, READ))
def read_now(request: PageRequest) -> PageAnswer:
    """Ask for a reading of the feed's URL."""
    number = request.key
    try:
        request.calls.ask(READ, path={"id": number})
    except (AccessDenied, Conflict) as refusal:
        return answer_list(FEED_PRODUCTS, _shown(request), fault_of(refusal), refusal.status)
    message = gettext("The URL is being read. Open this page again in a minute to see the result.")
    return Redirect(f"{PATH}/{number}", message)


@pages.post(f"{PATH}/{{id}}/remove", needs=(GET, REMOVE))
def remove(request: PageRequest) -> PageAnswer:
    """Remove a feed."""
    try:
        request.calls.ask(REMOVE, path={"id": request.key})
    except (AccessDenied, Conflict) as refusal:
        return answer_list(FEED_PRODUCTS, _shown(request), fault_of(refusal), refusal.status)
    return Redirect(PATH, gettext("The product feed is removed."))
