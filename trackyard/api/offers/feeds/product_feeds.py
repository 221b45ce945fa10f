"""Product feeds of offers (docs/spec/offers.md#product-feeds)."""

from collections.abc import Iterable
from typing import Annotated, Final, cast
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from msgspec.structs import asdict

from trackyard.actions.deps import Deps
from trackyard.actions.offers.feeds import product_feeds
from trackyard.actions.offers.feeds.product_feeds import FeedEdit, FeedRecord
from trackyard.actions.tracking.called_addresses import check_called
from trackyard.api.lookups import by_hex, in_scope_by_hex
from trackyard.api.offers.view_affiliate import ViewContext, links_of
from trackyard.api.paging import Paging
from trackyard.api.table_files import TableFile, TableText, content_of, required_content
from trackyard.base.errors import BadInput
from trackyard.base.zones import datetime_text
from trackyard.domain.offers.feeds.product_feeds import (
    DEFAULT_HOURS,
    MOST_BYTES,
    MOST_HOURS,
    MOST_URL,
    ProductFeed,
    ProductItem,
    StoredItem,
)
from trackyard.domain.people.callers import StaffCaller
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_callers, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import NoParams, Params
from trackyard.wire.response.envelope import Answer, Pagination, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
_READERS: Final = for_staff(Permission.OFFERS_READ)
_WRITERS: Final = for_staff(Permission.OFFERS_WRITE)
_find = by_hex(product_feeds.get_feed)
_find_visible = in_scope_by_hex(product_feeds.get_visible_feed)
_BODY_MAX: Final = MOST_BYTES + 64 * 1024
_CLIENT: Final = 1
"""The number of the network: an installation has one."""
_NO_LINK: Final = "Affiliate {affiliate} may not send clicks to offer {offer}: connect it first."

FeedName = Annotated[str, s.BoundedText(minimum=1, maximum=200, strips=True)]
FeedUrl = Annotated[str, s.BoundedText(maximum=MOST_URL, strips=True)]
RefreshHours = Annotated[int, s.WholeNumber(minimum=1, maximum=MOST_HOURS)]


class FeedContent(Params):
    """The products of a feed as a CSV or XLSX file, or as the text of one."""

    file: TableFile | None = None
    csv: TableText = ""

    @property
    def content(self) -> bytes:
        """Return the bytes of the file, at most one more than may be; none = nothing was sent."""
        return content_of(self.file, self.csv, MOST_BYTES)


class AddFeed(FeedContent):
    """A new feed, of a file or of a URL."""

    name: FeedName
    url: FeedUrl = ""
    refresh_hours: RefreshHours = DEFAULT_HOURS


class EditFeed(FeedContent):
    """Changes of a feed; what is left out stays."""

    name: FeedName | None = None
    url: FeedUrl | None = None
    refresh_hours: RefreshHours | None = None


class FeedForAffiliate(Paging):
    """The affiliate and the offer of the links."""

    affiliate_id: s.Id
    offer_id: s.Id


class ProductFeedView(View):
    """A feed. items: the number of products. offers: how many name the feed. Times: "" = never."""

    id: str
    name: str
    items: int
    items_at: str
    offers: int
    url: str
    refresh_hours: int
    next_read_at: str
    last_read_at: str
    last_error: str
    created_at: str
    updated_at: str


class ProductItemView(View):
    """A product. url: its page at the advertiser."""

    id: str
    sku: str
    name: str
    url: str
    price: str
    currency: str
    image_url: str
    description: str
    brand: str
    brand_sku: str
    category: str
    subcategory: str
    availability: str
    product_feed_id: str


class LinkedProductItemView(ProductItemView):
    """A product for an affiliate. affise_url: the affiliate's link to it."""

    affise_url: str
    client_id: int


class ProductFeedsAnswer(Answer):
    """A page of feeds."""

    product_feeds: list[ProductFeedView]
    pagination: Pagination


class ProductFeedAnswer(Answer):
    """A feed."""

    product_feed: ProductFeedView


class ProductFeedItemsAnswer(Answer):
    """A feed and a page of its products. is_writable: whether the caller may change the feed."""

    product_feed: ProductFeedView
    is_writable: bool
    items: list[ProductItemView]
    pagination: Pagination


class CheckedFeedAnswer(Answer):
    """What a file has. items: the number of its products. first: some of them."""

    items: int
    first: list[ProductItemView]


class LinkedProductItemsAnswer(Answer):
    """A page of the products of a feed, with an affiliate's links."""

    data: list[LinkedProductItemView]
    pagination: Pagination


class FeedMessageAnswer(Answer):
    """The result in words."""

    message: str


@routes.get(
    "/product-feed/{id}/items", for_callers(Permission.OFFERS_READ), id="product-feed.items.list", find=_find_visible
)
def list_for_affiliate(request: ApiRequest[Deps], params: FeedForAffiliate) -> LinkedProductItemsAnswer:
    """List the products of an offer's feed with the links of an affiliate.

    A link leads to the page of the product where the offer takes deep links and the page is on a site of the offer;
    else to the offer. An affiliate sees feeds of offers that it sees, and products once it may send clicks.
    """
    feed: ProductFeed = request.subject
    found = product_feeds.list_for_affiliate(
        request.deps, request.access, feed, params.offer_id, params.affiliate_id, **params.place(request)
    )
    offer = found.offer
    links = links_of(offer, found.related, ViewContext(params.affiliate_id, request.deps, request.version))
    if not links:
        raise BadInput({"offer_id": [_NO_LINK.format(affiliate=params.affiliate_id, offer=offer.id)]})
    views = []
    for stored, view in zip(found.items, _item_views(feed.id, found.items), strict=True):
        leads = product_feeds.leads_to_page(offer, stored.item.url)
        url = links[0].url + (f"&{urlencode({'redirect': stored.item.url})}" if leads else "")
        views.append(LinkedProductItemView(**asdict(view), affise_url=url, client_id=_CLIENT))
    return LinkedProductItemsAnswer(data=views, pagination=params.pagination(request, found.total))


@routes.get("/admin/product-feeds", _READERS, id="admin.product-feeds.list")
def list_(request: ApiRequest[Deps], params: Paging) -> ProductFeedsAnswer:
    """List the product feeds, by name. All staff share them."""
    found, total = product_feeds.list_feeds(request.deps, **params.place(request))
    views = [_view(request, each) for each in found]
    return ProductFeedsAnswer(product_feeds=views, pagination=params.pagination(request, total))


@routes.get("/admin/product-feed/{id}", _READERS, id="admin.product-feed.get", find=_find)
def get(request: ApiRequest[Deps], params: Paging) -> ProductFeedItemsAnswer:
    """Show a feed and a page of its products, in the order of its file."""
    record, caller = cast("FeedRecord", request.subject), request.caller
    items, total = product_feeds.list_items(request.deps, record.feed.id, **params.place(request))
    return ProductFeedItemsAnswer(
        product_feed=_view(request, record),
        is_writable=isinstance(caller, StaffCaller) and product_feeds.is_writable(request.deps, caller, record.feed.id),
        items=list(_item_views(record.feed.id, items)),
        pagination=params.pagination(request, total),
    )


@routes.post("/admin/product-feed", _WRITERS, id="admin.product-feed.add", body_max=_BODY_MAX)
def add(request: ApiRequest[Deps], params: AddFeed) -> ProductFeedAnswer:
    """Make a product feed of a CSV or XLSX file, or of a URL where a file is read on schedule.

    A file with a fault makes none: the error names rows and columns. A URL is first read within seconds; `last_error`
    of the feed has what was wrong.
    """
    check_called(request.deps, {"url": params.url}, {}, request.warn)
    if params.url:
        if params.content:
            raise BadInput({"url": ["Send a file or a URL, not both."]})
        return _answer(
            request, product_feeds.add_read_feed(request.deps, params.name, params.url, params.refresh_hours)
        )
    items = _products(request, required_content(params.content))
    return _answer(request, product_feeds.add_feed(request.deps, params.name, items))


@routes.post("/admin/product-feed/check", _WRITERS, id="admin.product-feed.check", body_max=_BODY_MAX)
def check(request: ApiRequest[Deps], params: FeedContent) -> CheckedFeedAnswer:
    """Read a CSV or XLSX file of products without storing anything.

    Faults are reported as for a new feed.
    """
    items = _products(request, required_content(params.content))
    return CheckedFeedAnswer(
        items=len(items), first=list(_item_views("", [StoredItem("", each) for each in items[:20]]))
    )


@routes.post("/admin/product-feed/{id}", _WRITERS, id="admin.product-feed.edit", find=_find, body_max=_BODY_MAX)
def edit(request: ApiRequest[Deps], params: EditFeed) -> ProductFeedAnswer:
    """Rename a feed, replace its products from a file, or set the URL where its file is read.

    All products are replaced at once. A file with a fault changes nothing: the error names rows and columns. A new
    URL is read within seconds, and the products stay until then. An empty one ends the readings. 403 while offers
    outside the scope of the caller use the feed.
    """
    check_called(request.deps, {"url": params.url}, {"url": request.subject.feed.url}, request.warn)
    content = params.content
    edit = FeedEdit(
        name=params.name,
        items=_products(request, content) if content else None,
        url=params.url,
        refresh_hours=params.refresh_hours,
    )
    return _answer(request, product_feeds.edit_feed(request.deps, request.access, request.subject.feed.id, edit))


@routes.post("/admin/product-feed/{id}/read", _WRITERS, id="admin.product-feed.read", find=_find)
def read_now(request: ApiRequest[Deps], _params: NoParams) -> ProductFeedAnswer:
    """Read the URL of a feed now, not only when it is due. 409 for a feed without a URL.

    403 while offers outside the scope of the caller use the feed.

    A worker begins within seconds, at the earliest a minute after the last reading; `last_read_at` and `last_error`
    say how it ended.
    """
    return _answer(request, product_feeds.read_now(request.deps, request.access, request.subject.feed.id))


@routes.delete("/admin/product-feed/{id}", _WRITERS, id="admin.product-feed.remove", find=_find)
def remove(request: ApiRequest[Deps], _params: NoParams) -> FeedMessageAnswer:
    """Remove a feed and its products.

    409 while offers name it, 403 while offers outside the scope of the caller do.
    """
    product_feeds.remove_feed(request.deps, request.access, request.subject.feed.id)
    return FeedMessageAnswer(message="The product feed is removed")


def _products(request: ApiRequest[Deps], content: bytes) -> list[ProductItem]:
    """Return the products of a file, and warn of how it was read. Raises BadInput."""
    items, notes = product_feeds.read_file(content)
    for sentence in notes:
        request.warn(sentence)
    return items


def _answer(request: ApiRequest[Deps], record: FeedRecord) -> ProductFeedAnswer:
    return ProductFeedAnswer(product_feed=_view(request, record))


def _view(request: ApiRequest[Deps], record: FeedRecord) -> ProductFeedView:
    feed, zone = record.feed, request.deps.zone
    return view_of(
        ProductFeedView,
        feed,
        offers=record.offers,
        items_at=_time_text(feed.items_at, zone),
        next_read_at=_time_text(feed.next_read_at, zone),
        last_read_at=_time_text(feed.last_read_at, zone),
        created_at=datetime_text(feed.created_at, zone),
        updated_at=datetime_text(feed.updated_at, zone),
    )


def _time_text(at: int | None, zone: ZoneInfo) -> str:
    return datetime_text(at, zone) if at else ""


def _item_views(feed_id: str, items: Iterable[StoredItem]) -> Iterable[ProductItemView]:
    for each in items:
        yield view_of(ProductItemView, each.item, id=each.id, product_feed_id=feed_id)
