"""Whether a ClickHouse server answers, for a start that may come before it."""

import socket
from typing import Final
from urllib.parse import urlsplit

_CONNECT_SECONDS: Final = 5
_PORTS: Final = {"http": 8123, "clickhouse": 8123, "https": 8443, "clickhouses": 8443}


class StoreNotUp(Exception):
    """The server does not answer yet. The message is the reason."""


def server_of(address: str) -> tuple[str, int] | None:
    """Return host and port of the server of an analytic store; None for chDB."""
    parts = urlsplit(address)
    if parts.scheme not in _PORTS:
        return None
    return parts.hostname or "localhost", parts.port or _PORTS[parts.scheme]


def open_failure(address: str, error: BaseException) -> str:
    """Return why a store does not open, in a sentence without its password."""
    server = server_of(address)
    cause: BaseException | None = error
    while cause is not None and not (isinstance(cause, OSError) and cause.strerror):
        cause = cause.__cause__ or cause.__context__
    if server is not None and isinstance(cause, OSError):
        return f"cannot connect to ClickHouse at {server[0]}:{server[1]}: {cause.strerror}"
    scheme, separator, rest = address.partition("://")
    return f"the analytic store at {scheme}{separator}{rest.rpartition('@')[2]} does not open: {error}"


def check_store_is_up(address: str) -> None:
    """Connect once. Raises StoreNotUp. chDB is always up."""
    server = server_of(address)
    if server is None:
        return
    try:
        socket.create_connection(server, _CONNECT_SECONDS).close()
    except OSError as fault:
        raise StoreNotUp(fault.strerror or str(fault)) from None
