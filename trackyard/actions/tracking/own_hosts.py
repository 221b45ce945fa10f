"""The platform's own hosts: its addresses and its domains.

docs/spec/postbacks.md#delivery.
"""

import time
from collections.abc import Sequence
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.base.errors import BadInput
from trackyard.domain.platform.hosts import OWN_HOST_ERROR, OwnHosts
from trackyard.store.engine.database import Connection
from trackyard.store.platform import domains

_REFRESH_SECONDS: Final = 1.0


class OwnHostsReader:
    """Own hosts for a worker, read again once a second at most. Belongs to one thread.

    urls: the addresses of tracking listener and API.
    """

    def __init__(self, urls: Sequence[str]) -> None:
        self._urls = urls
        self._hosts = OwnHosts(urls)
        self._read_at: float | None = None

    def current(self, conn: Connection) -> OwnHosts:
        """Return the own hosts."""
        if self._read_at is None or time.monotonic() - self._read_at > _REFRESH_SECONDS:
            self._hosts = own_hosts(conn, self._urls)
            self._read_at = time.monotonic()
        return self._hosts


def own_hosts(conn: Connection, urls: Sequence[str]) -> OwnHosts:
    """Return the hosts of these addresses of the platform, and of the stored domains."""
    return OwnHosts([*urls, *(f"http://{domain.url}" for domain in domains.list_domains(conn))])


def own_hosts_of(deps: Deps, conn: Connection) -> OwnHosts:
    """Return the own hosts for a request to the API."""
    return own_hosts(conn, (deps.tracking_url, deps.api_url))


def require_other_host(deps: Deps, conn: Connection, url: str) -> None:
    """Raise BadInput for a URL of the platform itself: it would report conversions of its own conversions."""
    if own_hosts_of(deps, conn).includes(url):
        raise BadInput({"url": [OWN_HOST_ERROR]})
