"""Commands that compare, rebuild and erase what is stored."""

import sys
from pathlib import Path
from typing import Any

import click

from trackyard.commands.frame.group import DocumentedCommand
from trackyard.commands.frame.options import Invocation, Number, config_option, json_option, read_pairs, server_options
from trackyard.commands.frame.output import print_json
from trackyard.commands.periods import WantedPeriod, period_options
from trackyard.runtime.exit_codes import ExitCode

_SECTION = "Books and data"


@click.command(
    cls=DocumentedCommand,
    section=_SECTION,
    examples=(
        ("trackyard compare their.csv --affiliate 12 --last 30d", "an affiliate's file against its payouts"),
        (
            "trackyard compare their.csv --advertiser 6554b2c00100000000000001 --from 2026-10-01 --to 2026-10-31 "
            '--column click_id="Sub ID" --column sum=Commission',
            "an advertiser's file; the columns are kept for its next one",
        ),
        ("trackyard compare their.csv --affiliate 12 --last 30d --accept other_sum --apply", "take the file's sums"),
    ),
)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--advertiser", metavar="ID", help="The advertiser that sent the file.")
@click.option("--affiliate", type=Number(min=1), metavar="NUMBER", help="The affiliate that sent the file.")
@period_options
@click.option("--timezone", default="", metavar="ZONE", help="Of the days of the file; default the platform's.")
@click.option("--currency", default="", metavar="CODE", help="Of rows without one; default the platform's.")
@click.option("--sheet", default="", metavar="NAME", help="The sheet of a spreadsheet; default the first one.")
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="FIELD=NAME",
    callback=read_pairs,
    help="The column of click_id, action_id, conversion_id, goal, status, sum or currency; repeatable.",
)
@click.option(
    "--word",
    "words",
    multiple=True,
    metavar="STATUS=WORDS",
    callback=read_pairs,
    help="Words that mean confirmed, pending, hold or declined, as a comma list; repeatable.",
)
@click.option(
    "--accept",
    multiple=True,
    type=click.Choice(["other_status", "other_sum", "missing_there"]),
    help="Show the edits that remove these differences; repeatable.",
)
@click.option("--apply", is_flag=True, help="Make the edits of --accept.")
@server_options
@json_option
@click.pass_obj
def compare(
    invocation: Invocation,
    /,
    file: Path,
    advertiser: str | None,
    affiliate: int | None,
    period: WantedPeriod,
    accept: tuple[str, ...],
    apply: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Compare the file of an advertiser or an affiliate with our conversions.

    FILE: CSV, or a spreadsheet (XLSX). Its columns are found by their names, by --column, or as in
    the sender's last file.

    Each row and each conversion is matched, missing here, missing there, or has another status or sum; each
    difference has its reason. The differences of the classes add up to the whole one. Nothing changes without --apply.
    """
    from trackyard.commands.compare.command import CompareRequest, result_lines, run

    if (advertiser is None) == (affiliate is None):
        raise click.UsageError("name the sender of the file: --advertiser or --affiliate.")
    if apply and not accept:
        raise click.UsageError("--apply needs --accept.")
    period.check()
    api = invocation.api()
    days = period.resolved(api, given["timezone"])
    params = {"date_from": days.first, "date_to": days.last}
    params |= {name: given[name] for name in ("timezone", "currency", "sheet") if given[name]}
    params |= {f"column_{name}": value for name, value in given["columns"]}
    params |= {f"words_{name}": value for name, value in given["words"]}
    path = f"/admin/advertiser/{advertiser}" if advertiser else f"/admin/partner/{affiliate}"
    found = run(api, CompareRequest(file, path, params, accept, apply))
    if as_json:
        print_json({"comparison": found.comparison, "differences": found.differences, "accepted": found.accepted})
    else:
        click.echo("\n".join(result_lines(found)))


@click.command(
    cls=DocumentedCommand,
    section=_SECTION,
    examples=(("trackyard audit && echo fine", "in a script: the exit code is 1 when anything differs"),),
)
@server_options
@json_option
@click.pass_context
def audit(ctx: click.Context, as_json: bool) -> None:
    """Compare all books with each other: journal, clicks, conversions, statistics and balances.

    Each difference is a sentence with the id of what differs; `trackyard explain ID` shows more of it.

    A machine with the role projector and without the role api compares its own journals: run it there, too.
    """
    from trackyard.commands.audit import audit_lines, reconcile

    found = reconcile(ctx.ensure_object(Invocation))
    if as_json:
        print_json({name: found[name] for name in ("checked", "count", "differences", "warnings") if name in found})
    else:
        click.echo("\n".join(audit_lines(found)))
    if found["count"]:
        ctx.exit(ExitCode.FAILED)


@click.command(
    cls=DocumentedCommand,
    section=_SECTION,
    examples=(
        ("trackyard rebuild --check", "compare only, change nothing"),
        ("trackyard rebuild --check --json | jq .count", "the number of differences, for programs"),
    ),
)
@click.option("--check", "wish", flag_value="check", help="Compare only.")
@click.option("--accept", "wish", flag_value="accept", help="Swap even where something differs.")
@server_options
@json_option
@click.pass_context
def rebuild(ctx: click.Context, wish: str | None, as_json: bool) -> None:
    """Build clicks and events again from the journals and swap them in.

    The server works on meanwhile. The exit code is 1 when anything differs and was not accepted.

    With --json the progress is on standard error, and the result is the answer of `GET /admin/rebuild`.
    """
    from trackyard.commands.rebuild import has_ended_well, rebuild, rebuild_lines

    progress = sys.stderr if as_json else sys.stdout
    ended = rebuild(ctx.ensure_object(Invocation).api(), wish or "swap", progress)
    if as_json:
        print_json(ended)
    else:
        click.echo("\n".join(rebuild_lines(ended)))
    if not has_ended_well(ended):
        ctx.exit(ExitCode.FAILED)


@click.command(
    cls=DocumentedCommand,
    section=_SECTION,
    examples=(
        ("trackyard erase user visitor-81", "a user id that a link carried"),
        ("trackyard erase click 6554b2c00100000000000001 --yes --json", "without a question, for programs"),
    ),
)
@click.argument("subject", type=click.Choice(["click", "user", "affiliate"]))
@click.argument("id_", metavar="ID")
@click.option("--yes", is_flag=True, help="Do not ask.")
@server_options
@json_option
@click.pass_obj
def erase(invocation: Invocation, subject: str, id_: str, yes: bool, as_json: bool) -> None:
    """Remove personal data from every store; statistics stay.

    Of a click or view, a user id, or an affiliate. With --json the question is on standard error.
    """
    from trackyard.commands.erase import erase

    def confirm(question: str) -> bool:
        if yes:
            return True
        click.echo(f"{question} [y/N] ", nl=False, err=as_json)
        return sys.stdin.readline().strip().lower() in ("y", "yes")  # the end of the input is a no

    done = erase(invocation.api(), subject, id_, confirm)
    if as_json:
        print_json(done.answer())
    else:
        click.echo(done.sentence())


@click.command(
    "import",
    cls=DocumentedCommand,
    section=_SECTION,
    examples=(
        ("trackyard import --from https://api.old.example --dry-run", "count what would be copied"),
        ("trackyard import --from https://api.old.example --only advertisers --only offers", "some kinds alone"),
    ),
)
@click.option("--from", "source", metavar="URL", required=True, help="URL of the API of the old platform.")
@click.option(
    "--from-key",
    metavar="KEY",
    envvar="TRACKYARD_FROM_KEY",
    help="API key of an administrator there; better in TRACKYARD_FROM_KEY.",
)
@click.option(
    "--only",
    type=click.Choice(["categories", "advertisers", "affiliates", "offers", "connections", "postbacks"]),
    multiple=True,
    help="Copy this kind alone; may be repeated.",
)
@click.option(
    "--map",
    "map_file",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("trackyard-import.jsonl"),
    show_default=True,
    help="File of old and new numbers; a second run continues with it.",
)
@click.option("--dry-run", is_flag=True, help="List there and write nothing.")
@server_options
@json_option
@click.pass_context
def import_(
    ctx: click.Context,
    source: str,
    from_key: str | None,
    only: tuple[str, ...],
    map_file: Path,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Copy a network from a platform that speaks the same API, such as Affise.

    Categories, advertisers, affiliates, offers, connections and affiliates' postbacks. A record that is rejected is
    named, the others are copied, and the exit code is 1. Run it again to continue: nothing is copied twice.
    """
    from trackyard.commands.importing.command import import_network

    done = import_network(ctx.ensure_object(Invocation).api, source, from_key or "", only, map_file, dry_run, as_json)
    if done.failures:
        ctx.exit(ExitCode.FAILED)


_COUNT = Number(1, 1_000_000)


@click.command(
    cls=DocumentedCommand,
    section=_SECTION,
    examples=(
        ("trackyard demo", "a network with its figures in a table, in less than a minute; nothing is kept"),
        ("trackyard demo --keep ./demo", "the same, and its server runs until Ctrl-C"),
    ),
)
@click.option("--visits", type=_COUNT, default=8_000, show_default=True, help="Visits in the 30 days before now.")
@click.option("--seconds", type=_COUNT, default=5, show_default=True, help="Seconds of live traffic.")
@click.option("--seed", type=Number(min=0), default=1, show_default=True, help="Another number makes other traffic.")
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIRECTORY",
    help="Keep the data of the demonstration's own server here, and let the server run until Ctrl-C.",
)
@config_option
@json_option
@click.pass_obj
def demo(invocation: Invocation, visits: int, seconds: int, seed: int, keep: Path | None, as_json: bool) -> None:
    """Show a made-up network and its traffic.

    It starts a server of its own and removes it at the end. Where the server of this installation runs and is empty,
    the demonstration fills that one instead.

    With --json the progress is on standard error.
    """
    from trackyard.commands.demo import DemoSize, demo
    from trackyard.commands.demo.summary import DemoSummary

    def show(summary: DemoSummary) -> None:
        if as_json:
            print_json(summary.answer())
            sys.stdout.flush()  # a kept server runs on
        else:
            click.echo(summary.text())

    demo(invocation.settings(), DemoSize(visits, seconds, seed), sys.stderr if as_json else sys.stdout, show, keep)
