"""Requests for methods of the calling account, with parameters that differ by caller."""

from collections.abc import Callable
from typing import Any

from tests.support.api import PASSWORD, Api
from tests.support.client import ApiClient
from trackyard.base.secrets import hash_password
from trackyard.domain.people.callers import AffiliateCaller
from trackyard.store.people import affiliates, staff


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
    return {"auth.session.end": lambda client: api.open_session(client)[0]}
