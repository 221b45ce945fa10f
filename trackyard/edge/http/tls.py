"""The listener with TLS of its own: connections are counted as they come, before their handshake."""

import asyncio
import logging
import socket
import ssl
from pathlib import Path
from typing import Final

from trackyard.decision.visitor.databases import FileStamp, stamp_of
from trackyard.edge.http.client_address import peer_address
from trackyard.edge.http.connection import Connection, ConnectionContext

HANDSHAKE_S: Final = 5.0
ACCEPTED_AT_ONCE: Final = 64
"""Connections that are accepted before others have their turn."""
_PAUSE_S: Final = 0.1
"""After an accept that the system refused, as without a free file."""

_log = logging.getLogger("trackyard.edge")


class Certificate:
    """The certificate of a listener; `refresh` loads it again when its files were replaced.

    context: the TLS context of the connections; new handshakes use the newest certificate. Raises ssl.SSLError and
    OSError.
    """

    def __init__(self, certificate: Path, key: Path) -> None:
        self._files = (certificate, key)
        self._stamps = self._read_stamps()
        self.context = _context_of(certificate, key)

    def refresh(self) -> None:
        """Take over replaced files. A pair that cannot be used is logged once, and the old one stays."""
        stamps = self._read_stamps()
        if stamps == self._stamps:
            return
        self._stamps = stamps
        name = {"certificate": str(self._files[0])}
        try:
            _context_of(*self._files)  # a pair that fails must not reach the connections
            self.context.load_cert_chain(*self._files)
        except (ssl.SSLError, OSError) as fault:
            advice = "the old one is used until both files of the new one are there and belong together"
            _log.warning("new certificate not used", extra={**name, "error": str(fault), "advice": advice})
        else:
            _log.info("new certificate used", extra=name)

    def _read_stamps(self) -> list[FileStamp | None]:
        return [stamp_of(file) for file in self._files]


def find_certificate(certificate: Path | None, key: Path | None) -> Certificate | None:
    """Return the certificate of a listener, if it has one. Raises ssl.SSLError and OSError."""
    return None if certificate is None or key is None else Certificate(certificate, key)


def _context_of(certificate: Path, key: Path) -> ssl.SSLContext:
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
