"""Commands run in this process, as `trackyard` runs them, also against an API without a server."""

import io
import os
from collections.abc import Mapping
from email.message import Message
from http.client import HTTPResponse
from typing import Any, cast
from unittest import mock
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request

from click.testing import CliRunner, Result

from tests.support import client
from tests.support.api import Api
from trackyard.commands.frame.options import Invocation
from trackyard.commands.local_api import ApiClient
from trackyard.commands.main import root


class InProcessApi(ApiClient):
    """The API of an installation under test, as its administrator."""

    __slots__ = ("caller",)
    caller: client.ApiClient

    def __init__(self, api: Api) -> None:
        super().__init__("http://api.example", api.admin.key or "")
        object.__setattr__(self, "caller", api.admin)

    def send(self, request: Request, _seconds: float | None) -> HTTPResponse:
        """Answer a request of the command."""
        parts = urlsplit(request.full_url)
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        headers = dict(request.header_items())
        body = cast("bytes | None", request.data)
        answer = self.caller.call(request.get_method(), path, headers=headers, content=body)
        if answer.status_code >= 400:
            raise HTTPError(request.full_url, answer.status_code, "", Message(), io.BytesIO(answer.content))
        return cast("HTTPResponse", _Answer(answer.content, answer.headers))


class _Answer(io.BytesIO):
    """An answer, as urllib has it."""

    def __init__(self, content: bytes, headers: Mapping[str, str]) -> None:
        super().__init__(content)
        self.headers = headers


class ApiInvocation(Invocation):
    """A command line that names an API under test."""

    def __init__(self, api: Api) -> None:
        super().__init__()
        self._api = api

    def api(self) -> ApiClient:
        """Return the API under test."""
        return InProcessApi(self._api)


def run_command(
    *arguments: str, env: Mapping[str, str | None] | None = None, typed: str = "", api: Api | None = None
) -> Result:
    """Run `trackyard` with these arguments; its exit code and output.

    typed: standard input.
    api: what commands speak to; without one they look for a server.
    Variables that the command sets for processes of its own are removed at its end.
    """
    more: dict[str, Any] = {} if api is None else {"obj": ApiInvocation(api)}
    with mock.patch.dict(os.environ):
        return CliRunner().invoke(root, arguments, env=env, input=typed, catch_exceptions=False, **more)
