"""The pages that report conversions by pixels (docs/spec/conversions.md#pixels). Pure."""

from collections.abc import Collection
from urllib.parse import urlsplit


def find_page_host(origin: str, referrer: str) -> str:
    """Return the lower-case host of the Origin of a request, else of its Referer; "" = unknown."""
    return _host_of(origin) or _host_of(referrer)


def is_on_page(host: str, pages: Collection[str]) -> bool:
    """Return whether a host is one of these or below one; every host is when there are none."""
    return not pages or any(host == page or host.endswith(f".{page}") for page in pages)


def _host_of(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "")[:255]
    except ValueError:  # brackets that hold no address
        return ""
