"""The number of requests that run."""

import asyncio

import pytest
from starlette.types import Receive, Scope, Send

from trackyard.wire.limits.running_requests import RunningRequests


def test_running_requests_are_counted_until_they_end() -> None:
    requests = RunningRequests()
    seen: list[bool] = []

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        seen.append(requests.any())
        if scope["fails"]:
            raise ValueError("a defect")

    async def receive() -> dict[str, str]:
        return {}

    async def send(_message: object) -> None:
        return None

    counted = requests.counted(app)
    assert not requests.any()
    asyncio.run(counted({"fails": False}, receive, send))
    with pytest.raises(ValueError, match="a defect"):
        asyncio.run(counted({"fails": True}, receive, send))
    assert seen == [True, True] and not requests.any()
