"""Every write, sent again with its Idempotency-Key, changes nothing and gets the first answer."""

from typing import Any

import pytest

from tests.contract.test_every_endpoint import EndpointSetup, as_sent, state
from trackyard.api.catalogue import CATALOGUE
from trackyard.wire.endpoint import Endpoint

WRITES = [endpoint for endpoint in CATALOGUE if endpoint.replayable]


@pytest.mark.parametrize("endpoint", WRITES, ids=[endpoint.id for endpoint in WRITES])
def test_every_write_with_idempotency_key_is_replayed_once(world: EndpointSetup, endpoint: Endpoint[Any]) -> None:
    client = world.caller(endpoint)
    path = world.path(endpoint, "3.1", client=client)
    params = {name: as_sent(value) for name, value in world.good.get(endpoint.id, {}).items()}
    params |= world.own_params[endpoint.id](client) if endpoint.id in world.own_params else {}
    place = "data" if endpoint.method == "POST" else "params"

    def send(**more: Any) -> Any:
        request: dict[str, Any] = {place: params | more}
        headers = {"Idempotency-Key": f"of {endpoint.id}"}
        return client.call(endpoint.method, path, headers=headers, **request)

    first, before = send(), state(world)
    if endpoint.id == "partner.api_key.renew":  # the old key is invalid now
        client = client.with_key(first.json()["user"]["api_key"])
    if endpoint.id == "advertiser.api_key.renew":
        client = client.with_key(first.json()["api_key"])
    again = send()
    assert (first.status_code, again.status_code) == (200, 200)
    assert again.content == first.content
    assert again.headers["idempotency-replayed"] == "true"
    assert send(more="1").status_code == 409
    assert state(world) == before
