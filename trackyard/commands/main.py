"""The command `trackyard`."""

import argparse
import json
import os
import signal
import sys
from dataclasses import fields, replace
from importlib.metadata import version
from pathlib import Path

from trackyard.runtime import settings as config
from trackyard.runtime.setting_types import ROLES
from trackyard.runtime.supervisor import Supervisor


def main(arguments: list[str] | None = None) -> None:
    """Run a command; exit with 2 and one sentence when a setting is wrong.

    Files that it and its processes make are for their owner: they hold keys and personal data.
    """
    os.umask(0o077)
    options = _parser().parse_args(arguments)
    if options.command in ("serve", "role"):
        _run(options)
        return
    try:
        try:
            _run(options)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough, as `head` has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)


def _run(options: argparse.Namespace) -> None:
    if options.command == "settings":
        sys.stdout.write(config.configuration_page())
        return
    try:
        if options.config is not None:
            os.environ["TRACKYARD_CONFIG"] = str(options.config.resolve())
        settings = config.load(os.environ)
        if getattr(options, "roles", None):
            os.environ["TRACKYARD_ROLES"] = options.roles
            settings = replace(settings, roles=config.load(os.environ).roles)
        _COMMANDS[options.command](settings, options)
    except (config.WrongSetting, config.CannotStart) as fault:
        if str(fault):
            print(f"trackyard: {fault}", file=sys.stderr)
        sys.exit(config.CANNOT_START if options.command == "role" else 2)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="trackyard", description="A tracking platform for performance marketing.")
    parser.add_argument("--version", action="version", version=f"trackyard {version('trackyard')}")
    commands = parser.add_subparsers(dest="command", required=True)
    serve = commands.add_parser("serve", help="start this machine's roles; Ctrl-C stops them")
    serve.add_argument("--roles", help=f"all, or a comma list of {', '.join(ROLES)}")
    key = commands.add_parser("key", help="print the first administrator's API key")
    prepare = commands.add_parser(
        "prepare", help="create or upgrade the data directory and the schema, and print what was made"
    )
    role = commands.add_parser("role", help="run one process of serve (serve starts these itself)")
    role.add_argument("name", choices=["edge", "core", "worker"])
    role.add_argument("--slot", type=int, default=0, help="which of this machine's edges")
    role.add_argument("--lifeline", type=int, help="file descriptor that ends with the parent process")
    explain = commands.add_parser("explain", help="show what was decided on a recorded click and why")
    explain.add_argument("click_id", metavar="CLICK_ID", help="24 hex digits")
    audit = commands.add_parser("audit", help="compare all books with each other; exit status 1 for any difference")
    rebuild = commands.add_parser(
        "rebuild", help="build clicks and events again from the journals and swap them in; exit status 1 if any differ"
    )
    wish = rebuild.add_mutually_exclusive_group()
    wish.add_argument("--check", dest="wish", action="store_const", const="check", help="compare only")
    wish.add_argument(
        "--accept", dest="wish", action="store_const", const="accept", help="swap even where something differs"
    )
    rebuild.set_defaults(wish="swap")
    erase = commands.add_parser("erase", help="remove personal data from every store; statistics stay")
    erase.add_argument(
        "subject", choices=["click", "user", "affiliate"], help="of a click or view, a user id, or an affiliate"
    )
    erase.add_argument("id", metavar="ID", help="its id")
    erase.add_argument("--yes", action="store_true", help="do not ask")
    rotate_key = commands.add_parser("rotate-key", help="encrypt stored secrets, such as API keys, with a new key")
    demo = commands.add_parser("demo", help="fill an empty, running installation with made-up traffic")
    demo.add_argument("--visits", type=_count, default=25_000, help="visits in the 30 days before now (%(default)s)")
    demo.add_argument("--seconds", type=_count, default=60, help="seconds of live traffic (%(default)s)")
    demo.add_argument("--seed", type=int, default=1, help="another number makes other traffic (%(default)s)")
    export = _add_export(commands)
    commands.add_parser("settings", help="print docs/configuration.md")
    for command in (serve, key, prepare, role, explain, audit, rebuild, erase, export, rotate_key, demo):
        command.add_argument("--config", type=Path, help="TOML file of settings")
    parser.set_defaults(config=None)
    return parser


def _add_export(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> argparse.ArgumentParser:
    export = commands.add_parser("export", help="write clicks, conversions or custom statistics to a file")
    export.add_argument("what", choices=["clicks", "conversions", "custom"])
    day = {"required": True, "metavar": "YYYY-MM-DD"}
    export.add_argument("--from", dest="since", help="the first day", **day)  # type: ignore[arg-type]
    export.add_argument("--to", dest="until", help="the last day", **day)  # type: ignore[arg-type]
    export.add_argument(
        "--slice",
        dest="slices",
        action="append",
        default=[],
        metavar="NAME",
        help="a slice of custom statistics; repeatable",
    )
    export.add_argument(
        "--filter",
        dest="filters",
        action="append",
        default=[],
        type=_pair,
        metavar="NAME=VALUE",
        help="as the API has it; repeatable",
    )
    export.add_argument("--timezone", default="", help="an IANA name; default the platform's")
    export.add_argument("--format", dest="form", choices=["csv", "parquet"], default="csv", help="default %(default)s")
    export.add_argument("--output", default="-", metavar="FILE", help="- is standard output, the default")
    return export


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError("must be NAME=VALUE")
    return name, value


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 1_000_000:
        raise argparse.ArgumentTypeError("must be a number from 1 to 1000000")
    return int(text)


def _serve(settings: config.Config, _options: argparse.Namespace) -> None:
    Supervisor(settings).run()


def _prepare(settings: config.Config, _options: argparse.Namespace) -> None:
    from trackyard.runtime.app import prepare

    print(json.dumps(prepare(settings)))


def _key(settings: config.Config, _options: argparse.Namespace) -> None:
    from trackyard.runtime.app import administrator_key

    print(administrator_key(settings))


def _explain(settings: config.Config, options: argparse.Namespace) -> None:
    from trackyard.commands.explain import explain

    print(explain(settings, options.click_id))


def _audit(settings: config.Config, _options: argparse.Namespace) -> None:
    from trackyard.commands.audit import audit

    text, clean = audit(settings)
    print(text)
    if not clean:
        sys.exit(1)


def _erase(settings: config.Config, options: argparse.Namespace) -> None:
    from trackyard.commands.erase import erase

    def confirm(question: str) -> bool:
        if options.yes:
            return True
        print(f"{question} [y/N] ", end="", flush=True)
        return sys.stdin.readline().strip().lower() in ("y", "yes")  # the end of the input is a no

    print(erase(settings, options.subject, options.id, confirm))


def _rebuild(settings: config.Config, options: argparse.Namespace) -> None:
    from trackyard.commands.rebuild import rebuild

    text, fine = rebuild(settings, options.wish, sys.stdout)
    print(text)
    if not fine:
        sys.exit(1)


def _export(settings: config.Config, options: argparse.Namespace) -> None:
    from trackyard.commands.export import ExportFailed, ExportRequest, export

    wanted = {field.name: getattr(options, field.name) for field in fields(ExportRequest)}
    try:
        export(settings, ExportRequest(**wanted), sys.stderr)
    except (ExportFailed, config.CannotStart) as fault:
        print(f"trackyard: {fault}", file=sys.stderr)
        sys.exit(1)


def _rotate_key(settings: config.Config, _options: argparse.Namespace) -> None:
    from trackyard.commands.rotate_key import rotate_key

    print(rotate_key(settings))


def _demo(settings: config.Config, options: argparse.Namespace) -> None:
    from trackyard.commands.demo import DemoSize, demo

    demo(settings, DemoSize(options.visits, options.seconds, options.seed), sys.stdout)


def _role(settings: config.Config, options: argparse.Namespace) -> None:
    from trackyard.runtime import app

    signal.pthread_sigmask(signal.SIG_SETMASK, set())
    app.run_role(settings, options.name, slot=options.slot, lifeline=options.lifeline)


_COMMANDS = {
    "serve": _serve,
    "prepare": _prepare,
    "key": _key,
    "role": _role,
    "explain": _explain,
    "audit": _audit,
    "export": _export,
    "rebuild": _rebuild,
    "erase": _erase,
    "rotate-key": _rotate_key,
    "demo": _demo,
}
