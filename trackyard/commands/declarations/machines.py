"""Commands about the machines of an installation."""

import time
from dataclasses import asdict
from pathlib import Path

import click

from trackyard.commands.frame.group import CommandGroup, DocumentedCommand
from trackyard.commands.frame.options import Invocation, Number, config_option, json_option
from trackyard.commands.frame.output import print_json

_SECTION = "Server"
_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command(
    cls=DocumentedCommand,
    section=_SECTION,
    examples=(
        ("trackyard machines", "which server runs where, with which roles"),
        ("trackyard machines --json | jq '.[] | select(.state == \"silent\")'", "for programs"),
    ),
)
@config_option
@json_option
@click.pass_obj
def machines(invocation: Invocation, /, as_json: bool) -> None:
    """List the servers of the installation.

    Runs: it was seen in the last 5 minutes. Silent: it was not, and did not end in order. Stopped: it ended in order.
    It reads the SQL database of the settings, so it needs no running server.
    """
    from trackyard.base.clock import SystemClock
    from trackyard.commands.state.machines import list_machines, machine_lines

    found = list_machines(invocation.settings(), SystemClock())
    if as_json:
        print_json(found)
    else:
        click.echo("\n".join(machine_lines(found)))


@click.group(
    cls=CommandGroup,
    section=_SECTION,
    examples=(("trackyard edges list", "which machine has which edge number"),),
)
def edges() -> None:
    """Show and free edge numbers.

    They read the SQL database of the settings, so they need no running server.
    """


@edges.command(
    "list",
    cls=DocumentedCommand,
    examples=(
        ("trackyard edges list", "all of them"),
        ("trackyard edges list --json | jq '.[] | select(.state == \"silent\")'", "for programs"),
    ),
)
@config_option
@json_option
@click.pass_obj
def list_(invocation: Invocation, /, as_json: bool) -> None:
    """List edge numbers with their machines.

    In use: its machine runs. Silent: its machine is away, and may have records that are not loaded. Resting: all is
    loaded; the number is free 72 hours after its last use. Free: the next machine may get it.
    """
    from trackyard.base.clock import SystemClock
    from trackyard.commands.state.edges import edge_lines, list_edges

    found = list_edges(invocation.settings(), SystemClock())
    if as_json:
        print_json(found)
    else:
        click.echo("\n".join(edge_lines(found)))


@edges.command(
    cls=DocumentedCommand,
    examples=(("trackyard edges release 7", "its machine never comes back"),),
)
@click.argument("number", type=Number(min=1))
@config_option
@json_option
@click.pass_obj
def release(invocation: Invocation, /, number: int, as_json: bool) -> None:
    """Free the number of a machine that never comes back.

    What that machine recorded and had not loaded is given up. A number that is in use, or was in the last 72 hours, is
    not released; the answer has the time and the reason.
    """
    from trackyard.base.clock import SystemClock
    from trackyard.commands.state.edges import release_edge

    done = release_edge(invocation.settings(), number, SystemClock())
    if as_json:
        print_json(asdict(done))
    else:
        click.echo(done.sentence())


@click.group(
    cls=CommandGroup,
    section=_SECTION,
    examples=(("trackyard journals list", "which machines have copies of journals in the bucket"),),
)
def journals() -> None:
    """Show and bring back copies of journals.

    They read the bucket of `TRACKYARD_JOURNAL_COPY_URL`.
    """


@journals.command(
    "list",
    cls=DocumentedCommand,
    examples=(("trackyard journals list", "the id of each machine, its journals and their bytes"),),
)
@config_option
@json_option
@click.pass_obj
def list_copies(invocation: Invocation, /, as_json: bool) -> None:
    """List the journals in the bucket by machine.

    The id of a machine is in `directory.id` of its data directory. Journals that are closed and loaded have no copy.
    """
    from trackyard.commands.state.journals import copy_lines, list_copied

    found = list_copied(invocation.settings())
    if as_json:
        print_json(found)
    else:
        click.echo("\n".join(copy_lines(found)))


@journals.command(
    cls=DocumentedCommand,
    examples=(("trackyard journals restore 65a1b2c3d4e5f60718293a4b", "its machine never comes back"),),
)
@click.argument("machine")
@config_option
@json_option
@click.pass_obj
def restore(invocation: Invocation, /, machine: str, as_json: bool) -> None:
    """Make a data directory of the journals of a machine that is lost.

    The data directory of the settings must be empty. A start on it with the roles edge and projector loads what the
    lost machine had not loaded, each record once.
    """
    from trackyard.commands.state.journals import restore_machine

    restored = restore_machine(invocation.settings(), machine)
    if as_json:
        print_json(restored)
    else:
        click.echo(f"{len(restored)} journals restored, {sum(restored.values())} bytes. Start the server to load them.")


@click.command(
    cls=DocumentedCommand,
    section=_SECTION,
    examples=(
        ("trackyard origins", "what is known about the networks of IP addresses"),
        ("trackyard origins --list tor exits.txt --list vpn vpn.txt", "replace these two kinds, keep the others"),
        (
            "trackyard origins --wheel iporigin-1.1.2-py3-none-any.whl --only",
            "a newer list in place of the one shipped",
        ),
    ),
)
@click.option(
    "--list", "lists", nargs=2, multiple=True, metavar="KIND FILE", help="A text with a network on each line."
)
@click.option("--wheel", "wheels", type=_FILE, multiple=True, metavar="FILE", help="A wheel of iporigin.")
@click.option("--only", is_flag=True, help="Drop the kinds that are not given, instead of keeping the kinds in use.")
@config_option
@click.pass_obj
def origins(invocation: Invocation, lists: tuple[tuple[str, str], ...], wheels: tuple[Path, ...], only: bool) -> None:
    """Show or replace what is known about the networks of IP addresses.

    KIND is hosting, vpn, tor, bot, relay or proxy. Edges read the new file within a minute, without a restart; clicks
    that were recorded keep what was known when they came.
    """
    from trackyard.commands.state.origins import OriginLists, describe_origins, write_origins
    from trackyard.domain.statistics.quality.origins import NETWORKS
    from trackyard.runtime.start_checks import databases_of, origin_file_of

    config = invocation.settings()
    present, target = databases_of(config).find_origins(), origin_file_of(config)
    networks: dict[str, list[Path]] = {}
    for kind, file in lists:
        if kind not in NETWORKS:
            raise click.BadParameter(f"{kind} is none of {', '.join(NETWORKS)}.", param_hint="--list")
        networks.setdefault(kind, []).append(Path(file))
    if networks or wheels:
        write_origins(OriginLists(networks, wheels, not only), present or target, target, int(time.time() * 1000))
        present = target
    if present is not None:
        click.echo("\n".join(describe_origins(present)))
