"""Live traffic of the demonstration: HTTP requests to the running tracking listener."""

import http.client
import ssl
from types import TracebackType
from typing import Final, Self
from urllib.parse import urlsplit

from trackyard.commands.demo.traffic import TrackingRequest
from trackyard.commands.failures import CommandFailed, ServerAway
from trackyard.runtime.settings import Config

_TIMEOUT_S: Final = 20.0


class TrackingClient:
    """The tracking listener of this machine, as a proxy of visitors. `with` closes the connection."""

    def __init__(self, config: Config) -> None:
        scheme = "http" if config.tracking_tls_cert is None else "https"
        self._url = config.tracking_listen.url(scheme)
        host, port = urlsplit(self._url).hostname or "", config.tracking_listen.port
        if scheme == "http":
            self._connection = http.client.HTTPConnection(host, port, timeout=_TIMEOUT_S)
            return
        # The certificate has a public name; this is a listener of this machine, by its IP address.
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        self._connection = http.client.HTTPSConnection(host, port, timeout=_TIMEOUT_S, context=context)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def check(self) -> None:
        """Raise CommandFailed unless the listener takes traffic."""
        self._get("/readyz", {})

    def send(self, tracking_request: TrackingRequest) -> str:
        """Send a request; return the Location of its answer, "" when it has none.

        Raises CommandFailed when the listener does not answer or cannot record.
        """
        headers = {"X-Forwarded-For": tracking_request.ip, "User-Agent": tracking_request.ua}
        headers |= {"Referer": tracking_request.referrer} if tracking_request.referrer else {}
        headers |= {"Accept-Language": tracking_request.language} if tracking_request.language else {}
        return self._get(tracking_request.target, headers)

    def _get(self, target: str, headers: dict[str, str]) -> str:
        try:
            answer = self._answer(target, headers)
        except (OSError, http.client.HTTPException):
            self._connection.close()
            raise ServerAway(f"the tracking listener at {self._url} does not answer: start the server.") from None
        if answer.status == http.client.SERVICE_UNAVAILABLE:
            raise CommandFailed(f"the tracking listener at {self._url} takes no traffic.")
        return answer.getheader("Location") or ""

    def _answer(self, target: str, headers: dict[str, str]) -> http.client.HTTPResponse:
        """Return the answer to a request.

        The listener closes a connection that was idle, before it reads what was sent on it: a slow machine takes longer
        between two steps. The request is sent once more, on a new connection.
        """
        try:
            self._connection.request("GET", target, headers=headers)
            answer = self._connection.getresponse()
        except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
            self._connection.close()
            self._connection.request("GET", target, headers=headers)
            answer = self._connection.getresponse()
        answer.read()
        return answer
