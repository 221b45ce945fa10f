"""Commands that show figures and decisions."""

import sys
from typing import Any

import click

from trackyard.commands.frame.group import DocumentedCommand
from trackyard.commands.frame.options import Invocation, Number, json_option, read_pairs, server_options
from trackyard.commands.periods import WantedPeriod, period_options
from trackyard.runtime.exit_codes import ExitCode

_SECTION = "Figures"


def _complete_slices(_ctx: click.Context, _param: click.Parameter, start: str) -> list[str]:
    from trackyard.commands.report.slices import NAMES

    return [name for name in NAMES if name.startswith(start)]


def _complete_subjects(_ctx: click.Context, _param: click.Parameter, start: str) -> list[str]:
    from trackyard.commands.report.slices import SUBJECTS

    return [name for name in SUBJECTS if name.startswith(start)]


def _complete_metrics(_ctx: click.Context, _param: click.Parameter, start: str) -> list[str]:
    from trackyard.commands.report.metrics import METRICS

    done, comma, last = start.rpartition(",")
    return [f"{done}{comma}{name}" for name in METRICS if name.startswith(last)]


@click.command(
    cls=DocumentedCommand,
    section=_SECTION,
    examples=(
        ("trackyard report", "the last 7 days, a row for each"),
        ("trackyard report offers --last 30d", "offers, with a sparkline of clicks by day"),
        ("trackyard report --slice country --metric clicks,conversions,charge", "other figures"),
        ("trackyard report affiliates --filter offer=12 --order margin --limit 5", "the best affiliates of an offer"),
        ("trackyard report reasons --last today", "why clicks were rejected"),
        ("trackyard report --slice day --slice offer --last 4w --csv > weeks.csv", "for a spreadsheet"),
    ),
)
@click.argument("subject", metavar="[SUBJECT]", required=False, shell_complete=_complete_subjects)
@click.option(
    "--slice",
    "slices",
    multiple=True,
    metavar="NAME",
    shell_complete=_complete_slices,
    help="What rows are grouped by, any slice of custom statistics; repeatable, or a comma list.",
)
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    shell_complete=_complete_metrics,
    help="A figure of each row; repeatable, or a comma list. A wrong name shows all names.",
)
@period_options
@click.option(
    "--filter",
    "filters",
    multiple=True,
    metavar="NAME=VALUE",
    callback=read_pairs,
    help="As the API has it; repeatable.",
)
@click.option("--order", metavar="METRIC", help="Highest first; default the first metric, and time in its order.")
@click.option("--limit", type=Number(min=0), default=20, show_default=True, help="Rows; 0 = up to 1000.")
@click.option("--timezone", default="", metavar="ZONE", help="An IANA name; default the platform's.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@server_options
@json_option
@click.pass_obj
def report(
    invocation: Invocation,
    /,
    period: WantedPeriod,
    as_json: bool,
    as_csv: bool,
    **given: Any,
) -> None:
    """Show statistics as a table with sparklines.

    SUBJECT: offers, affiliates, advertisers, countries, days and so on, each another name of a slice.

    Conversions, charge, payout, margin and CR count confirmed, pending and held conversions; declined ones are a
    figure of their own. CR and EPC leave out conversions without a click, which without_click counts; total_epc is the
    API's EPC. The figures of the API have its names, such as confirmed.count or total.charge.
    """
    from trackyard.commands.frame.output import print_json
    from trackyard.commands.report.command import make
    from trackyard.commands.report.shown import csv_text, json_answer, table_lines

    if as_csv and as_json:
        raise click.UsageError("give --json or --csv, not both.")
    request, found = make(invocation.api(), period, with_trends=not (as_json or as_csv), **given)
    if as_json:
        print_json(json_answer(request, found))
    elif as_csv:
        click.echo(csv_text(request, found), nl=False)
    else:
        click.echo("\n".join(table_lines(request, found)))


@click.command(
    cls=DocumentedCommand,
    section=_SECTION,
    examples=(
        ("trackyard explain 6554b2c00100000000000001", "why a click was rejected, or its conversion is missing"),
        ("trackyard explain 6554b2c1a7c3f0a9e1b2d403", "a conversion, an inbound postback or a delivery"),
        ("trackyard explain order-1042 --offer 12", "the advertiser's id of an action, where several offers have it"),
        ("trackyard explain order-1042 --json | jq -r '.conclusions[].sentence'", "only what happened, for programs"),
    ),
)
@click.argument("id_", metavar="ID")
@click.option("--advertiser", metavar="ID", help="The advertiser of an action, where several have its id.")
@click.option("--offer", type=Number(min=1), metavar="NUMBER", help="The offer of an action, likewise.")
@server_options
@json_option
@click.pass_context
def explain(ctx: click.Context, id_: str, advertiser: str | None, offer: int | None, as_json: bool) -> None:
    """Follow an id, and say why a conversion is missing.

    ID belongs to a click, a conversion, an inbound postback, a delivery to an affiliate or one of its attempts, or the
    advertiser's own id of an action (action_id).

    It shows the click with its decision, the conversions with their states, the postbacks that named the click with
    their results, and the deliveries with every attempt. What happened is in sentences, with what to do. The exit code
    is 1 when the id matches nothing, or actions of several clicks; these are listed.
    """
    from trackyard.commands.explain import explanation_lines, get_explanation, is_ambiguous
    from trackyard.commands.frame.output import print_json

    found = get_explanation(ctx.ensure_object(Invocation).api(), id_, advertiser, offer)
    if as_json:
        print_json(found)
    else:
        click.echo("\n".join(explanation_lines(found)))
    if is_ambiguous(found):
        ctx.exit(ExitCode.FAILED)


@click.command(
    cls=DocumentedCommand,
    section=_SECTION,
    examples=(
        ("trackyard export conversions --last 7d --format parquet --output week.parquet", "the last 7 days"),
        ("trackyard export clicks --from 2026-11-01 --to 2026-11-30 --output clicks.csv", "a month of clicks"),
        ("trackyard export custom --from 2026-11-01 --to 2026-11-30 --slice day --slice offer", "rows of statistics"),
    ),
)
@click.argument("what", type=click.Choice(["clicks", "conversions", "custom"]))
@period_options
@click.option("--slice", "slices", multiple=True, metavar="NAME", help="A slice of custom statistics; repeatable.")
@click.option(
    "--filter",
    "filters",
    multiple=True,
    metavar="NAME=VALUE",
    callback=read_pairs,
    help="A filter, as the API has it; repeatable.",
)
@click.option("--timezone", default="", metavar="ZONE", help="An IANA name; default the platform's.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "parquet"]),
    default="csv",
    show_default=True,
    help="Form of the file.",
)
@click.option("--output", default="-", metavar="FILE", help="- is standard output, the default.")
@server_options
@click.pass_obj
def export(
    invocation: Invocation,
    what: str,
    period: WantedPeriod,
    slices: tuple[str, ...],
    filters: tuple[tuple[str, str], ...],
    timezone: str,
    form: str,
    output: str,
) -> None:
    """Write clicks, conversions or custom statistics to a file, of any size."""
    from trackyard.commands.export import ExportRequest, export

    period.check()
    api = invocation.api()
    days = period.resolved(api, timezone)
    request = ExportRequest(what, days.first, days.last, form, output, slices, filters, timezone)
    export(api, request, sys.stderr)
