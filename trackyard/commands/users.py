"""`trackyard user`: staff users, over the API."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

from trackyard.commands.failures import CommandFailed, WrongUse
from trackyard.commands.frame.output import TableColumn, table
from trackyard.commands.local_api import ApiClient
from trackyard.domain.people.roles import Role

_PAGE: Final = 1000
_RANDOM_BYTES: Final = 15
"""Of a generated password: 20 characters."""
_PREFIX: Final = "ROLE_"
_SHOWN: Final = ("id", "email", "first_name", "last_name", "roles", "status", "last_login_at")


@dataclass(frozen=True, slots=True)
class NewUser:
    """A staff user to be made."""

    email: str
    first_name: str
    last_name: str
    roles: tuple[Role, ...]


def role_named(text: str) -> Role:
    """Return the role of a name such as admin or ROLE_ADMIN. Raises WrongUse."""
    name = text.upper().replace("-", "_")
    name = name if name.startswith(_PREFIX) else _PREFIX + name
    if name in set(Role):
        return Role(name)
    short = [role.removeprefix(_PREFIX).lower() for role in Role]
    near = get_close_matches(text.lower(), short, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    raise WrongUse(f"there is no role {text!r}.{hint} There are {', '.join(short)}.")


def list_users(api: ApiClient, search: str = "") -> list[dict[str, Any]]:
    """Return staff users without their keys. Raises ServerAway, ApiError."""
    found: list[dict[str, Any]] = []
    while True:
        page = len(found) // _PAGE + 1
        answer = api.get("/3.1/admin/users", {"limit": _PAGE, "page": page} | ({"q": search} if search else {}))
        found += [{name: each[name] for name in _SHOWN} for each in answer["users"]]
        if len(found) >= answer["pagination"]["total_count"] or not answer["users"]:
            return found


def user_lines(users: Sequence[dict[str, Any]]) -> list[str]:
    """Return a table of staff users."""
    titles = ("E-mail", "Name", "Roles", "Status", "Last sign-in", "Id")
    rows = [
        [
            each["email"],
            f"{each['first_name']} {each['last_name']}",
            ", ".join(role.removeprefix(_PREFIX).lower() for role in each["roles"]) or "none",
            each["status"],
            each["last_login_at"] or "never",
            each["id"],
        ]
        for each in users
    ]
    return table([TableColumn(title) for title in titles], rows)


def find_user(api: ApiClient, text: str) -> dict[str, Any]:
    """Return the staff user with an e-mail address or id. Raises CommandFailed when there is none."""
    wanted = text.lower()
    for each in list_users(api, text):
        if wanted in (each["email"].lower(), each["id"]):
            return each
    raise CommandFailed(f"no staff user has the e-mail address or id {text}: see `trackyard user list`.")


def create_user(api: ApiClient, new: NewUser, password: str | None) -> tuple[dict[str, Any], str]:
    """Create a staff user; return it and its password.

    password: None = one is made. Raises ApiError, ServerAway.
    """
    chosen = password or secrets.token_urlsafe(_RANDOM_BYTES)
    params = {
        "email": new.email,
        "password": chosen,
        "first_name": new.first_name,
        "last_name": new.last_name,
        "roles": list(new.roles),
    }
    made = api.post("/3.1/admin/user", params)["user"]
    return {name: made[name] for name in _SHOWN}, chosen


def make_link(api: ApiClient, user_id: str) -> str:
    """Return a new link with which a staff user signs in. Raises ApiError, ServerAway."""
    return str(api.post(f"/3.1/admin/user/{user_id}/sign_in_link", {})["user"]["link"])


def set_password(api: ApiClient, user_id: str, password: str | None) -> str:
    """Give a staff user a password; return it. Raises ApiError, ServerAway.

    password: None = one is made, which works for 24 hours when it is for another user.
    """
    sent = {} if password is None else {"password": password}
    return str(api.post(f"/3.1/admin/user/{user_id}/password", sent)["user"]["password"])
