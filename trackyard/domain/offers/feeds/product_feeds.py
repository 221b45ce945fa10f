"""Product feeds, and the CSV files that fill them (docs/spec/offers.md#product-feeds).

Files are hostile: everything is bounded, and a file with a fault is refused as a whole.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from trackyard.base.texts.marks import lazy_gettext
from trackyard.base.web_addresses import web_address_fault
from trackyard.domain.platform.tables.forms import (
    FileColumn,
    TableForm,
    find_columns,
    missing_fault,
    notes_on,
    read_head,
    read_rows,
)
from trackyard.domain.platform.tables.grids import Grid, Limits, TableFault
from trackyard.domain.platform.tables.kinds import currencies, ids, money, texts

MOST_BYTES: Final = 5 * 1024 * 1024
MOST_ITEMS: Final = 10_000
DEFAULT_HOURS: Final = 24
MOST_URL: Final = 2000
MOST_HOURS: Final = 168
"""Hours from one reading of a URL to the next."""
MOST_FAULTS: Final = 20
"""Faults of a file that are named."""
_LONGEST: Final[Mapping[str, int]] = {
    "sku": 200,
    "name": 500,
    "url": 2000,
    "price": 30,
    "currency": 3,
    "image_url": 2000,
    "description": 2000,
    "brand": 200,
    "brand_sku": 200,
    "category": 200,
    "subcategory": 200,
    "availability": 50,
}
COLUMNS: Final = tuple(_LONGEST)
"""The columns of a file, which are the fields of an item."""
NEEDED: Final = ("sku", "name", "url")
FORM: Final = TableForm(
    columns=(
        FileColumn("sku", lazy_gettext("SKU"), ids, ("id", "product_id", "item_id")),
        FileColumn("name", lazy_gettext("Name"), texts, ("title", "product_name")),
        FileColumn("url", lazy_gettext("URL"), texts, ("link", "product_url", "page")),
        FileColumn("price", lazy_gettext("Price"), money),
        FileColumn("currency", lazy_gettext("Currency"), currencies, ("currency_code",)),
        FileColumn("image_url", lazy_gettext("Picture"), texts, ("image", "image_link", "picture")),
        FileColumn("description", lazy_gettext("Description"), texts),
        FileColumn("brand", lazy_gettext("Brand"), texts),
        FileColumn("brand_sku", lazy_gettext("SKU of the brand"), ids, ("mpn",)),
        FileColumn("category", lazy_gettext("Category"), texts, ("product_type", "google_product_category")),
        FileColumn("subcategory", lazy_gettext("Subcategory"), texts),
        FileColumn("availability", lazy_gettext("Availability"), texts, ("stock",)),
    ),
    needed=NEEDED,
    limits=Limits(most_bytes=MOST_BYTES, most_rows=MOST_ITEMS),
)
_NO_ADDRESS: Final = "This is not a URL: it begins with http:// or https:// and has no spaces."
_URL: Final = re.compile(r"https?://[^\s/?#]+(?:[/?#]\S*)?", re.I)


class FeedFault(ValueError):
    """A file that cannot be a feed. faults: sentences that name the row and the column."""

    def __init__(self, *faults: str) -> None:
        super().__init__(" ".join(faults))
        self.faults = faults


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductFeed:
    """A list of products. Times are UTC milliseconds.

    items_at: when its items were written, 0 = never. items: number of items.
    url: the URL of its file, which is read every `refresh_hours`; "" = staff send the file.
    next_read_at: None = never.
    claimed_until: the end of a worker's claim to read the file; None = no worker has one.
    last_read_at: when the last reading ended; None = it was never read.
    last_error: the error of the last reading; "" = it succeeded.
    etag, modified: headers of the response that contained the stored products.
    """

    id: str
    name: str
    items: int
    items_at: int
    created_at: int
    updated_at: int
    url: str = ""
    refresh_hours: int = DEFAULT_HOURS
    next_read_at: int | None = None
    claimed_until: int | None = None
    last_read_at: int | None = None
    last_error: str = ""
    etag: str = ""
    modified: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductItem:
    """A product. price: "" = the file has none. url: of its page at the advertiser."""

    sku: str
    name: str
    url: str
    price: str = ""
    currency: str = ""
    image_url: str = ""
    description: str = ""
    brand: str = ""
    brand_sku: str = ""
    category: str = ""
    subcategory: str = ""
    availability: str = ""


@dataclass(frozen=True, slots=True)
class StoredItem:
    """A product of a feed. id: stays as long as the feed has the sku."""

    id: str
    item: ProductItem


def url_fault(url: str) -> str:
    """Return why a feed cannot be read from a URL; "" = it can."""
    try:
        parts = urlsplit(url)
        is_address = bool(_URL.fullmatch(url) and parts.hostname and parts.port != 0)
    except ValueError:
        is_address = False
    if not is_address:
        return web_address_fault(url) or _NO_ADDRESS
    if "@" in parts.netloc:
        return "Leave out the name and password before the host: all staff who see the feed would see them."
    if "{" in url or "}" in url:
        return "The URL of a feed has no macros. Write { as %7B and } as %7D."
    return ""


def read_items(grid: Grid) -> tuple[list[ProductItem], list[str]]:
    """Return the products of a file, and sentences about how it was read. Raises FeedFault."""
    try:
        table = read_head(grid, FORM)
        places = find_columns(table, FORM)
        if missing := [name for name in NEEDED if name not in places]:
            raise TableFault(missing_fault(table, FORM, missing))
    except TableFault as fault:
        raise FeedFault(str(fault)) from None
    faults, found, first = list[str](), list[ProductItem](), dict[str, int]()
    for row in read_rows(table, FORM, places):
        values = row.sent
        said = list(_faults_of(values, row.faults, first))
        first.setdefault(values.get("sku", ""), row.number)
        faults += [f"Row {row.number}, {name}: {sentence}" for name, sentence in said]
        if not said:
            found.append(_item_of(values))
    if faults:
        more = len(faults) - MOST_FAULTS
        raise FeedFault(*faults[:MOST_FAULTS], *([f"Further faults: {more}."] if more > 0 else []))
    return found, notes_on(table, FORM, places)


def _faults_of(
    values: Mapping[str, str], unread: Mapping[str, str], first: Mapping[str, int]
) -> Iterator[tuple[str, str]]:
    """Yield the column and the sentence of each fault of a row.

    unread: why cells have no value. first: the rows of the products before it, by sku.
    """
    for name in NEEDED:
        if name not in values and name not in unread:
            yield name, "This value is required."
    yield from unread.items()
    for name, value in values.items():
        if name in ("url", "image_url") and not _URL.fullmatch(value):
            yield name, web_address_fault(value) or _NO_ADDRESS
        elif name == "price" and value.startswith("-"):
            yield name, "A price is 0 or more."
        elif len(value) > _LONGEST[name] and name != "description":
            yield name, f"This value has more than {_LONGEST[name]} characters."
    if values.get("sku") in first:
        yield "sku", f"Row {first[values['sku']]} has the same value."


def _item_of(values: Mapping[str, str]) -> ProductItem:
    """Return the product of a row without faults. A price may have its currency with it."""
    price, _, named = values.get("price", "").partition(" ")
    made = {
        **values,
        "price": price,
        "currency": values.get("currency") or named,
        "description": values.get("description", "")[: _LONGEST["description"]],
    }
    return ProductItem(**made)
