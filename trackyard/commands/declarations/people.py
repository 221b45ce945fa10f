"""Commands about the people of the network."""

import sys

import click

from trackyard.commands.frame.group import CommandGroup, DocumentedCommand
from trackyard.commands.frame.options import Invocation, json_option, server_options
from trackyard.commands.frame.output import print_json

_SECTION = "People"


@click.group(
    cls=CommandGroup,
    section=_SECTION,
    examples=(("trackyard user list", "staff users and their roles"),),
)
def user() -> None:
    """Manage staff users and administrators.

    They are made over the API with the administrator's key, so the server must run and the audit log has it.
    """


def _password_options(function: click.decorators.FC) -> click.decorators.FC:
    function = click.option(
        "--password-stdin", "from_stdin", is_flag=True, help="Read the password from standard input, its first line."
    )(function)
    return click.option("--generate", is_flag=True, help="Make a password and print it, once.")(function)


@user.command(
    "list",
    cls=DocumentedCommand,
    examples=(
        ("trackyard user list", "all of them"),
        ("trackyard user list --search smith --json", "some, for programs"),
    ),
)
@click.option("--search", default="", metavar="TEXT", help="Part of the name or e-mail address, or the id.")
@server_options
@json_option
@click.pass_obj
def list_(invocation: Invocation, /, search: str, as_json: bool) -> None:
    """List staff users with their roles."""
    from trackyard.commands.users import list_users, user_lines

    found = list_users(invocation.api(), search)
    if as_json:
        print_json(found)
    else:
        click.echo("\n".join(user_lines(found)))


@user.command(
    cls=DocumentedCommand,
    examples=(
        (
            "trackyard user create mia@example.com --first-name Mia --last-name Manager --role admin",
            "asks for a password",
        ),
        ("trackyard user create bot@example.com --role section_stats --generate", "prints a password, once"),
    ),
)
@click.argument("email")
@click.option("--first-name", default="", metavar="NAME", help="Default: the part of the e-mail address before @.")
@click.option("--last-name", default="", metavar="NAME", help="Default: the host of the e-mail address.")
@click.option("--role", "roles", multiple=True, metavar="ROLE", help="Such as admin or manager_sales; repeatable.")
@_password_options
@server_options
@json_option
@click.pass_obj
def create(
    invocation: Invocation,
    /,
    email: str,
    first_name: str,
    last_name: str,
    roles: tuple[str, ...],
    generate: bool,
    from_stdin: bool,
    as_json: bool,
) -> None:
    """Create a staff user. Without --generate or --password-stdin it reads the password from the terminal."""
    from trackyard.commands.users import NewUser, create_user, role_named

    name, _, host = email.partition("@")
    new = NewUser(email, first_name or name, last_name or host, tuple(role_named(each) for each in roles))
    api = invocation.api()
    made, password = create_user(api, new, _password(generate, from_stdin) or None)
    if as_json:
        print_json(made | ({"password": password} if generate else {}))
        return
    click.echo(f"Created {made['email']}, {', '.join(made['roles']) or 'without a role: it may do nothing yet'}.")
    _show_generated(generate, password)


@user.command(
    cls=DocumentedCommand,
    examples=(
        ("trackyard user passwd mia@example.com", "asks for the new password"),
        ("trackyard user passwd mia@example.com --generate", "prints a new one, once"),
    ),
)
@click.argument("user", metavar="EMAIL_OR_ID")
@_password_options
@server_options
@json_option
@click.pass_obj
def passwd(invocation: Invocation, /, user: str, generate: bool, from_stdin: bool, as_json: bool) -> None:
    """Give a staff user a new password; its sessions end.

    A password that --generate makes for another user works for 24 hours, and is changed at the first sign-in.
    """
    from trackyard.commands.users import find_user, set_password

    api = invocation.api()
    found = find_user(api, user)
    password = set_password(api, found["id"], _password(generate, from_stdin) or None)
    if as_json:
        print_json({"id": found["id"], "email": found["email"]} | ({"password": password} if generate else {}))
        return
    click.echo(f"The password of {found['email']} is changed.")
    _show_generated(generate, password)


@user.command(
    cls=DocumentedCommand,
    examples=(("trackyard user link mia@example.com", "prints a link, once"),),
)
@click.argument("user", metavar="EMAIL_OR_ID")
@server_options
@json_option
@click.pass_obj
def link(invocation: Invocation, /, user: str, as_json: bool) -> None:
    """Make a link with which a staff user chooses a password and signs in to the console.

    It works once, within 24 hours. Links that were made before end.
    """
    from trackyard.commands.users import find_user, make_link

    api = invocation.api()
    found = find_user(api, user)
    made = make_link(api, found["id"])
    if as_json:
        print_json({"id": found["id"], "email": found["email"], "link": made})
        return
    click.echo(made)
    click.echo("It works once, within 24 hours.", err=True)


def _password(generate: bool, from_stdin: bool) -> str:
    """Return the password that a person gives; "" = one is made."""
    if generate and from_stdin:
        raise click.UsageError("give --generate or --password-stdin, not both.")
    if generate:
        return ""
    if from_stdin:
        password = sys.stdin.readline().rstrip("\r\n")
    elif sys.stdin.isatty():
        password = click.prompt("Password", hide_input=True, confirmation_prompt=True)
    else:
        raise click.UsageError("there is no terminal to ask at: give --generate or --password-stdin.")
    if not password:
        raise click.UsageError("the password is empty.")
    return str(password)


def _show_generated(generate: bool, password: str) -> None:
    if generate:
        click.echo(f"Password: {password}")
        click.echo("It is not shown again.", err=True)
