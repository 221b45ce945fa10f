"""Paths and their endpoints."""

from typing import Any

import pytest

from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Endpoint
from trackyard.wire.http.routing import RouteTable
from trackyard.wire.response.envelope import Answer
from trackyard.wire.response.errors import MethodNotAllowed


def handle(_call: ApiRequest[None], _params: Any) -> Answer:
    """Do nothing."""
    return Answer()


def endpoint(method: Any, path: str) -> Endpoint[None]:
    name = f"{method.lower()}.{path.replace('/', '.')}"
    return Endpoint(id=name, method=method, path=path, permission=Permission.OFFERS_READ, answer=Answer, handle=handle)


ROUTES = RouteTable(
    [endpoint("POST", "/things/{id}"), endpoint("GET", "/things/all"), endpoint("DELETE", "/things/{id}")]
)


def test_routing_prefers_fixed_segment_over_variable() -> None:
    assert ROUTES.get("GET", "/3.0/things/all").endpoint.path == "/things/all"
    assert ROUTES.allowed("/3.0/things/all") == ["GET", "HEAD", "OPTIONS"]
    with pytest.raises(MethodNotAllowed):
        ROUTES.get("POST", "/3.1/things/all")


def test_routing_path_has_methods_of_all_its_endpoints() -> None:
    assert ROUTES.allowed("/3.0/things/7/") == ["DELETE", "OPTIONS", "POST"]
    assert ROUTES.get("DELETE", "/3.1/things/7").variables == {"id": "7"}
