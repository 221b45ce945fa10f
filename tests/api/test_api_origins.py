"""Which web applications browsers let call the API."""

import pytest
from starlette.testclient import TestClient

from tests.support.api import Api
from trackyard.api import app
from trackyard.runtime import settings
from trackyard.runtime.api_server import allow_origins

ORIGIN = "https://app.example.com"


def origins(text: str) -> tuple[str, ...]:
    """Return the origins of a setting."""
    return settings.load({"TRACKYARD_CORS_ORIGINS": text}).cors_origins


@pytest.mark.parametrize(
    ("setting", "shown"),
    [("", None), ("https://other.example", None), (f"https://other.example, {ORIGIN}/", ORIGIN), ("*", "*")],
)
def test_api_answers_web_applications_of_named_origins(api: Api, setting: str, shown: str | None) -> None:
    client = TestClient(allow_origins(app.build(api.deps), origins(setting)))
    asked = {"Origin": ORIGIN, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "API-Key"}
    promise = client.options("/3.1/admin/offer", headers=asked)
    answer = client.get("/3.1/offers", headers={"Origin": ORIGIN, "API-Key": api.admin.key or ""})
    assert [each.headers.get("Access-Control-Allow-Origin") for each in (promise, answer)] == [shown, shown]
    assert answer.status_code == 200
    assert "Access-Control-Allow-Credentials" not in answer.headers, "cookies of the console are not used from there"
    if shown:
        assert promise.status_code == 200 and "POST" in promise.headers["Access-Control-Allow-Methods"]
        assert "API-Key" in promise.headers["Access-Control-Allow-Headers"]
        refused = client.get("/3.1/offers", headers={"Origin": ORIGIN})
        assert (refused.status_code, refused.headers["Access-Control-Allow-Origin"]) == (401, shown)
