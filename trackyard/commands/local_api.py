"""Requests to the API of this installation as its first administrator."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from secrets import token_hex
from ssl import SSLError
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlencode
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

from trackyard.commands.failures import CommandFailed, ServerAway
from trackyard.runtime.exit_codes import ExitCode
from trackyard.runtime.settings import Config

_TIMEOUT_S: Final = 60
_RATE_LIMITED: Final = "too_many_requests"
"""The code of a rejection that ends within a second; other limits may last."""


class _NoRedirects(HTTPRedirectHandler):
    """Follows no redirect: the key would go to another host, and a POST would become a GET."""

    def redirect_request(self, *_request: Any) -> None:
        """Return None, so that no other request follows."""


_no_proxy = build_opener(ProxyHandler({}), _NoRedirects)


class ApiError(CommandFailed):
    """The API answered with an error. status: of HTTP."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"the API answers {status}: {text.removesuffix('.')}.")
        self.status = status

    @property
    def exit_code(self) -> ExitCode:  # type: ignore[override]
        """Return the exit code: the server cannot answer, something is not there, or the request is wrong."""
        if self.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return ExitCode.AWAY
        return ExitCode.FAILED if self.status == HTTPStatus.NOT_FOUND else ExitCode.USAGE


@dataclass(frozen=True, slots=True)
class ApiClient:
    """The API at the URL `url`, requested with `key`. Rate limits are waited out.

    origin: a sentence about where the URL comes from, for the error of a server that does not answer.

    Its methods raise ApiError, and ServerAway when the server does not answer.
    """

    url: str
    key: str
    origin: str = ""

    def get(
        self, path: str, params: dict[str, Any] | None = None, *, seconds: float | None = _TIMEOUT_S
    ) -> dict[str, Any]:
        """Return the answer to GET `path`. seconds: the time it may take, None = any."""
        query = f"?{urlencode(params, doseq=True)}" if params else ""
        return self._send(Request(self.url + path + query, headers={"API-Key": self.key}), seconds)

    def get_known(self, path: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to GET `path`. Raises ApiError also for parameters that the method lacks."""
        with self.stream(path, params) as response:
            answer: dict[str, Any] = json.load(response)
            return answer

    @contextmanager
    def stream(self, path: str, params: dict[str, Any]) -> Iterator[HTTPResponse]:
        """Yield the answer to GET `path`. Raises ApiError also for parameters that the method lacks."""
        request = Request(f"{self.url}{path}?{urlencode(params, doseq=True)}", headers={"API-Key": self.key})
        with self._open(request, None) as response:
            ignored = response.headers.get("X-Ignored-Parameters")
            if ignored:
                raise ApiError(HTTPStatus.BAD_REQUEST, f"there is no {unquote(ignored).replace(',', ', ')}")
            yield response

    def post(self, path: str, params: dict[str, Any], *, once: str = "") -> dict[str, Any]:
        """Return the answer to POST `path`. params: values of JSON. once: an idempotency key."""
        headers = {"API-Key": self.key, "Content-Type": "application/json"}
        if once:
            headers["Idempotency-Key"] = once
        return self._send(Request(self.url + path, json.dumps(params).encode(), headers), _TIMEOUT_S)

    def upload(self, path: str, fields: dict[str, str], name: str, content: bytes) -> dict[str, Any]:
        """Return the answer to POST `path` with fields and a file. name: of the file."""
        mark = f"trackyard-{token_hex(16)}"
        plain = "".join(letter if letter.isprintable() and letter not in '"\\' else "_" for letter in name)
        parts = [
            f'--{mark}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'
            for field, value in fields.items()
        ]
        start = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{plain}"\r\n'
        start += "Content-Type: application/octet-stream\r\n\r\n"
        body = b"".join([*(part.encode() for part in parts), start.encode(), content, f"\r\n--{mark}--\r\n".encode()])
        headers = {"API-Key": self.key, "Content-Type": f"multipart/form-data; boundary={mark}"}
        return self._send(Request(self.url + path, body, headers), _TIMEOUT_S)

    def send(self, request: Request, seconds: float | None) -> HTTPResponse:
        """Return the answer to a request as it came.

        Raises HTTPError, URLError, TimeoutError, ConnectionError.
        """
        response: HTTPResponse = _no_proxy.open(request, timeout=seconds)
        return response

    def _send(self, request: Request, seconds: float | None) -> dict[str, Any]:
        with self._open(request, seconds) as response:
            answer: dict[str, Any] = json.load(response)
            return answer

    def _open(self, request: Request, seconds: float | None) -> HTTPResponse:
        while True:
            try:
                return self.send(request, seconds)
            except HTTPError as fault:
                code, message = _error_of(fault)
                if code != _RATE_LIMITED:
                    raise ApiError(fault.code, message) from None
                time.sleep(float(fault.headers.get("Retry-After", "1")))
            except (URLError, TimeoutError, ConnectionError, HTTPException) as fault:
                raise ServerAway(self._away(fault)) from None

    def _away(self, fault: Exception) -> str:
        """Return a sentence about an API that does not answer."""
        reason = getattr(fault, "reason", None)
        if isinstance(reason, SSLError):
            return f"the certificate of {self.url} cannot be trusted: {reason}"
        if isinstance(fault, HTTPException):
            return f"what answers at {self.url} is not an API of Trackyard."
        return f"the API at {self.url} does not answer: start the server first. {self.origin}".rstrip()


def _error_of(fault: HTTPError) -> tuple[str, str]:
    """Return the code and message of an error; an error of another program has no code."""
    target = fault.headers.get("Location")
    if target is not None:
        return "", f"it redirects to {target}; use that URL"
    try:
        answer = json.load(fault)
        return str(answer.get("code", "")), str(answer.get("message", ""))
    except (ValueError, AttributeError):
        return "", f"{fault.reason}, and not by an API of Trackyard"


def administrator_client(config: Config) -> ApiClient:
    """Return a client of the first administrator. Raises NotInstalled when there is none yet."""
    from trackyard.runtime.preparation import administrator_key  # imports the database

    return ApiClient(config.api_listen.url(), administrator_key(config))
