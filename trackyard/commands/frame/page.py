"""docs/commands.md, written from the declarations of the commands (script/docs)."""

import inspect
from collections.abc import Iterator

import click

from trackyard.commands.frame.group import PROGRAM, by_section
from trackyard.runtime.exit_codes import ExitCode

_INTRODUCTION = """\
# Commands

`script/server` installs what is missing and runs `trackyard serve`. Options that all commands share may be before or
after the command. This page is written by `trackyard help --markdown` from the declarations in
`trackyard/commands/declarations`.

## The server

Commands that need a running server find it from any folder. The first of these that is given names it:

1. `--url` with `--key`, or `TRACKYARD_URL` with `TRACKYARD_KEY`: a server elsewhere, with an API key of its staff;
2. `--config FILE` or `TRACKYARD_CONFIG`, and `TRACKYARD_DATA_DIR`: the settings of a server of this machine;
3. `/etc/trackyard.toml`, where this user can read it;
4. `data` in the current folder.

Of a server of this machine the URL is the one in `run/server.json` of the data directory. The server writes it at
its start, for its owner only, and removes it when it stops. The API key is the first administrator's, read from the
database. Where the server has `TRACKYARD_DATABASE_URL` or `TRACKYARD_SECRET_KEY` from its environment, commands need
them too, or `--key`.

## Output for programs

With `--json` standard output is one JSON document, of `logs` one for each line. Progress, questions and errors are on
standard error. A command that fails with a sentence prints no document, so look at the exit code first.
"""


def commands_page(root: click.Group) -> str:
    """Return docs/commands.md."""
    lines = [_INTRODUCTION, *_exit_codes()]
    context = click.Context(root, info_name=PROGRAM)
    for section, commands in by_section(root):
        lines += [f"## {section}", ""]
        for name, command in commands:
            lines += _command_lines(click.Context(command, info_name=name, parent=context))
    return "\n".join(lines).rstrip() + "\n"


def _exit_codes() -> Iterator[str]:
    yield "## Exit codes"
    yield ""
    yield "| code | meaning |"
    yield "|---|---|"
    yield from (f"| {code.value} | {code.text} |" for code in ExitCode)
    yield ""


def _command_lines(context: click.Context) -> Iterator[str]:
    command = context.command
    yield f"### {context.command_path}"
    yield ""
    yield f"`{' '.join((context.command_path, *command.collect_usage_pieces(context)))}`"
    yield ""
    yield inspect.cleandoc(command.help or "")
    yield ""
    options = [found for param in command.params if (found := param.get_help_record(context)) is not None]
    if options:
        yield "| option | meaning |"
        yield "|---|---|"
        yield from (f"| `{_cell(name)}` | {_cell(text)} |" for name, text in options)
        yield ""
    examples = getattr(command, "examples", ())
    if examples:
        yield "```sh"
        yield from (f"{line}  # {text}" for line, text in examples)
        yield "```"
        yield ""
    if isinstance(command, click.Group):
        for name, each in command.commands.items():
            yield from _command_lines(click.Context(each, info_name=name, parent=context))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
