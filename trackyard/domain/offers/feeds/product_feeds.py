"""Product feeds, and the CSV files that fill them (docs/spec/offers.md#product-feeds).

Files are hostile: everything is bounded, and a file with a fault is refused as a whole.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final
from urllib.parse import urlsplit

from trackyard.domain.platform.files import InvalidFile, read_csv

MOST_BYTES: Final = 5 * 1024 * 1024
MOST_ITEMS: Final = 10_000
DEFAULT_HOURS: Final = 24
MOST_URL: Final = 2000
MOST_HOURS: Final = 168
"""Hours from one reading of a URL to the next."""
MOST_FAULTS: Final = 20
"""Faults of a file that are named."""
_MOST_COLUMNS: Final = 100
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
_OTHER_NAMES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("id", "product_id", "item_id"), "sku"),
    **dict.fromkeys(("title", "product_name"), "name"),
    **dict.fromkeys(("link", "product_url", "page"), "url"),
    **dict.fromkeys(("image", "image_link", "picture"), "image_url"),
    **dict.fromkeys(("currency_code",), "currency"),
    **dict.fromkeys(("mpn",), "brand_sku"),
    **dict.fromkeys(("product_type", "google_product_category"), "category"),
    **dict.fromkeys(("stock",), "availability"),
}
_PRICE: Final = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,6})?)(?: ([A-Za-z]{3}))?", re.A)
_CURRENCY: Final = re.compile(r"[A-Za-z]{3}", re.A)
_NO_ADDRESS: Final = "This is no address: it begins with http:// or https:// and has no spaces."
_URL: Final = re.compile(r"https?://[^\s/?#]+(?:[/?#]\S*)?", re.I)


class FeedFault(ValueError):
    """A file that cannot be a feed. faults: sentences that name the row and the column."""

    def __init__(self, *faults: str) -> None:
        super().__init__(" ".join(faults))
        self.faults = faults


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductFeed:
    """A list of products. Times are UTC ms.

    items_at: when its items were written, 0 = never. items: their number.
    url: where its file is read every `refresh_hours`; "" = staff send the file.
    next_read_at: None = never.
    claimed_until: until when a worker may be reading; None = none does.
    last_read_at: when the last reading ended; None = none did.
    last_error: of the last reading; "" = it succeeded.
    etag, modified: headers of the answer with the stored products.
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
        return _NO_ADDRESS
    if "@" in parts.netloc:
        return "Leave out the name and password before the host: all staff who see the feed would see them."
    if "{" in url or "}" in url:
        return "The address of a feed has no macros. Write { as %7B and } as %7D."
    return ""


def read_items(content: bytes) -> list[ProductItem]:
    """Return the products of a CSV file in UTF-8 or UTF-16. Raises FeedFault."""
    if len(content) > MOST_BYTES:
        raise FeedFault(f"The file has more than {MOST_BYTES // 1024 // 1024} MB. Make several feeds of it.")
    lines = _read_lines(content)
    if len(lines) < 2:
        raise FeedFault("The first row names the columns, and each further row is a product: this file has none.")
    places = _find_columns(lines[0][1])
    faults, found, first = list[str](), list[ProductItem](), dict[str, int]()
    for number, row in lines[1:]:
        values = {name: row[place].strip() if place < len(row) else "" for name, place in places.items()}
        said = [f"Row {number}, {name}: {sentence}" for name, sentence in _faults_of(values, first)]
        first.setdefault(values["sku"], number)
        faults += said
        if not said:
            found.append(_item_of(values))
    if faults:
        more = len(faults) - MOST_FAULTS
        raise FeedFault(*faults[:MOST_FAULTS], *([f"Further faults: {more}."] if more > 0 else []))
    return found


def _read_lines(content: bytes) -> list[tuple[int, tuple[str, ...]]]:
    """Return the rows that have values, with their numbers in the file. Raises FeedFault."""
    try:
        return read_csv(content, MOST_ITEMS, f"The file has more than {MOST_ITEMS} products. Make several feeds of it.")
    except InvalidFile as fault:
        raise FeedFault(str(fault)) from None


def _find_columns(names: Sequence[str]) -> dict[str, int]:
    """Return the place of each known column.

    Raises FeedFault for one that is missing or named twice.
    """
    if len(names) > _MOST_COLUMNS:
        raise FeedFault(f"The file has {len(names)} columns; at most {_MOST_COLUMNS} are read.")
    folded = [name.strip().lower().replace(" ", "_").replace("-", "_").removeprefix("g:") for name in names]
    places: dict[str, int] = {}
    for place, name in enumerate(folded):
        if name in _LONGEST:
            if name in places:
                raise FeedFault(f"The file has the column {name} more than once. Rename all but one.")
            places[name] = place
    for place, name in enumerate(folded):
        if name in _OTHER_NAMES:
            places.setdefault(_OTHER_NAMES[name], place)
    if missing := [name for name in NEEDED if name not in places]:
        raise FeedFault(f"The file has no column {', '.join(missing)}. Name it in the first row.")
    return places


def _faults_of(values: Mapping[str, str], first: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Yield the column and the sentence of each fault of a row.

    first: the rows of the products before it, by sku.
    """
    for name in NEEDED:
        if not values[name]:
            yield name, "This value is required."
    for name, value in values.items():
        if value and (sentence := _form_fault(name, value)):
            yield name, sentence
        elif len(value) > _LONGEST[name] and name != "description":
            yield name, f"This value has more than {_LONGEST[name]} characters."
    if values["sku"] and values["sku"] in first:
        yield "sku", f"Row {first[values['sku']]} has the same value."


def _form_fault(name: str, value: str) -> str:
    if name in ("url", "image_url") and not _URL.fullmatch(value):
        return _NO_ADDRESS
    if name == "price" and not _PRICE.fullmatch(value):
        return "This is no price: write it as 12.50."
    if name == "currency" and not _CURRENCY.fullmatch(value):
        return "This is no currency: write its three letters, such as USD."
    return ""


def _item_of(values: Mapping[str, str]) -> ProductItem:
    """Return the product of a row without faults. A price may have its currency behind it."""
    made = dict(values) | {"description": values.get("description", "")[: _LONGEST["description"]]}
    if found := _PRICE.fullmatch(values.get("price", "")):
        made["price"] = f"{Decimal(found[1]):f}"
        made["currency"] = values.get("currency") or found[2] or ""
    made["currency"] = made.get("currency", "").upper()
    return ProductItem(**made)
