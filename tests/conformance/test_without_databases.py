"""Endpoints without IP address databases: reports say in the answer's warnings what is not known."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.conformance.sentence import (
    Caller,
    Names,
    SpecSentence,
    absent,
    each_row,
    empty,
    is_,
    sentence,
    table,
)
from tests.conformance.world import days
from tests.support.processes.program import KEY, RunningProgram, poll_until, request

SECTION = "Endpoints without IP address databases"
admin = Caller("admin")
DAYS = {"filter[date_from]": "<yesterday>", "filter[date_to]": "<tomorrow>"}
UNKNOWN = [
    ("getbycities", "/3.0/stats/getbycities", DAYS, "TRACKYARD_CITY_DATABASE"),
    ("getbymobilecarrier", "/3.1/stats/getbymobilecarrier", DAYS, "TRACKYARD_ISP_DATABASE"),
    ("getbyconnectiontype", "/3.1/stats/getbyconnectiontype", DAYS, "TRACKYARD_CONNECTION_DATABASE"),
    ("custom by city", "/3.0/stats/custom", {**DAYS, "slice[]": "city"}, "TRACKYARD_CITY_DATABASE"),
]

ROWS = table(
    [
        sentence(
            f"{report} warns that no database is configured",
            admin.get(path, params),
            is_("warnings", lambda found, name=name: any(name in each for each in found)),
        )
        for report, path, params, name in UNKNOWN
    ],
    sentence("a report of known values does not warn", admin.get("/3.0/stats/getbydate", DAYS), absent("warnings")),
    sentence("GET isp lists no providers without a database", admin.get("/3.0/isp"), empty("isp")),
)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningProgram]:
    """A program that serves the API alone, without IP address databases."""
    with ExitStack() as stack:
        program = RunningProgram(tmp_path_factory.mktemp("bare"), roles="api", timezone="UTC")
        program.start(ready=False)
        stack.callback(program.stop)
        poll_until(lambda: _is_ready(program), seconds=40, what="the API")
        yield program


def _is_ready(program: RunningProgram) -> bool:
    try:
        return request(program.api_port, "GET", "/readyz").status == 200
    except OSError:
        return False


@each_row(ROWS)
def test_missing_address_databases_conform_to_specification(row: SpecSentence, bare: RunningProgram) -> None:
    names: Names = {**days(), "admin_key": KEY}
    row.hold(bare, names)
