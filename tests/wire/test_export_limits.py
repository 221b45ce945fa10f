"""Files that several callers ask for at once: affiliates leave places for staff."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from starlette.testclient import TestClient

from tests.support.waiting import wait_until
from trackyard.domain.people.callers import AffiliateCaller, Caller, StaffCaller
from trackyard.domain.people.roles import Permission, Role
from trackyard.wire.endpoint import ApiRequest, Endpoint
from trackyard.wire.http.dispatch import Dispatch
from trackyard.wire.response.envelope import Answer, View
from trackyard.wire.response.exports import ExportParams, ExportTable, FileExport, table_of

CALLERS: dict[str, Caller] = {
    "a" * 40: AffiliateCaller(1),
    "b" * 40: AffiliateCaller(1),
    "c" * 40: AffiliateCaller(2),
    "d" * 40: AffiliateCaller(3),
    "e" * 40: StaffCaller("0" * 24, frozenset({Role.ADMIN})),
}
KEY, SESSION, SECOND, THIRD, ADMIN = CALLERS


class LineView(View):
    """A line of a file."""

    number: int = 0
    text: str = ""


class SlowFile:
    """A file that is read when it is released."""

    def __init__(self) -> None:
        self.running = 0
        self.free = threading.Event()

    def show(self, _call: ApiRequest[Any], _params: ExportParams) -> Answer:
        """Show lines."""
        return Answer()

    def rows(self, _call: ApiRequest[Any], _params: ExportParams) -> ExportTable:
        """Return the table of the file."""
        return table_of(LineView, self._lines(), ZoneInfo("UTC"))

    def _lines(self) -> Iterator[LineView]:
        self.running += 1
        assert self.free.wait(10)
        yield LineView()


@pytest.fixture
def slow() -> SlowFile:
    return SlowFile()


@pytest.fixture
def client(slow: SlowFile) -> Iterator[TestClient]:
    export: FileExport[Any] = FileExport("lines", (LineView,), slow.rows, "Lines.")
    endpoint = Endpoint[Any](
        id="lines", method="GET", path="/lines", permission=Permission.OFFERS_READ, params=ExportParams,
        answer=Answer, handle=slow.show, file_export=export,
    )  # fmt: skip
    with TestClient(Dispatch([endpoint], None, CALLERS.get, {})) as found:
        yield found


def test_exports_of_affiliate_sessions_leave_places_for_staff(client: TestClient, slow: SlowFile) -> None:
    def export(key: str) -> Any:
        return client.get("/3.1/lines?format=csv", headers={"API-Key": key})

    with ThreadPoolExecutor(4) as pool:
        running = [pool.submit(export, key) for key in (KEY, SECOND)]
        wait_until(lambda: slow.running == 2)
        own, others = export(SESSION), export(THIRD)
        running += [pool.submit(export, ADMIN) for _ in range(2)]
        wait_until(lambda: slow.running == 4)
        slow.free.set()
        assert [one.result().status_code for one in running] == [200] * 4
    assert (own.status_code, own.json()["code"], own.headers["retry-after"]) == (429, "too_many_exports", "5")
    assert (others.status_code, others.json()["code"], others.headers["retry-after"]) == (503, "exports_busy", "5")
    assert export(SESSION).status_code == 200
