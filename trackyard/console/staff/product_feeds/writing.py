"""The form of a product feed, with a preview (docs/spec/console.md#product-feeds)."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from trackyard.api.offers.feeds import product_feeds
from trackyard.base.errors import BadInput, UnsupportedMediaType
from trackyard.base.texts.marks import gettext, ngettext
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import Html, PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists.page import make_table
from trackyard.console.staff.product_feeds.listing import ADD, EDIT, GET, LIST, PATH, PRODUCT_COLUMNS
from trackyard.domain.offers.feeds.product_feeds import DEFAULT_HOURS, MOST_BYTES
from trackyard.domain.platform.tables.grids import TableFault, text_of

pages = Pages()

CHECK: Final = product_feeds.check
_BODY_MAX: Final = MOST_BYTES + 512 * 1024
_SOURCE: Final = ("url", "refresh_hours")
_MOST_TEXT: Final = 200_000
"""Characters of a file that the page keeps between the preview and the save."""


@pages.get(f"{PATH}/new", needs=(LIST, ADD, CHECK))
def new_feed(request: PageRequest) -> PageAnswer:
    """Ask for the name and the file of a feed."""
    return _page(request)


@pages.post(f"{PATH}/new", needs=(LIST, ADD, CHECK), body_max=_BODY_MAX)
def add_feed(request: PageRequest) -> PageAnswer:
    """Show what a file has, or make a feed of it."""
    return _written(request)


@pages.get(f"{PATH}/{{id}}/edit", needs=(GET, EDIT, CHECK))
def edit_feed(request: PageRequest) -> PageAnswer:
    """Ask for another name or file of a feed."""
    return _page(request)


@pages.post(f"{PATH}/{{id}}/edit", needs=(GET, EDIT, CHECK), body_max=_BODY_MAX)
def save_feed(request: PageRequest) -> PageAnswer:
    """Show what a file has, or save the feed."""
    return _written(request)


def _written(request: PageRequest) -> PageAnswer:
    number, text = request.path.get("id", ""), request.field("csv")
    files = [each for each in request.files if each[0] == "file" and each[1].name]
    sent: list[Pair] = [] if files or not text.strip() else [("csv", text)]
    kept = _kept_text(request) if files else text
    url = request.field("url").strip()
    try:
        if request.field("do") != "save":
            if url and not files and not sent:
                return _page(request, kept, {"url": [gettext("Only a file has a preview: save the product feed.")]})
            found = request.calls.ask(CHECK, sent, files=files)
            return _page(request, kept, found=found)
        named = [*sent, *_texts(request)]
        answer = (
            request.calls.ask(EDIT, named, {"id": number}, files)
            if number
            else request.calls.ask(ADD, named, files=files)
        )
    except BadInput as refusal:
        return _page(request, kept, refusal.fields or {"": [refusal.text]})
    except UnsupportedMediaType:
        return _page(request, "", {"file": [gettext("This is not a CSV or XLSX file.")]})
    saved = answer.product_feed
    return Redirect(f"{PATH}/{saved.id}", _saved_message(saved))


def _texts(request: PageRequest) -> list[Pair]:
    """Return the fields of the form that were sent, but the file."""
    return [(name, value.strip()) for name, value in request.form if name in ("name", *_SOURCE)]


def _saved_message(feed: product_feeds.ProductFeedView) -> str:
    if feed.url:
        return gettext("The product feed is saved. Its URL is read when it is due, a new one at once.")
    return ngettext(
        "The product feed is saved. It has %(num)d product.",
        "The product feed is saved. It has %(num)d products.",
        feed.items,
    )


def _kept_text(request: PageRequest) -> str:
    """Return the text of the sent file for the form; "" where it is too long to keep, or a spreadsheet."""
    content = next(each for name, each in request.files if name == "file").read()
    try:
        text = text_of(content).text
    except TableFault:
        return ""
    return text if len(text) <= _MOST_TEXT else ""


def _page(
    request: PageRequest,
    text: str = "",
    faults: Mapping[str, Sequence[str]] = MappingProxyType({}),
    found: product_feeds.CheckedFeedAnswer | None = None,
) -> Html:
    number = request.path.get("id", "")
    feed = request.calls.ask(GET, [("limit", "1")], {"id": number}).product_feed if number else None
    is_sent = bool(text or faults or found)
    stored = {
        "name": feed.name if feed else "",
        "url": feed.url if feed else "",
        "refresh_hours": feed.refresh_hours if feed else DEFAULT_HOURS,
    }
    return request.page(
        "staff/product_feeds/write.html",
        400 if faults else 200,
        feed=feed,
        typed={name: request.field(name) if is_sent else stored[name] for name in ("name", *_SOURCE)},
        text=text,
        faults=[each for name, sentences in faults.items() if name not in _SOURCE for each in sentences],
        field_faults={name: faults[name] for name in _SOURCE if name in faults},
        found=found,
        first=make_table(PRODUCT_COLUMNS, request, found.first) if found else None,
        path=f"{PATH}/{number}/edit" if number else f"{PATH}/new",
        back=f"{PATH}/{number}" if number else PATH,
    )
