"""What each process imports and builds before it serves: its start and its memory are made of that."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ABSENT = {
    "trackyard.commands.main": "sqlalchemy pydantic msgspec aiohttp clickhouse_connect trackyard.api trackyard.wire "
    "trackyard.domain trackyard.runtime.settings email.message importlib.metadata ssl http.client logging",
    "trackyard.edge.server": "sqlalchemy pydantic aiohttp clickhouse_connect trackyard.api trackyard.wire",
    "trackyard.actions.conversions.postback_codes": "clickhouse_connect aiohttp ua_parser pydantic trackyard.wire",
    "trackyard.jobs.worker": "clickhouse_connect aiohttp alembic pydantic jinja2 fpdf trackyard.api trackyard.wire "
    "trackyard.console",
    "trackyard.jobs.loading.projector": "aiohttp alembic pydantic jinja2 fpdf trackyard.api trackyard.wire "
    "trackyard.console",
    "trackyard.api.app": "aiohttp alembic pyarrow numpy babel",
}
"""A module that a process begins with, and what it must leave out."""

HELP = """
import contextlib, io
from trackyard.commands.main import main
with contextlib.redirect_stdout(io.StringIO()) as shown, contextlib.suppress(SystemExit):
    main({arguments})
assert "Usage: trackyard" in shown.getvalue()
"""
OPEN_STORE = """
from trackyard.analytics.engine.connection import Analytics
Analytics.open("chdb://{directory}").close()
"""
COUNT_BUILT = """
from trackyard.wire.request.params import Params
def each(model):
    for sub in model.__subclasses__():
        yield sub
        yield from each(sub)
print(json.dumps([sub.__name__ for sub in each(Params) if sub.__pydantic_complete__]))
"""


def _run(code: str) -> list[str]:
    """The list that a program of its own prints as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", "import json, sys\n" + code], capture_output=True, text=True, check=True
    )
    found: list[str] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("module", ABSENT)
def test_process_leaves_out_what_it_does_not_use(module: str) -> None:
    loaded = _run(f"import {module}\nprint(json.dumps([name for name in sys.modules if sys.modules[name]]))")
    assert not {name for name in ABSENT[module].split() if name in loaded}


@pytest.mark.parametrize("arguments", [["--help"], ["explain", "--help"], ["help", "export"]])
def test_help_loads_no_settings_and_no_client(arguments: list[str]) -> None:
    loaded = _run(f"{HELP.format(arguments=arguments)}\nprint(json.dumps(list(sys.modules)))")
    assert not {name for name in ABSENT["trackyard.commands.main"].split() if name in loaded}


def test_analytic_store_is_open_without_arrow(tmp_path: Path) -> None:
    code = OPEN_STORE.format(directory=tmp_path / "analytics")
    loaded = _run(f"{code}\nprint(json.dumps(list(sys.modules)))")
    assert "chdb.state" in loaded and not {"pyarrow", "numpy", "pandas"} & {*loaded}


def test_parameter_models_are_built_by_their_first_request() -> None:
    assert _run(f"import trackyard.api.app\n{COUNT_BUILT}") == []
