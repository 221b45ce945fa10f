"""The input and output of `trackyard import`."""

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from trackyard.commands.failures import WrongUse
from trackyard.commands.frame.output import TableColumn, print_json, table
from trackyard.commands.importing.kinds import NAMES
from trackyard.commands.importing.numbers import NumberMap
from trackyard.commands.importing.run import Importer, ImportSummary, summary_rows
from trackyard.commands.local_api import ApiClient

_COLUMNS = (
    TableColumn("kind"),
    TableColumn("there", right=True),
    TableColumn("copied", right=True),
    TableColumn("here already", right=True),
    TableColumn("rejected", right=True),
)


def import_network(
    target: Callable[[], ApiClient],
    source: str,
    key: str,
    only: Sequence[str],
    map_file: Path,
    dry_run: bool,
    as_json: bool,
) -> ImportSummary:
    """Copy and print what was done. Raises WrongUse, CommandFailed, ServerAway.

    target: returns the API here. source, key: URL of the old platform and the key of an administrator there.
    """
    if not source.startswith(("http://", "https://")):
        raise WrongUse(f"--from must begin with http:// or https://, not {source!r}.")
    if not key:
        raise WrongUse("the old platform needs the API key of an administrator there: set TRACKYARD_FROM_KEY.")
    address = source.rstrip("/")
    done = Importer(
        source=lambda key: ApiClient(address, key),
        source_key=key,
        target=target(),
        numbers=NumberMap(map_file, address),
        only=only or NAMES,
        dry_run=dry_run,
        progress=lambda line: click.echo(line, err=True),
    ).run()
    if as_json:
        print_json(dataclasses.asdict(done))
        return done
    click.echo("\n".join(table(_COLUMNS, summary_rows(done))))
    for failure in done.failures:
        click.echo(failure, err=True)
    if not dry_run and done.kinds["affiliates"].imported:
        click.echo('Each new affiliate sets a password by "Forgot your password?" on the sign-in page.')
    return done
