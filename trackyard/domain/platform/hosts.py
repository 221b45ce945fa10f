"""Hosts of the URLs that are called, and the domains by which they are counted.

docs/spec/postbacks.md#fair-turns.
"""

from collections.abc import Iterable
from ipaddress import ip_address
from typing import Final
from urllib.parse import unquote, urlsplit

_MAX_LENGTH: Final = 255
_COUNTRY_CODE_LENGTH: Final = 2

_SECOND_LEVELS: Final = frozenset({
    "ac", "asn", "biz", "co", "com", "edu", "firm", "gen", "go", "gob", "gouv", "gov", "gv", "id", "in", "ind", "inf",
    "info", "ltd", "me", "mil", "my", "ne", "net", "nhs", "nic", "nom", "or", "org", "plc", "police", "sch", "tm",
    "web",
})  # fmt: skip
"""Labels under which country domains register names, such as `co` in co.uk."""


def host_of(url: str) -> str:
    """Return the host of a URL in lower case, or ""."""
    try:
        return (urlsplit(url).hostname or "")[:_MAX_LENGTH]
    except ValueError:
        return ""


def delivery_host(url: str) -> str:
    """Return the IP address or the registered domain by which requests to a URL are counted.

    All subdomains of one domain count as one host, so that a wildcard record does not supply endless hosts.
    """
    return registrable_domain(host_of(url))


def registrable_domain(host: str) -> str:
    """Return the last two labels of a host name, three below such as co.uk; an address stays as it is."""
    if _is_address(host):
        return host
    labels = [label for label in host.split(".") if label]
    is_country = len(labels) > 0 and len(labels[-1]) == _COUNTRY_CODE_LENGTH
    size = 3 if is_country and len(labels) > 1 and labels[-2] in _SECOND_LEVELS else 2
    return ".".join(labels[-size:])


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


OWN_HOST_ERROR: Final = "This URL belongs to the platform: use a URL of another server."


class OwnHosts:
    """The hosts of the platform, which no URL of a user may name.

    A name is own with any port; an address or localhost, where other programs listen too, with the platform's port.
    """

    def __init__(self, urls: Iterable[str] = ()) -> None:
        self._places = frozenset(_place(url) for url in urls if host_of(url))

    def includes(self, url: str) -> bool:
        """Return whether a URL leads to the platform by its host."""
        return _place(url) in self._places


def _place(url: str) -> tuple[str, int]:
    """Return the host and, of an address or localhost, the port of a URL."""
    host = unquote(host_of(url)).lower().rstrip(".")
    if host != "localhost" and not _is_address(host):
        return host, 0
    try:
        parts = urlsplit(url)
        return host, parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        return host, 0
