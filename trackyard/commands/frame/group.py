"""Commands with examples, and groups that show them by section (docs/commands.md)."""

import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final

import click

from trackyard.runtime.exit_codes import ExitCode

PROGRAM: Final = "trackyard"
SECTIONS: Final = ("Server", "Figures", "Books and data", "People", "Help")
"""The sections of `trackyard --help`, in their order."""
POINTER: Final = "Documentation: docs/commands.md, and /docs at the URL of the API."


class DocumentedCommand(click.Command):
    """A command with examples.

    examples: command lines, each with what it does.
    section: the one of SECTIONS that shows the command; "" within a group.
    """

    def __init__(self, *given: Any, examples: Sequence[tuple[str, str]] = (), section: str = "", **more: Any) -> None:
        super().__init__(*given, **more)
        self.examples = tuple(examples)
        self.section = section

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples and where to read on."""
        _write_examples(formatter, self.examples)


class CommandGroup(click.Group):
    """A group of commands, such as `trackyard user`.

    section: the one of SECTIONS that shows the group; "" within another group.
    """

    def __init__(self, *given: Any, examples: Sequence[tuple[str, str]] = (), section: str = "", **more: Any) -> None:
        super().__init__(*given, **more)
        self.examples = tuple(examples)
        self.section = section

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples and where to read on."""
        _write_examples(formatter, self.examples)


class RootGroup(CommandGroup):
    """The command `trackyard` itself. A failure is one sentence and an exit code."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by section."""
        for section, commands in by_section(self):
            with formatter.section(section):
                limit = formatter.width - 6 - max(len(name) for name in self.commands)
                formatter.write_dl([(name, each.get_short_help_str(limit)) for name, each in commands])

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **more: Any) -> Any:  # type: ignore[override]
        """Run the command line; `python -m trackyard` has the name `trackyard` too."""
        try:
            return super().main(args, prog_name or PROGRAM, **more)
        except Exception as fault:
            from trackyard.runtime.settings import CannotStart, WrongSetting  # help needs no settings

            if not isinstance(fault, (WrongSetting, CannotStart)):
                raise
            if str(fault):
                click.echo(f"{PROGRAM}: {fault}", err=True)
            sys.exit(fault.exit_code)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command to its last output. A reader that left, as `head` does, is not an error."""
        try:
            try:
                return super().invoke(ctx)
            finally:
                sys.stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(ExitCode.READER_LEFT)
        except KeyboardInterrupt:
            click.echo(err=True)
            ctx.exit(ExitCode.INTERRUPTED)


def by_section(root: click.Group) -> Iterator[tuple[str, list[tuple[str, click.Command]]]]:
    """Yield the sections that have commands, with these in the order of their declarations."""
    for section in SECTIONS:
        found = [
            (name, each)
            for name, each in root.commands.items()
            if not each.hidden and getattr(each, "section", "") == section
        ]
        if found:
            yield section, found


def _write_examples(formatter: click.HelpFormatter, examples: Sequence[tuple[str, str]]) -> None:
    if examples:
        with formatter.section("Examples"):
            for line, text in examples:
                formatter.write_text(f"# {text}")
                formatter.write(f"{'':>{formatter.current_indent}}{line}\n")
    formatter.write_paragraph()
    formatter.write_text(POINTER)
