"""Asking the API of this installation, which holds the analytic store, as its first administrator."""

import json
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, Request, build_opener

from trackyard.app import administrator_key
from trackyard.config import CannotStart, Config

_SECONDS = 60
_no_proxy = build_opener(ProxyHandler({}))


class Refused(Exception):
    """The API answered with an error. `status`: HTTP's · the message is what it said."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


def ask(config: Config, path: str, *, seconds: float | None = _SECONDS) -> dict[str, Any]:
    """The answer to GET `path`; seconds: how long it may take, None = as long as it does.

    Raises Refused, and CannotStart when nobody answers.
    """
    headers = {"API-Key": administrator_key(config)}
    request = Request(config.api_listen.url() + path, headers=headers)
    try:
        with _no_proxy.open(request, timeout=seconds) as response:
            answer: dict[str, Any] = json.load(response)
            return answer
    except HTTPError as fault:
        raise Refused(fault.code, str(json.load(fault).get("message", ""))) from None
    except (URLError, TimeoutError, ConnectionError):
        raise CannotStart(f"the API at {config.api_listen.url()} does not answer: start the server first.") from None
