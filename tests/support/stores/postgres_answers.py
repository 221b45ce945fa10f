"""A server that answers each connection as PostgreSQL does when it gives none."""

import socket
import struct
import threading
from contextlib import suppress
from types import TracebackType
from typing import Final, Self

_SSL_REQUEST: Final = struct.pack("!i", 80877103)
_GSS_REQUEST: Final = struct.pack("!i", 80877104)


class PostgresAnswer:
    """Answers with an error while the block lasts.

    state: its SQLSTATE. has_tls: it offers TLS, which it does not speak.
    """

    def __init__(self, state: str, words: str, *, has_tls: bool = False) -> None:
        fields = f"SFATAL\0VFATAL\0C{state}\0M{words}\0\0".encode()
        self._answer = b"E" + struct.pack("!i", len(fields) + 4) + fields
        self._has_tls = has_tls
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection, suppress(OSError):  # a client may hang up first
                self._speak(connection)

    def _speak(self, connection: socket.socket) -> None:
        while True:
            head = connection.recv(4)
            if len(head) < 4:
                return
            message = connection.recv(struct.unpack("!i", head)[0] - 4)
            if message[:4] in (_SSL_REQUEST, _GSS_REQUEST):
                connection.sendall(b"S" if self._has_tls and message[:4] == _SSL_REQUEST else b"N")
                continue
            connection.sendall(self._answer)
            return
