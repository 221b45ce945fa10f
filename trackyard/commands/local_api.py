"""Requests to the API of this installation as its first administrator."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPResponse
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlencode
from urllib.request import ProxyHandler, Request, build_opener

from trackyard.runtime.app import administrator_key
from trackyard.runtime.settings import CannotStart, Config

_TIMEOUT_S: Final = 60
_RATE_LIMITED: Final = "too_many_requests"
"""The code of a rejection that ends within a second; other limits may last."""
_no_proxy = build_opener(ProxyHandler({}))


class ApiError(CannotStart):
    """The API answered with an error. status: of HTTP."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"the API answers {status}: {text.removesuffix('.')}.")
        self.status = status


@dataclass(frozen=True, slots=True)
class ApiClient:
    """The API at the address `url`, requested with `key`. Rate limits are waited out.

    Its methods raise ApiError, and CannotStart when the server does not answer.
    """

    url: str
    key: str

    def get(
        self, path: str, params: dict[str, Any] | None = None, *, seconds: float | None = _TIMEOUT_S
    ) -> dict[str, Any]:
        """Return the answer to GET `path`. seconds: the time it may take, None = any."""
        query = f"?{urlencode(params, doseq=True)}" if params else ""
        return self._send(Request(self.url + path + query, headers={"API-Key": self.key}), seconds)

    @contextmanager
    def stream(self, path: str, params: dict[str, Any]) -> Iterator[HTTPResponse]:
        """Yield the answer to GET `path`. Raises ApiError also for parameters that the method lacks."""
        request = Request(f"{self.url}{path}?{urlencode(params, doseq=True)}", headers={"API-Key": self.key})
        with self._open(request, None) as response:
            ignored = response.headers.get("X-Ignored-Parameters")
            if ignored:
                raise ApiError(HTTPStatus.BAD_REQUEST, f"there is no {unquote(ignored).replace(',', ', ')}")
            yield response

    def post(self, path: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to POST `path`. params: values of JSON."""
        headers = {"API-Key": self.key, "Content-Type": "application/json"}
        return self._send(Request(self.url + path, json.dumps(params).encode(), headers), _TIMEOUT_S)

    def _send(self, request: Request, seconds: float | None) -> dict[str, Any]:
        with self._open(request, seconds) as response:
            answer: dict[str, Any] = json.load(response)
            return answer

    def _open(self, request: Request, seconds: float | None) -> HTTPResponse:
        while True:
            try:
                response: HTTPResponse = _no_proxy.open(request, timeout=seconds)
                return response
            except HTTPError as fault:
                answer = json.load(fault)
                if answer.get("code") != _RATE_LIMITED:
                    raise ApiError(fault.code, str(answer.get("message", ""))) from None
                time.sleep(float(fault.headers.get("Retry-After", "1")))
            except (URLError, TimeoutError, ConnectionError):
                raise CannotStart(f"the API at {self.url} does not answer: start the server first.") from None


def administrator_client(config: Config) -> ApiClient:
    """Return a client of the first administrator. Raises CannotStart when there is none yet."""
    return ApiClient(config.api_listen.url(), administrator_key(config))
