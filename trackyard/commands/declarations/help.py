"""Commands about the command line itself."""

import click

from trackyard.commands.frame.group import PROGRAM, DocumentedCommand

_SECTION = "Help"


@click.command(
    "help",
    cls=DocumentedCommand,
    section=_SECTION,
    examples=(("trackyard help export", "the same as `trackyard export --help`"),),
)
@click.argument("names", nargs=-1, metavar="[COMMAND]...")
@click.option("--markdown", is_flag=True, hidden=True, help="Print docs/commands.md.")
@click.pass_context
def help_(ctx: click.Context, names: tuple[str, ...], markdown: bool) -> None:
    """Show the help of a command."""
    shown = ctx.find_root()
    if markdown:
        from trackyard.commands.frame.page import commands_page

        assert isinstance(shown.command, click.Group)
        click.echo(commands_page(shown.command), nl=False)
        return
    for name in names:
        group = shown.command
        command = group.get_command(shown, name) if isinstance(group, click.Group) else None
        if command is None:
            raise click.NoSuchCommand(name, possibilities=getattr(group, "commands", ()), ctx=ctx)
        shown = click.Context(command, info_name=name, parent=shown)
    click.echo(shown.get_help())


@click.command(
    cls=DocumentedCommand,
    section=_SECTION,
    examples=(
        ("trackyard completion bash > ~/.local/share/bash-completion/completions/trackyard", "for bash"),
        ("trackyard completion zsh > ~/.zfunc/_trackyard", "for zsh, with ~/.zfunc in fpath"),
        ("trackyard completion fish > ~/.config/fish/completions/trackyard.fish", "for fish"),
    ),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a script that completes commands, options and names in a shell."""
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(ctx.find_root().command, {}, PROGRAM, f"_{PROGRAM.upper()}_COMPLETE").source(), nl=False)
