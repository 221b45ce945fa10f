"""The listener with TLS of its own: connections are counted as they come, before their handshake."""

import asyncio
import logging
import socket
import ssl
from pathlib import Path
from typing import Final

from trackyard.edge.http.client_address import peer_address
from trackyard.edge.http.connection import Connection, ConnectionContext

HANDSHAKE_S: Final = 5.0
ACCEPTED_AT_ONCE: Final = 64
"""Connections that are accepted before others have their turn."""
_PAUSE_S: Final = 0.1
"""After an accept that the system refused, as without a free file."""

_log = logging.getLogger("trackyard.edge")


def tls_context(certificate: Path | None, key: Path | None) -> ssl.SSLContext | None:
    """Return the TLS of a listener; None without a certificate. Raises ssl.SSLError."""
    if certificate is None or key is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


class TlsServer:
    """Accepts connections of `listener`, which listens and does not block, until `close`."""

    def __init__(
        self,
        shared: ConnectionContext,
        listener: socket.socket,
        tls: ssl.SSLContext,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._shared, self._listener, self._tls, self._loop = shared, listener, tls, loop
        self._handshakes: set[asyncio.Task[None]] = set()
        self._resume: asyncio.TimerHandle | None = None
        loop.add_reader(listener, self._accept)

    def close(self) -> None:
        """Accept no more, and end running handshakes."""
        self._loop.remove_reader(self._listener)
        if self._resume is not None:
            self._resume.cancel()
        for handshake in self._handshakes:
            handshake.cancel()

    def _accept(self) -> None:
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                client, address = self._listener.accept()
            except (BlockingIOError, ConnectionAbortedError):
                return
            except OSError as fault:
                _log.debug("connection not accepted", extra={"error": str(fault)})
                self._loop.remove_reader(self._listener)
                self._resume = self._loop.call_later(_PAUSE_S, self._loop.add_reader, self._listener, self._accept)
                return
            network = self._shared.network_of(peer_address(address))
            if not self._shared.limits.admit(network):
                client.close()
                continue
            client.setblocking(False)
            handshake = self._loop.create_task(self._shake_hands(client, network))
            self._handshakes.add(handshake)
            handshake.add_done_callback(self._handshakes.discard)

    async def _shake_hands(self, client: socket.socket, network: str) -> None:
        connection, made = Connection(self._shared, network), False
        try:
            await self._loop.connect_accepted_socket(
                lambda: connection, client, ssl=self._tls, ssl_handshake_timeout=HANDSHAKE_S
            )
            made = True
        except (OSError, EOFError):
            # The client went, took too long or speaks no TLS.
            return
        finally:
            if not made:
                connection.release()
