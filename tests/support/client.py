"""A client of the API under test that checks every answer against what the endpoint declares."""

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import msgspec
import pyarrow
import pyarrow.parquet

from tests.support.transport import AppClient
from trackyard.wire.endpoint import Endpoint
from trackyard.wire.http.routing import RouteTable
from trackyard.wire.response.envelope import Answer, BareAnswer, sent_type
from trackyard.wire.response.errors import ErrorBody
from trackyard.wire.response.exports import CSV, PARQUET, columns_of
from trackyard.wire.response.list_rows import list_rows

FORBIDDEN_TO_AFFILIATES = frozenset({"revenue", "earnings", "price", "charge", "total", "advertiser", "supplier_id"})
"""Names that no record of an affiliate's answer has a value of, statistics rows apart
(docs/spec/callers.md#visibility-for-affiliates)."""


class ApiClient:
    """Calls as one caller (`key`).

    Answers are checked: JSON, integer status, the declared view, nothing more.
    """

    def __init__(self, app: Any, endpoints: Iterable[Endpoint[Any]], key: str | None = None) -> None:
        self._client = AppClient(app, "http://testserver")
        self._app = app
        self._endpoints = tuple(endpoints)
        self._routes = _routes(self._endpoints)
        self._key = key

    @property
    def key(self) -> str | None:
        """Its key; None without one."""
        return self._key

    def with_key(self, key: str | None) -> "ApiClient":
        """The same application, called by another."""
        return ApiClient(self._app, self._endpoints, key)

    def of(self, app: Any) -> "ApiClient":
        """The same caller of another application."""
        return ApiClient(app, self._endpoints, self._key)

    def call(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        **request: Any,
    ) -> Any:
        """One request; `path` with its prefix. The response of httpx, checked."""
        sent = dict(headers or {})
        if self._key is not None:
            sent.setdefault("API-Key", self._key)
        response = self._client.request(method, path, headers=sent, **request)
        self.check(method, path, response)
        return response

    def get(self, path: str, **params: Any) -> Any:
        """GET with a query; the body."""
        return self.call("GET", path, params=params).json()

    def post(self, path: str, **params: Any) -> Any:
        """POST with a form; the body."""
        return self.call("POST", path, data=params).json()

    def refusal(self, method: str, path: str, **request: Any) -> tuple[int, Any]:
        """Return the status of an answer with the names of its wrong fields, or with its code."""
        response = self.call(method, path, **request)
        body = response.json()
        return response.status_code, list(body["fields"]) if "fields" in body else body.get("code")

    def check(self, method: str, path: str, response: Any) -> None:
        """Raises when an answer is not what its endpoint declares."""
        assert response.headers["x-request-id"]
        if response.status_code == 200 and response.headers["content-type"].startswith((CSV, PARQUET)):
            declared = _declared_columns(self._routes.get(method, path.partition("?")[0]).endpoint)
            assert method == "HEAD" or not declared or _columns(response) in declared
            return
        assert response.headers["content-type"] == "application/json", response.headers
        if method in ("HEAD", "OPTIONS"):
            return
        body = json.loads(response.content)
        if response.status_code >= 400:
            fault = msgspec.json.decode(response.content, type=ErrorBody)
            assert fault.status == 2 and fault.error == fault.message and fault.error
            assert ("fields" in body) == (response.status_code in (400, 409)), body
            return
        match = self._routes.get(method, path.partition("?")[0])
        bare = issubclass(match.endpoint.answer, BareAnswer)
        stated = "status" in body or not _may_lack_status(match.endpoint.answer)
        assert isinstance(body, list) if bare else not stated or isinstance(body["status"], int)
        answers = (match.endpoint.answer, match.endpoint.affiliate_answer or match.endpoint.answer)
        views = [sent_type(answer) for answer in answers]
        assert any(_is_whole(response.content, view) for view in views), f"{body} is not as declared"


@lru_cache(maxsize=1)
def _routes(endpoints: tuple[Endpoint[Any], ...]) -> RouteTable:
    return RouteTable(endpoints)


def _declared_columns(endpoint: Endpoint[Any]) -> list[list[str]]:
    """The columns of a file for each kind of caller; none where they depend on parameters."""
    file_export = endpoint.file_export
    assert file_export is not None, "an answer that is a file, and none is declared"
    if file_export.rows is not None:
        return [[column.name for column in columns_of(view)] for view in file_export.views]
    found = [list_rows(answer) for answer in (endpoint.answer, endpoint.affiliate_answer or endpoint.answer)]
    return [[column.name for column in each.columns] for each in found if each is not None]


def _columns(response: Any) -> list[str]:
    """The columns of a file."""
    if response.headers["content-type"] == PARQUET:
        return list(pyarrow.parquet.read_schema(pyarrow.BufferReader(response.content)).names)
    names: str = response.content.decode("utf-8-sig").split("\r\n")[0]
    return names.replace(";", ",").split(",")


def _is_whole(content: bytes, view: Any) -> bool:
    """Whether the view takes the answer and nothing of it is left over."""
    try:
        answer = msgspec.json.decode(content, type=view)
    except msgspec.ValidationError:
        return False
    return bool(json.loads(msgspec.json.Encoder(decimal_format="number").encode(answer)) == json.loads(content))


def _may_lack_status(answer: type[Answer]) -> bool:
    """Whether an answer has no status, as that of the sign-in of advertisers."""
    fields = msgspec.structs.fields(answer)
    return any(field.name == "status" and field.default is msgspec.UNSET for field in fields)
