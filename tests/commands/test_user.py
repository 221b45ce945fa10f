"""`trackyard user`: staff users over the API; a password is shown once, and only when it was made."""

import json

import pytest

from tests.support.api import Api
from tests.support.command import run_command
from trackyard.runtime.exit_codes import ExitCode

EMAIL = "mia@example.com"
CHOSEN = "a chosen passphrase"


def signs_in(api: Api, password: str) -> bool:
    answer = api.admin.with_key(None).call("POST", "/3.1/auth", data={"login": EMAIL, "password": password})
    return bool(answer.status_code == 200)


def test_user_created_with_typed_password_signs_in_and_is_listed(api: Api) -> None:
    asked = ("create", EMAIL, "--first-name", "Mia", "--role", "admin", "--role", "ROLE_SECTION_STATS")
    made = run_command("user", *asked, "--password-stdin", typed=f"{CHOSEN}\n", api=api)
    assert (made.exit_code, made.output) == (0, f"Created {EMAIL}, ROLE_ADMIN, ROLE_SECTION_STATS.\n")
    assert signs_in(api, CHOSEN)
    listed = run_command("user", "list", api=api).stdout
    assert "mia@example.com  Mia example.com" in listed and "admin, section_stats" in listed
    [found] = json.loads(run_command("user", "list", "--search", "mia@", "--json", api=api).stdout)
    assert (found["email"], "api_key" in found) == (EMAIL, False)


def test_generated_password_is_shown_once_and_works(api: Api) -> None:
    made = json.loads(run_command("user", "create", EMAIL, "--role", "admin", "--generate", "--json", api=api).stdout)
    assert signs_in(api, made["password"]) and "password" not in json.dumps(
        json.loads(run_command("user", "list", "--json", api=api).stdout)
    )
    changed = run_command("user", "passwd", EMAIL.upper(), "--generate", api=api)
    password = changed.stdout.splitlines()[1].removeprefix("Password: ")
    assert signs_in(api, password) and not signs_in(api, made["password"])


def test_password_that_was_typed_is_never_printed(api: Api) -> None:
    run_command("user", "create", EMAIL, "--generate", api=api)
    for form in ((), ("--json",)):
        changed = run_command("user", "passwd", EMAIL, "--password-stdin", *form, typed=f"{CHOSEN}\n", api=api)
        assert (changed.exit_code, CHOSEN in changed.output) == (0, False)
    assert signs_in(api, CHOSEN)


def test_link_of_a_user_is_printed_and_another_ends_it(api: Api) -> None:
    run_command("user", "create", EMAIL, "--generate", api=api)
    first = run_command("user", "link", EMAIL, api=api).stdout.strip()
    second = json.loads(run_command("user", "link", EMAIL, "--json", api=api).stdout)
    assert "/sign-in/link?token=" in first and second["link"] != first and second["email"] == EMAIL


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("create", EMAIL), ExitCode.USAGE, "give --generate or --password-stdin"),
        (("create", EMAIL, "--generate", "--password-stdin"), ExitCode.USAGE, "not both"),
        (("create", EMAIL, "--password-stdin"), ExitCode.USAGE, "the password is empty"),
        (("create", EMAIL, "--role", "admim", "--generate"), ExitCode.USAGE, "Did you mean admin? There are admin, "),
        (("create", "mia", "--generate"), ExitCode.USAGE, "[email]"),
        (("passwd", EMAIL, "--generate"), ExitCode.FAILED, f"no staff user has the e-mail address or id {EMAIL}"),
    ],
)
def test_user_command_with_mistake_says_what_is_wrong(
    api: Api, arguments: tuple[str, ...], code: ExitCode, said: str
) -> None:
    found = run_command("user", *arguments, api=api)
    assert (found.exit_code, said in found.stderr) == (code, True), found.stderr
