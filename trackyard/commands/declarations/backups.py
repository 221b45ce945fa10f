"""Commands that keep copies of an installation."""

from pathlib import Path

import click

from trackyard.commands.frame.group import DocumentedCommand
from trackyard.commands.frame.options import Invocation, config_option, json_option
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
        ("trackyard backup /backup/trackyard --list", "what there is"),
    ),
)
@click.argument("target", metavar="TARGET")
@_key_option
@click.option("--verify", is_flag=True, help="Read it all again, restore it into a scratch directory and audit that.")
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
    only_list: bool,
    as_json: bool,
) -> None:
    """Back up this machine while the server runs, to a folder or an S3 bucket.

    What is in the target already is not copied again. Each backup can be restored by itself. A folder or
    s3://key:secret@bucket/folder?endpoint=…&region=… is the target. The exit code is 1 when a part cannot be read again
    or the audit finds a difference.
    """
    from trackyard.commands.state.backups import back_up, list_backups

    settings = ctx.ensure_object(Invocation).settings()
    if only_list:
        found = list_backups(target, key_file)
        if as_json:
            print_json(found)
        else:
            click.echo("\n".join(f"{each['backup']}  {each['bytes']:>16,} bytes" for each in found))
        return
    done = back_up(settings, target, key_file, verify=verify)
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
    ),
)
@click.argument("target", metavar="TARGET")
@click.option("--backup", "backup_id", metavar="ID", default="", help="As --list of `trackyard backup` shows it.")
@_key_option
@config_option
@json_option
@click.pass_obj
def restore(invocation: Invocation, /, target: str, backup_id: str, key_file: Path | None, as_json: bool) -> None:
    """Restore a backup into an empty data directory and empty databases.

    The settings name them. The server then starts as after a power cut: it loads what the journal has beyond the
    statistics, once. Never let the original run at the same time.
    """
    from trackyard.commands.state.backups import restore

    done = restore(invocation.settings(), target, key_file, backup_id)
    if as_json:
        print_json({"backup": done.id, "files": len(done.files), "bytes": done.size})
    else:
        click.echo(
            f"Backup {done.id} is restored: {len(done.files):,} files, {done.size:,} bytes. Start the server now."
        )
