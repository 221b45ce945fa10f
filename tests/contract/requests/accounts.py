"""Requests for methods of the calling account, with parameters that differ by caller."""

import base64
from collections.abc import Callable
from typing import Any

from tests.support.api import PASSWORD, Api
from tests.support.client import ApiClient
from trackyard.actions.statistics.saved_reports import add_report
from trackyard.base.secrets import hash_password
from trackyard.domain.people.callers import AdvertiserCaller, AffiliateCaller
from trackyard.domain.people.one_time_codes import STEP_S, code_at
from trackyard.store.people import advertisers, affiliates, persons, second_factors, staff
from trackyard.store.statistics import saved_reports

SAVED_REPORT = {"name": "Monday review", "query": "by=country&by=offer&period=7d"}
NEW_KEY = {"name": "program", "scopes[]": ["read", "stats"]}
CHAT = {"channel": "slack", "url": "http://name.invalid/hook"}


def own_params(api: Api) -> dict[str, Callable[[ApiClient], dict[str, Any]]]:
    """Make the state with which each of these methods succeeds for a client, and its parameters."""

    def with_password(client: ApiClient) -> dict[str, Any]:
        caller, hashed = api.caller_of(client), {"password_hash": hash_password(PASSWORD)}
        with api.deps.database.write() as conn:
            if caller.member is not None:
                persons.edit_person(conn, caller.signer.id, hashed)
            elif isinstance(caller, AffiliateCaller):
                affiliates.edit_affiliate(conn, caller.id, hashed)
            elif isinstance(caller, AdvertiserCaller):
                advertisers.edit_advertiser(conn, caller.id, hashed)
            else:
                staff.edit_staff(conn, caller.id, hashed)
        return {"password": PASSWORD}

    def with_new_password(client: ApiClient) -> dict[str, Any]:
        return with_password(client) | {"new_password": "long enough for all"}

    def without_factor(client: ApiClient) -> dict[str, Any]:
        with api.deps.database.write() as conn:
            second_factors.remove_factor(conn, api.caller_of(client).signer)
        return with_password(client)

    def with_begun_factor(client: ApiClient) -> dict[str, Any]:
        secret, now = base64.b32encode(bytes(20)).decode(), api.clock.now_ms()
        account = api.caller_of(client).signer
        with api.deps.database.write() as conn:
            second_factors.add_factor(conn, account, api.deps.cipher.encrypt(secret), now)
        return {"otp": code_at(secret, now // 1000 // STEP_S)}

    def with_factor(client: ApiClient) -> dict[str, Any]:
        with_begun_factor(client)
        with api.deps.database.write() as conn:
            second_factors.confirm_factor(conn, api.caller_of(client).signer, api.clock.now_ms())
        return with_password(client)

    def with_chat(client: ApiClient) -> dict[str, Any]:
        client.post("/3.1/admin/notices/chats", **CHAT)
        return {}

    return {
        "admin.notices.chats.remove": with_chat,
        "admin.notices.chats.test": with_chat,
        "auth.api_key.show": with_password,
        "admin.held-change.confirm": with_password,
        "partner.email.change": with_password,
        "partner.payment_systems.edit": with_password,
        "auth.password.change": with_new_password,
        "auth.second_factor.begin": without_factor,
        "auth.second_factor.confirm": with_begun_factor,
        "auth.second_factor.recovery_codes": with_factor,
        "auth.second_factor.disable": with_factor,
    }


def own_subjects(api: Api) -> dict[str, Callable[[ApiClient], Any]]:
    """Subjects of the paths of these methods, which belong to the client."""
    keys = {f"auth.keys.{method}": add_own_key for method in ("edit", "rotate", "remove")}
    methods = ("edit", "remove", "mail", "mail.stop")
    reports = {f"stats.saved-report.{method}": lambda client: add_own_report(api, client) for method in methods}
    return keys | reports | {"auth.session.end": lambda client: api.open_session(client)[0]}


def add_own_key(client: ApiClient) -> str:
    """The id of a new key of the caller, instead of those made before."""
    for made in client.get("/3.1/auth/keys")["keys"]:
        if not made["first"]:
            client.call("DELETE", f"/3.1/auth/keys/{made['id']}")
    return str(client.post("/3.1/auth/keys", **NEW_KEY)["key"]["id"])


def add_own_report(api: Api, client: ApiClient) -> str:
    """The id of a new saved report of the caller, instead of those made before."""
    account = api.caller_of(client).account
    with api.deps.database.write() as conn:
        saved_reports.remove_reports(conn, account)
    return add_report(api.deps, account, **SAVED_REPORT, shared=False).id
