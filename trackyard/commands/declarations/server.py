"""Commands that run the server and show its settings."""

import json
import os
import signal
import sys
from dataclasses import asdict

import click

from trackyard.commands.frame.group import DocumentedCommand
from trackyard.commands.frame.options import Invocation, Number, config_option, json_option, server_options
from trackyard.commands.frame.output import print_json
from trackyard.runtime.exit_codes import ExitCode

_SECTION = "Server"
_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
_lifeline_option = click.option(
    "--lifeline", type=Number(min=0), hidden=True, help="File descriptor that ends with the parent process."
)


@click.command(
    cls=DocumentedCommand,
    section=_SECTION,
    examples=(
        ("trackyard serve", "everything on this machine, data in ./data"),
        ("trackyard serve --config /etc/trackyard.toml --roles edge,projector", "a machine that only takes clicks"),
    ),
)
@click.option("--roles", metavar="ROLES", help="all, or a comma list of edge, projector, worker and api.")
@_lifeline_option
@config_option
@click.pass_obj
def serve(invocation: Invocation, roles: str | None, lifeline: int | None) -> None:
    """Start this machine's roles; Ctrl-C stops them.

    The first start creates the data directory and prints the administrator's API key. The log goes to standard error.
    """
    from trackyard.runtime.supervisor import Supervisor

    Supervisor(invocation.settings(roles), lifeline).run()


@click.command(
    cls=DocumentedCommand,
    section=_SECTION,
    examples=(
        ("trackyard status", "of the server of this machine"),
        ("trackyard status --json | jq .lag_seconds", "for programs"),
        ("TRACKYARD_KEY=… trackyard status --url https://api.example.com", "of a server elsewhere"),
    ),
)
@server_options
@json_option
@click.pass_context
def status(ctx: click.Context, as_json: bool) -> None:
    """Show whether the server works, its last traffic and what it holds.

    The exit code is 1 when it is not ready.
    """
    from trackyard.commands.state.status import get_status, status_lines

    found = get_status(ctx.ensure_object(Invocation).api())
    if as_json:
        print_json(found)
    else:
        click.echo("\n".join(status_lines(found)))
    if not found["ready"]:
        ctx.exit(ExitCode.FAILED)


@click.command(
    cls=DocumentedCommand,
    section=_SECTION,
    examples=(
        ("trackyard logs --follow", "the last lines, then each new one until Ctrl-C"),
        ("trackyard logs --level WARNING --since 1h", "what needs a look of the last hour"),
        ("trackyard logs --request 6b0408df01c31cf07bbe3550 --lines 0", "all lines about a request of the API"),
        ("trackyard logs --json --lines 0 | jq -r .message | sort | uniq -c", "for programs"),
    ),
)
@click.option("--follow", "-f", is_flag=True, help="Show new lines too, until Ctrl-C.")
@click.option("--lines", "-n", type=Number(min=0), default=100, show_default=True, help="The last of them; 0 = all.")
@click.option("--level", type=click.Choice(_LEVELS, case_sensitive=False), help="The least level that is shown.")
@click.option("--since", metavar="AGE|TIME", default="", help="Such as 90s, 30m, 1h, 2d, or a time in UTC.")
@click.option("--request", metavar="ID", default="", help="Of a request of the API, as X-Request-Id has it.")
@config_option
@json_option
@click.pass_obj
def logs(
    invocation: Invocation, /, follow: bool, lines: int, level: str | None, since: str, request: str, as_json: bool
) -> None:
    """Show the log of the server of this machine, from any folder.

    It reads the copy of the log that the server writes (TRACKYARD_LOG_FILE), so it needs no running server. With
    --json each line is an object, as the server wrote it.
    """
    from datetime import UTC, datetime

    from trackyard.commands import logs as log

    wanted = log.LogFilter(level or "DEBUG", log.since_time(since, datetime.now(UTC)) if since else "", request)
    path = log.log_path(invocation.settings())
    colours = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    reader = log.LogReader(path, wanted)
    try:
        found = reader.last_lines(lines)
        while True:
            for line in found:
                click.echo(log.shown_line(line, as_json=as_json, colours=colours))
            if not follow:
                break
            log.wait_for_lines()
            found = [*reader.new_lines()]
    finally:
        reader.close()


@click.command(
    cls=DocumentedCommand,
    section=_SECTION,
    examples=(
        ("trackyard check --config /etc/trackyard.toml", "before the first start, and after changes"),
        ("sudo -u trackyard trackyard check", "as the user of the server, who needs the rights"),
        ("trackyard check --json | jq '.checks[] | select(.severity != \"ok\")'", "for programs"),
    ),
)
@config_option
@json_option
@click.pass_context
def check(ctx: click.Context, /, as_json: bool) -> None:
    """Check settings, databases, mail, URLs, disk and rights, and say what to do.

    It needs no running server, sends no mail and changes nothing. The exit code is 1 with an error, 78 when a start
    would refuse the settings, and 0 otherwise, also with warnings.
    """
    from trackyard.commands.state.check import check_answer, check_exit_code, check_lines, get_check_results

    found = get_check_results(ctx.ensure_object(Invocation).settings)
    if as_json:
        print_json(check_answer(found))
    else:
        click.echo("\n".join(check_lines(found)))
    ctx.exit(check_exit_code(found))


@click.command(
    cls=DocumentedCommand,
    section=_SECTION,
    examples=(
        ("trackyard doctor", "each morning, or when something seems wrong"),
        ("trackyard doctor --json | jq '.checks[] | select(.severity == \"error\")'", "for programs"),
        ("TRACKYARD_KEY=… trackyard doctor --url https://api.example.com", "of a server elsewhere"),
    ),
)
@server_options
@json_option
@click.pass_context
def doctor(ctx: click.Context, /, as_json: bool) -> None:
    """Look at everything that can go wrong, and say what to do.

    Disk, clock, rights, databases and their versions, queues, deliveries by host, IP address databases, exchange rates,
    certificates, other machines, edges, offers, backups, and what `trackyard check` checks. It calls the running server
    for what only it knows; without one it does the rest. The exit code is 1 with an error, 78 when a start would refuse
    the settings, and 0 otherwise, also with warnings.
    """
    from trackyard.commands.state.check import check_answer, check_exit_code, check_lines
    from trackyard.commands.state.doctor import get_doctor_results

    found = get_doctor_results(ctx.ensure_object(Invocation))
    if as_json:
        print_json(check_answer(found))
    else:
        click.echo("\n".join(check_lines(found)))
    ctx.exit(check_exit_code(found))


@click.command(
    cls=DocumentedCommand,
    section=_SECTION,
    examples=(
        ("trackyard alerts", "what needs a person now"),
        ("trackyard alerts --state all --kind disk", "also what is over, of one kind"),
        ("trackyard alerts --json | jq -r '.[].link'", "the pages that show the evidence"),
    ),
)
@click.option(
    "--state",
    type=click.Choice(("open", "closed", "all")),
    default="open",
    show_default=True,
    help="Alerts that are open, alerts that are closed, or all.",
)
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="A kind of alert, such as cap; repeatable.")
@click.option("--limit", type=Number(min=1), default=100, show_default=True, help="The newest ones.")
@server_options
@json_option
@click.pass_obj
def alerts(invocation: Invocation, /, state: str, kinds: tuple[str, ...], limit: int, as_json: bool) -> None:
    """List alerts, the newest first, each with what to do and the page that shows it.

    A cause has one alert, from the first time it was seen until it is gone. The kinds are in docs/spec/alerts.md.
    """
    from trackyard.commands.state.alerts import alert_lines, get_alerts

    found = get_alerts(invocation.api(), state, kinds, limit)
    if as_json:
        print_json(found)
    else:
        click.echo("\n".join(alert_lines(found)))


@click.command(
    cls=DocumentedCommand,
    section=_SECTION,
    examples=(('curl -H "API-Key: $(trackyard key)" http://127.0.0.1:8000/3.1/offers', "use it in a request"),),
)
@config_option
@json_option
@click.pass_obj
def key(invocation: Invocation, /, as_json: bool) -> None:
    """Print the first administrator's API key."""
    from trackyard.runtime.preparation import administrator_key

    found = administrator_key(invocation.settings())
    if as_json:
        print_json({"api_key": found})
    else:
        click.echo(found)


@click.command(
    cls=DocumentedCommand,
    section=_SECTION,
    examples=(
        ("trackyard settings", "what is in force here"),
        ("trackyard settings --effective --json", "the same, for programs"),
        ("trackyard settings --markdown > docs/configuration.md", "the page of the documentation"),
    ),
)
@click.option("--effective", is_flag=True, help="What is in force, the default.")
@click.option("--markdown", is_flag=True, help="Every setting with its default and meaning instead, as Markdown.")
@config_option
@json_option
@click.pass_obj
def settings(invocation: Invocation, /, effective: bool, markdown: bool, as_json: bool) -> None:
    """Print the settings that are in force, and what set each.

    Passwords and keys are not shown, only whether there is one.
    """
    from trackyard.commands.state.settings import setting_lines, settings_answer

    if markdown:
        from trackyard.runtime.effective_settings import configuration_page

        if effective or as_json:
            raise click.UsageError("--markdown is the page of all settings: give it alone.")
        click.echo(configuration_page(), nl=False)
        return
    found = invocation.effective_settings()
    if as_json:
        print_json(settings_answer(found))
    else:
        click.echo("\n".join(setting_lines(found)))


@click.command(
    "rotate-key",
    cls=DocumentedCommand,
    section=_SECTION,
    examples=(("systemctl stop trackyard && trackyard rotate-key && systemctl start trackyard", "as a service"),),
)
@config_option
@json_option
@click.pass_obj
def rotate_key(invocation: Invocation, /, as_json: bool) -> None:
    """Encrypt stored secrets, such as API keys, with a new key.

    Stop the server first. API keys themselves stay as they are.
    """
    from trackyard.commands.rotate_key import rotate_key

    done = rotate_key(invocation.settings())
    if as_json:
        print_json(asdict(done))
    else:
        click.echo(done.sentence())


@click.command(cls=DocumentedCommand, hidden=True)
@_lifeline_option
@config_option
@click.pass_obj
def prepare(invocation: Invocation, lifeline: int | None) -> None:
    """Create or upgrade the data directory and the schema, as `serve` does, and print what was made."""
    from trackyard.base.logs.ending import START_ADVICE, log_uncaught_errors
    from trackyard.runtime.preparation import prepare

    log_uncaught_errors(START_ADVICE)
    click.echo(json.dumps(prepare(invocation.settings(), lifeline)))


@click.command(cls=DocumentedCommand, hidden=True)
@click.argument("name", type=click.Choice(["edge", "core", "worker"]))
@click.option("--slot", type=Number(min=0), default=0, help="Which of this machine's edges.")
@_lifeline_option
@click.option("--after", type=Number(min=0), help="File descriptor of which the core reads a byte before it begins.")
@config_option
@click.pass_obj
def role(invocation: Invocation, name: str, slot: int, lifeline: int | None, after: int | None) -> None:
    """Run one process of `serve`, which starts these itself."""
    from trackyard.runtime import app

    settings = invocation.settings()
    signal.pthread_sigmask(signal.SIG_SETMASK, set())
    app.run_role(settings, name, slot=slot, lifeline=lifeline, after=after)
