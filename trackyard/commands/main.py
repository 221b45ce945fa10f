"""The command `trackyard`."""

import atexit
import gc
import os
from typing import Final

import click

import trackyard.commands.frame.early_stop  # noqa: F401 # before what takes long to import
from trackyard.commands.declarations import backups, books, figures, help, machines, people, server
from trackyard.commands.frame.group import PROGRAM, RootGroup
from trackyard.commands.frame.options import server_options

COMMANDS: Final = (
    server.serve,
    server.status,
    server.logs,
    server.check,
    server.doctor,
    server.alerts,
    server.settings,
    server.key,
    server.rotate_key,
    machines.edges,
    machines.machines,
    machines.journals,
    machines.origins,
    server.prepare,
    server.role,
    figures.report,
    figures.explain,
    figures.export,
    books.compare,
    books.audit,
    books.rebuild,
    books.erase,
    books.import_,
    backups.backup,
    backups.restore,
    backups.upgrade,
    books.demo,
    people.user,
    help.help_,
    help.completion,
)
"""Every command, in the order of the help."""


def _print_version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from importlib.metadata import version  # imports the mail parser

        click.echo(f"{PROGRAM} {version(PROGRAM)}")
        ctx.exit()


@click.group(
    cls=RootGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    examples=(
        ("trackyard serve", "start the server"),
        ("trackyard audit", "compare all books with each other"),
        ("trackyard export clicks --from 2026-11-01 --to 2026-11-30", "write clicks to standard output"),
    ),
)
@server_options
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version.",
)
def root() -> None:
    """A tracking platform for performance marketing.

    Options such as --config and --url may be before or after the command. `trackyard COMMAND --help` shows
    examples.
    """


for _command in COMMANDS:
    root.add_command(_command)


def main(arguments: list[str] | None = None) -> None:
    """Run a command and exit with its code; a failure is one sentence.

    Files that it and its processes make are for their owner: they hold keys and personal data.
    """
    os.umask(0o077)
    # A start makes hundreds of thousands of objects that stay; the usual thresholds search them for garbage too often.
    gc.set_threshold(20_000, 20, 20)
    # An ending interpreter visits each object several times to look for garbage. Without that, a stop is shorter.
    atexit.register(gc.freeze)
    root.main(arguments)
