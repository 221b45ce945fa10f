"""How a command finds its server: options, environment, the file of the system, the folder."""

import json
from pathlib import Path

import click
import pytest

from tests.support.command import run_command
from trackyard.commands.frame.options import Invocation
from trackyard.commands.main import root
from trackyard.runtime import settings as config
from trackyard.runtime.exit_codes import ExitCode
from trackyard.runtime.preparation import prepare
from trackyard.runtime.server_file import find_server_file, remove_server_file, server_file
from trackyard.runtime.settings import Config, write_private

KEY = "6f1c09b7d2e84a35c07d9e1b54f3a826be60d7c1"
NOWHERE = "127.0.0.1:9"


def settings(directory: Path, **given: str) -> Config:
    asked = {"DATA_DIR": str(directory), "ROLES": "api", "API_LISTEN": NOWHERE, "ADMIN_API_KEY": KEY, **given}
    return config.load({f"TRACKYARD_{name}": value for name, value in asked.items()})


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder without data, and an environment that names no server."""
    for name in ("CONFIG", "DATA_DIR", "URL", "KEY"):
        monkeypatch.delenv(f"TRACKYARD_{name}", raising=False)
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path / "folder")
    return tmp_path / "folder"


@pytest.fixture
def installation(tmp_path: Path) -> Config:
    """An installation with the file that its server writes."""
    yard = settings(tmp_path / "yard")
    prepare(yard)
    write_private(*server_file(yard))
    return yard


def test_server_file_is_for_its_owner_and_has_no_key(installation: Config) -> None:
    file = installation.data_dir / "run" / "server.json"
    assert file.stat().st_mode & 0o777 == 0o600
    assert KEY not in file.read_text()
    server = find_server_file(installation.data_dir)
    assert server is not None
    assert (server.api, server.tracking, server.roles) == (f"http://{NOWHERE}", "", ("api",))
    remove_server_file(installation)
    remove_server_file(installation)
    assert find_server_file(installation.data_dir) is None


def test_server_file_cut_short_is_no_server(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "server.json").write_text("{")
    assert find_server_file(tmp_path) is None


def test_command_finds_server_by_environment(installation: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACKYARD_DATA_DIR", str(installation.data_dir))
    found = Invocation().api()
    assert (found.url, found.key) == (f"http://{NOWHERE}", KEY), "its address is that of the server, not the default"


def test_command_finds_server_by_file_of_system(
    installation: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRACKYARD_CONFIG", "")  # restored at the end: commands set it
    monkeypatch.delenv("TRACKYARD_CONFIG")
    file = tmp_path / "trackyard.toml"
    file.write_text(f'data_dir = "{installation.data_dir}"\n')
    assert Invocation(system_config=file).api().key == KEY


def test_command_finds_server_by_data_in_folder(
    tmp_path: Path, empty_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    yard = settings(empty_folder / "data")
    prepare(yard)
    write_private(*server_file(yard))
    assert Invocation(system_config=tmp_path / "none").api().url == f"http://{NOWHERE}"


def test_command_takes_server_elsewhere_from_options_or_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Invocation(url="https://yard.example/", key="k").api()
    assert (found.url, found.key) == ("https://yard.example", "k")
    monkeypatch.setenv("TRACKYARD_URL", "https://other.example")
    monkeypatch.setenv("TRACKYARD_KEY", "m")
    found = Invocation().api()
    assert (found.url, found.key) == ("https://other.example", "m")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--url", "https://yard.example"), "--key or TRACKYARD_KEY"),
        (("--url", "yard.example", "--key", "k"), "must begin with http:// or https://"),
    ],
)
def test_command_with_half_an_address_exits_with_2(options: tuple[str, ...], said: str) -> None:
    found = run_command(*options, "audit")
    assert (found.exit_code, said in found.stderr) == (ExitCode.USAGE, True), found.stderr


@pytest.mark.parametrize("before", [True, False])
def test_url_and_key_work_before_and_after_command(before: bool) -> None:
    options = ("--url", f"http://{NOWHERE}", "--key", "k")
    found = run_command(*options, "audit") if before else run_command("audit", *options)
    assert (found.exit_code, found.stderr) == (
        ExitCode.AWAY,
        f"trackyard: the API at http://{NOWHERE} does not answer: start the server first. It is the URL of --url.\n",
    )


def test_command_without_server_says_what_it_looked_for() -> None:
    found = run_command("audit")
    assert found.exit_code == ExitCode.AWAY
    for place in (
        "--url (not given)",
        "TRACKYARD_CONFIG (not given)",
        "TRACKYARD_DATA_DIR (not given)",
        "/etc/trackyard.toml",
    ):
        assert place in found.stderr
    assert found.stderr.count("\n") == 1


def test_command_names_the_file_of_a_server_that_does_not_answer(
    installation: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRACKYARD_DATA_DIR", str(installation.data_dir))
    found = run_command("audit")
    assert found.exit_code == ExitCode.AWAY
    assert f"wrote that URL to {installation.data_dir}/run/server.json at 20" in found.stderr


def test_command_on_machine_without_api_asks_for_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    yard = settings(tmp_path / "yard", ROLES="worker")
    prepare(yard)
    write_private(*server_file(yard))
    monkeypatch.setenv("TRACKYARD_DATA_DIR", str(yard.data_dir))
    found = run_command("audit")
    assert found.exit_code == ExitCode.FAILED
    assert "runs worker and has no API" in found.stderr


def test_command_that_cannot_read_the_key_names_the_settings(
    installation: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server got its database from an environment that this shell has not."""
    (installation.data_dir / "trackyard.db").unlink()
    monkeypatch.setenv("TRACKYARD_DATA_DIR", str(installation.data_dir))
    found = run_command("audit")
    assert found.exit_code == ExitCode.FAILED
    assert "set TRACKYARD_DATABASE_URL and TRACKYARD_SECRET_KEY as the server has them" in found.stderr


def test_server_file_of_a_later_version_is_read(installation: Config) -> None:
    file = installation.data_dir / "run" / "server.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"pages": "http://127.0.0.1:1"}))
    assert find_server_file(installation.data_dir) is not None


NEED_SERVER: dict[str, tuple[str, ...]] = {
    "status": (),
    "report": ("offers", "--last", "7d"),
    "explain": ("6b0408df01c31cf07bbe3550",),
    "export": ("clicks", "--last", "7d"),
    "compare": (__file__, "--affiliate", "1", "--last", "7d"),
    "audit": (),
    "alerts": (),
    "rebuild": ("--check",),
    "erase": ("user", "5", "--yes"),
    "import": ("--from", "http://127.0.0.1:9", "--from-key", "k", "--only", "categories"),
    "user list": (),
    "user create": ("a@example.com", "--generate"),
    "user passwd": ("a@example.com", "--generate"),
    "user link": ("a@example.com",),
}
"""Commands that call the API, with arguments."""
NEED_NO_SERVER = {
    "serve", "logs", "check", "settings", "key", "rotate-key", "prepare", "role", "demo", "help", "completion",
    "edges list", "edges release", "machines", "journals list", "journals restore", "backup", "restore",
    "doctor", "upgrade", "origins",
}  # fmt: skip


def leaves(group: click.Group, before: str = "") -> set[str]:
    """The names of all commands of a group, with those of groups in it."""
    found = set()
    for name, command in group.commands.items():
        found |= leaves(command, f"{before}{name} ") if isinstance(command, click.Group) else {f"{before}{name}"}
    return found


def test_command_is_named_among_those_with_or_without_server() -> None:
    assert leaves(root) == NEED_SERVER.keys() | NEED_NO_SERVER


@pytest.mark.parametrize("installed", [True, False])
def test_command_without_running_server_exits_with_3_and_says_what_to_do(empty_folder: Path, installed: bool) -> None:
    if installed:
        prepare(settings(empty_folder / "data"))
    (empty_folder / "trackyard.toml").write_text(f'api_listen = "{NOWHERE}"\n')
    advice = "start the server first" if installed else "start it first"
    for name, arguments in NEED_SERVER.items():
        found = run_command("--config", "trackyard.toml", *name.split(), *arguments)
        assert (name, found.exit_code, found.stdout) == (name, ExitCode.AWAY, ""), found.stderr
        assert found.stderr.startswith("trackyard: ") and found.stderr.count("\n") == 1 and advice in found.stderr
    for name in () if installed else ("logs", "key", "rotate-key"):
        assert (name, run_command(name).exit_code) == (name, ExitCode.AWAY)
