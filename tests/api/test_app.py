"""The application as a whole."""

import pytest
from starlette.testclient import TestClient

from tests.support.api import Api
from trackyard.api import app
from trackyard.wire.openapi.viewer import site


def test_api_description_is_written_by_its_first_request(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[int] = []
    make = site.document
    monkeypatch.setattr(site, "document", lambda *given, **named: written.append(1) or make(*given, **named))
    client = TestClient(app.build(api.deps))
    assert client.get("/healthz").status_code == 200 and written == []
    assert client.get("/openapi.json").status_code == 200 and written
    times = len(written)
    assert client.get("/openapi.json").status_code == 200 and len(written) == times
