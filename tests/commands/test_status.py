"""`trackyard status`, and the forms in which commands print."""

import json
from dataclasses import replace
from decimal import Decimal

import pytest

from tests.support.api import UNBOUNDED, Api
from tests.support.command import run_command
from trackyard.api.app import build
from trackyard.commands.frame import output
from trackyard.commands.frame.output import TableColumn, duration_text, size_text, sparkline, table
from trackyard.domain.platform.status import MachineStatus
from trackyard.runtime.exit_codes import ExitCode

MACHINE = MachineStatus("1.2.3", 0, ("api", "edge"), (), ("look",), {"inbox": 2.5, "outbox": 0.2}, 10**9, 4 * 10**9)


def on(api: Api, machine: MachineStatus) -> Api:
    app = build(replace(api.deps, machine=lambda: machine), limits=UNBOUNDED)
    return replace(api, app=app, admin=api.admin.of(app))


def test_status_command_shows_state_traffic_and_rows(api: Api) -> None:
    found = run_command("status", api=on(api, MACHINE))
    assert found.exit_code == 0
    lines = found.stdout.splitlines()
    assert lines[:2] == ["Trackyard 1.2.3 at http://api.example: ready", "  ? look"]
    assert "  roles            api, edge" in lines
    assert "  disk             1.0 GB free of 4.0 GB (25%)" in lines
    assert "  last click       none yet" in lines
    assert "  behind by        inbox 2 s" in lines
    assert lines[-5:][0].split() == ["0", "clicks"]


def test_status_command_of_server_that_is_not_ready_exits_with_1(api: Api) -> None:
    found = run_command("status", api=on(api, replace(MACHINE, reasons=("the journal is not writable",), lags={})))
    assert found.exit_code == ExitCode.FAILED
    assert "not ready\n  ! the journal is not writable\n" in found.stdout
    assert "less than a second in every queue" in found.stdout


def test_status_command_prints_json_for_programs(api: Api) -> None:
    found = json.loads(run_command("status", "--json", api=on(api, MACHINE)).stdout)
    assert (found["url"], found["version"], found["rows"]["clicks"]) == ("http://api.example", "1.2.3", 0)


@pytest.mark.parametrize(
    ("values", "bars"),
    [((0, 1, 2, 7), "▁▂▃█"), ((), ""), ((0, 0), "▁▁"), ((Decimal("-3"), Decimal("1.5")), "▁█")],
)
def test_sparkline_has_a_bar_for_each_value(values: tuple[Decimal | int, ...], bars: str) -> None:
    assert sparkline(values) == bars


def test_table_lines_up_numbers_and_texts() -> None:
    columns = (TableColumn("Offer"), TableColumn("Clicks", right=True))
    assert table(columns, [["Shoes", "1,000"], ["Hat", "2"]], ["", "1,002"]) == [
        "Offer  Clicks",
        "Shoes   1,000",
        "Hat         2",
        "─────────────",
        "        1,002",
    ]
    assert table(columns, []) == ["Offer  Clicks"]


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0 s"), (61, "1 min 1 s"), (90_061, "1 d 1 h"), (3600, "1 h")])
def test_duration_has_its_two_largest_units(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


@pytest.mark.parametrize(("count", "text"), [(5, "5 B"), (1_500_000, "2 MB"), (2_500_000_000, "2.5 GB")])
def test_size_has_a_readable_unit(count: int, text: str) -> None:
    assert size_text(count) == text


@pytest.mark.parametrize(
    ("terminal", "no_color", "coloured"), [(True, "", True), (True, "1", False), (False, "", False)]
)
def test_colours_are_for_terminals_without_no_color(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, no_color: str, coloured: bool
) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setattr(output.sys.stdout, "isatty", lambda: terminal)
    assert ("\x1b[" in output.styled("x", fg="red")) is coloured
