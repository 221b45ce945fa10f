"""Asking the API of this installation, which holds the analytic store, as its first administrator."""

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
"""The code of a refusal that is over in a second; other things that are too many may last."""
_no_proxy = build_opener(ProxyHandler({}))


class ApiError(Exception):
    """The API answered with an error. `status`: HTTP's · the message is what it said, with a full stop."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"{text.removesuffix('.')}.")
        self.status = status


@dataclass(frozen=True, slots=True)
class ApiClient:
    """The API at the address `url`, asked with `key`. Too many calls at once wait as long as they are told.

    Both raise Refused, and CannotStart when nobody answers.
    """

    url: str
    key: str

    def get(
        self, path: str, params: dict[str, Any] | None = None, *, seconds: float | None = _TIMEOUT_S
    ) -> dict[str, Any]:
        """The answer to GET `path`; seconds: how long it may take, None = as long as it does."""
        query = f"?{urlencode(params, doseq=True)}" if params else ""
        return self._send(Request(self.url + path + query, headers={"API-Key": self.key}), seconds)

    @contextmanager
    def stream(self, path: str, params: dict[str, Any]) -> Iterator[HTTPResponse]:
        """The answer to GET `path`, to be read in the block; params that the method does not have are Refused."""
        request = Request(f"{self.url}{path}?{urlencode(params, doseq=True)}", headers={"API-Key": self.key})
        with self._open(request, None) as response:
            ignored = response.headers.get("X-Ignored-Parameters")
            if ignored:
                raise ApiError(HTTPStatus.BAD_REQUEST, f"there is no {unquote(ignored).replace(',', ', ')}")
            yield response

    def post(self, path: str, params: dict[str, Any]) -> dict[str, Any]:
        """The answer to POST `path`; params: as JSON can hold them."""
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
    """The API of this installation for its first administrator. Raises CannotStart when there is none yet."""
    return ApiClient(config.api_listen.url(), administrator_key(config))


def get_as_administrator(config: Config, path: str, *, seconds: float | None = _TIMEOUT_S) -> dict[str, Any]:
    """The answer to GET `path`, asked by the first administrator. Errors: as of Api."""
    return administrator_client(config).get(path, seconds=seconds)
