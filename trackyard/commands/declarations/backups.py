"""Commands that keep copies of an installation."""

from datetime import UTC, datetime
from pathlib import Path

import click

from trackyard.commands.frame.group import DocumentedCommand
from trackyard.commands.frame.options import Invocation, Number, config_option, json_option
from trackyard.commands.frame.output import print_json
from trackyard.runtime.exit_codes import ExitCode

_SECTION = "Books and data"
_key_option = click.option(
    "--key-file", type=click.Path(path_type=Path), metavar="FILE", help="A file with the key that encrypts the backups."
)


@click.command(
    cls=DocumentedCommand,
    section=_SECTION,
    examples=(
        ("trackyard backup /backup/trackyard --key-file /etc/trackyard.key", "every night, while the server runs"),
        (
            "trackyard backup 's3://key:secret@bucket/trackyard?region=eu-central-1' --verify",
            "into a bucket, and prove it",
        ),
        ("trackyard backup /backup/trackyard --keep 14", "and remove all but the newest 14"),
        ("trackyard backup /backup/trackyard --list", "what there is"),
    ),
)
@click.argument("target", metavar="TARGET")
@_key_option
@click.option("--verify", is_flag=True, help="Read it all again, restore it into a scratch directory and audit that.")
@click.option("--keep", type=Number(1), metavar="N", default=None, help="Then remove all but the newest N backups.")
@click.option(
    "--data-only",
    is_flag=True,
    help="The data directory alone: the journals of a further machine, after the first one.",
)
@click.option("--list", "only_list", is_flag=True, help="List the backups of the target instead.")
@config_option
@json_option
@click.pass_context
def backup(
    ctx: click.Context,
    /,
    target: str,
    key_file: Path | None,
    verify: bool,
    keep: int | None,
    data_only: bool,
    only_list: bool,
    as_json: bool,
) -> None:
    """Back up this machine while the server runs, to a folder or an S3 bucket.

    What is in the target already is not copied again. Each backup can be restored by itself. A folder or
    s3://key:secret@bucket/folder?endpoint=…&region=… is the target. The exit code is 1 when a part cannot be read again
    or the audit finds a difference.
    """
    from trackyard.commands.state.backups import BackupWish, back_up, list_backups

    settings = ctx.ensure_object(Invocation).settings()
    if only_list:
        found = list_backups(target, key_file)
        if as_json:
            print_json(found)
        else:
            click.echo("\n".join(f"{each['backup']}  {each['bytes']:>16,} bytes" for each in found))
        return
    done = back_up(settings, target, key_file, BackupWish(verify, data_only, keep or 0))
    if as_json:
        print_json(done.answer())
    else:
        click.echo("\n".join(done.lines()))
    if done.differences:
        ctx.exit(ExitCode.FAILED)


@click.command(
    cls=DocumentedCommand,
    section=_SECTION,
    examples=(
        ("TRACKYARD_DATA_DIR=/srv/new trackyard restore /backup/trackyard", "the newest, into an empty directory"),
        ("trackyard restore /backup/trackyard --backup 2026-11-24T03-00-00-000Z", "one of an earlier day"),
        ("trackyard restore /backup/trackyard --at 2026-11-24T12:00", "the newest one at that time, UTC"),
    ),
)
@click.argument("target", metavar="TARGET")
@click.option("--backup", "backup_id", metavar="ID", default="", help="As --list of `trackyard backup` shows it.")
@click.option(
    "--at",
    type=click.DateTime(["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d"]),
    metavar="TIME",
    help="The newest backup at this time, UTC.",
)
@_key_option
@config_option
@json_option
@click.pass_obj
def restore(
    invocation: Invocation,
    /,
    target: str,
    backup_id: str,
    at: datetime | None,
    key_file: Path | None,
    as_json: bool,
) -> None:
    """Restore a backup into an empty data directory and empty databases.

    The settings name them. The server then starts as after a power cut: it loads what the journal has beyond the
    statistics, once. Never let the original run at the same time.
    """
    from trackyard.commands.state.backups import restore

    moment = None if at is None else round(at.replace(tzinfo=UTC).timestamp() * 1000)
    done = restore(invocation.settings(), target, key_file, backup_id, moment)
    if as_json:
        print_json({"backup": done.id, "files": len(done.files), "bytes": done.size})
    else:
        click.echo(
            f"Backup {done.id} is restored: {len(done.files):,} files, {done.size:,} bytes. Start the server now."
        )


@click.command(
    cls=DocumentedCommand,
    section=_SECTION,
    examples=(
        ("trackyard upgrade --dry-run", "what this version would change"),
        ("trackyard upgrade --backup /backup/trackyard", "back up, migrate, audit"),
    ),
)
@click.option("--dry-run", is_flag=True, help="Say what it would change, and change nothing.")
@click.option("--backup", "target", metavar="TARGET", default="", help="Make a backup there first.")
@click.option("--no-backup", is_flag=True, help="Make none: there is one.")
@_key_option
@config_option
@json_option
@click.pass_context
def upgrade(
    ctx: click.Context,
    /,
    dry_run: bool,
    target: str,
    no_backup: bool,
    key_file: Path | None,
    as_json: bool,
) -> None:
    """Bring the databases of a stopped installation to this version.

    It prints what changes, makes a backup, migrates SQL and statistics, and audits. Run again, it finishes what was
    interrupted. A start of the server migrates too, without a backup and an audit. The exit code is 1 when the audit
    finds a difference.
    """
    from trackyard.commands.state.upgrade import upgrade_installation

    settings = ctx.ensure_object(Invocation).settings()
    done = upgrade_installation(settings, target, key_file, no_backup=no_backup, dry_run=dry_run)
    if as_json:
        print_json(done.answer())
    else:
        click.echo("\n".join(done.lines()))
    if done.differences:
        ctx.exit(ExitCode.FAILED)
