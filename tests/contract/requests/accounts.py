"""Requests for methods of the calling account, with parameters that differ by caller."""

from collections.abc import Callable
from typing import Any

from tests.support.api import PASSWORD, Api
from tests.support.client import ApiClient
from trackyard.base.secrets import hash_password
from trackyard.domain.people.callers import AffiliateCaller
from trackyard.store.people import affiliates, staff

NEW_KEY = {"name": "program", "scopes[]": ["read", "stats"]}


def own_params(api: Api) -> dict[str, Callable[[ApiClient], dict[str, Any]]]:
    """Make the state with which each of these methods succeeds for a client, and its parameters."""

    def with_password(client: ApiClient) -> dict[str, Any]:
        caller, hashed = api.caller_of(client), {"password_hash": hash_password(PASSWORD)}
        with api.deps.database.write() as conn:
            if isinstance(caller, AffiliateCaller):
                affiliates.edit_affiliate(conn, caller.id, hashed)
            else:
                staff.edit_staff(conn, caller.id, hashed)
        return {"password": PASSWORD}

    def with_new_password(client: ApiClient) -> dict[str, Any]:
        return with_password(client) | {"new_password": "long enough for all"}

    return {"auth.api_key.show": with_password, "auth.password.change": with_new_password}


def own_subjects(api: Api) -> dict[str, Callable[[ApiClient], Any]]:
    """Subjects of the paths of these methods, which belong to the client."""
    keys = {f"auth.keys.{method}": add_own_key for method in ("edit", "rotate", "remove")}
    return keys | {"auth.session.end": lambda client: api.open_session(client)[0]}


def add_own_key(client: ApiClient) -> str:
    """The id of a new key of the caller, instead of those made before."""
    for made in client.get("/3.1/auth/keys")["keys"]:
        if not made["first"]:
            client.call("DELETE", f"/3.1/auth/keys/{made['id']}")
    return str(client.post("/3.1/auth/keys", **NEW_KEY)["key"]["id"])
