"""The command line itself: help, options on either side, exit codes, completion and its page."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tests.support.command import run_command
from trackyard.commands.frame.group import SECTIONS, by_section
from trackyard.commands.frame.page import commands_page
from trackyard.commands.main import root
from trackyard.runtime.exit_codes import ExitCode

ROOT = Path(__file__).parents[2]
HEAVY = ("sqlalchemy", "pydantic", "pyarrow", "chdb", "aiohttp", "starlette", "prometheus_client", "cryptography")


def each_command(
    group: click.Group = root, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    for name, command in group.commands.items():
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from each_command(command, (*path, name))


SHOWN = [pytest.param(path, command, id=" ".join(path)) for path, command in each_command() if not command.hidden]


def test_commands_page_equals_declarations() -> None:
    assert (ROOT / "docs/commands.md").read_text() == commands_page(root)


def test_help_shows_every_command_in_its_section_and_no_internal_one() -> None:
    shown = run_command("--help")
    assert shown.exit_code == 0
    assert run_command("help").output == shown.output
    for name in ("role", "prepare"):
        assert root.commands[name].hidden and f"  {name} " not in shown.output
    named = [name for _, commands in by_section(root) for name, _ in commands]
    assert sorted(named) == sorted(name for name, command in root.commands.items() if not command.hidden)
    assert {section for section, _ in by_section(root)} <= set(SECTIONS)
    assert shown.output.rstrip().endswith("docs/commands.md, and /docs at the URL of the API.")


def test_command_line_without_command_shows_help_with_exit_code_2() -> None:
    bare = run_command()
    assert bare.exit_code == ExitCode.USAGE
    assert "Examples:" in bare.output


@pytest.mark.parametrize(("path", "command"), SHOWN)
def test_command_has_short_text_examples_and_pointer(path: tuple[str, ...], command: click.Command) -> None:
    text = run_command(*path, "--help").output
    assert run_command("help", *path).output == text
    assert command.help and not command.get_short_help_str(200).endswith("...")
    examples = getattr(command, "examples", ())
    assert examples
    for line, what in examples:
        assert line in text and what
        assert " ".join(("trackyard", *path)) in line
    assert "docs/commands.md" in text


@pytest.mark.parametrize(("path", "command"), SHOWN)
def test_option_of_command_has_text(path: tuple[str, ...], command: click.Command) -> None:
    silent = [param.name for param in command.params if isinstance(param, click.Option) and not param.help]
    assert not silent


def test_help_imports_nothing_heavy() -> None:
    """It must be there at once: 0.15 s on a slow core, of which Python and click take a half."""
    code = f"import sys, trackyard.commands.main; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("before", [True, False])
def test_config_option_works_before_and_after_command(tmp_path: Path, before: bool) -> None:
    file = tmp_path / "yard.toml"
    file.write_text(f'data_dir = "{tmp_path / "none"}"\n')
    option = ("--config", str(file))
    environment: dict[str, str | None] = {"TRACKYARD_CONFIG": None}
    found = run_command(*option, "key", env=environment) if before else run_command("key", *option, env=environment)
    assert (found.exit_code, found.output) == (
        ExitCode.AWAY,
        f"trackyard: there is no installation in {tmp_path / 'none'} yet: start it first.\n",
    )


def test_config_option_after_command_wins(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.toml").write_text(f'data_dir = "{tmp_path / name}"\n')
    files = [str(tmp_path / f"{name}.toml") for name in ("one", "two")]
    found = run_command("--config", files[0], "key", "--config", files[1], env={"TRACKYARD_CONFIG": None})
    assert str(tmp_path / "two") in found.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("completoin",), "Did you mean 'completion'?"),
        (("rebuild", "--chek"), "--check"),
        (("demo", "--visits", "0"), "0 is not in the range"),
        (("export", "clicks", "--from", "2026-01-01", "--to", "2026-01-01", "--filter", "x"), "must be NAME=VALUE"),
        (("help", "nothing"), "No such command 'nothing'"),
    ],
)
def test_command_line_with_mistake_exits_with_2(arguments: tuple[str, ...], said: str) -> None:
    found = run_command(*arguments)
    assert (found.exit_code, said in found.stderr) == (ExitCode.USAGE, True), found.stderr


def test_wrong_setting_exits_with_78_and_one_sentence() -> None:
    found = run_command("key", env={"TRACKYARD_TIMEZONE": "Mars/Olympus"})
    assert found.exit_code == ExitCode.CONFIGURATION == 78
    assert found.stderr.startswith("trackyard: TRACKYARD_TIMEZONE must be") and found.stderr.count("\n") == 1


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script_is_printed_for_each_shell(shell: str) -> None:
    found = run_command("completion", shell)
    assert found.exit_code == 0
    assert f"_TRACKYARD_COMPLETE={shell}_complete" in found.stdout


def completed(words: str) -> list[str]:
    """What bash offers for the last word of a line."""
    asked = {"_TRACKYARD_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1)}
    done = subprocess.run(
        [sys.executable, "-m", "trackyard"], env=os.environ | asked, capture_output=True, text=True, check=True
    )
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("trackyard rep", ["report"]),
        ("trackyard export c", ["clicks", "conversions", "custom"]),
        ("trackyard rebuild --a", ["--accept"]),
        ("trackyard ro", ["rotate-key"]),
    ],
)
def test_shell_completes_commands_options_and_values(words: str, offered: list[str]) -> None:
    assert completed(words) == offered


def test_bash_completes_with_printed_script(tmp_path: Path) -> None:
    program = tmp_path / "trackyard"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m trackyard "$@"\n')
    program.chmod(0o755)
    script = run_command("completion", "bash").stdout
    asked = "COMP_WORDS=(trackyard aud); COMP_CWORD=1; _trackyard_completion trackyard"
    done = subprocess.run(
        ["bash", "--norc", "-c", f'{script}\n{asked}; echo "${{COMPREPLY[@]}}"'],
        env=os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "audit", done.stderr
