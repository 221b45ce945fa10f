"""Keys with limits write no credentials, by any method or parameter.

docs/spec/callers.md#credentials. Each writing method of the catalogue runs, and what it writes is read from its
statements, in the tables that the audit log leaves out as well.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Delete, Engine, Insert, Update, event

from tests.contract.test_every_endpoint import EndpointSetup, as_sent, send
from tests.support.client import ApiClient
from trackyard.api.catalogue import CATALOGUE
from trackyard.base.ids import new_api_key
from trackyard.domain.people.roles import Permission
from trackyard.store.tables.credentials import CREDENTIAL_COLUMNS
from trackyard.wire.endpoint import Endpoint
from trackyard.wire.request.params import Params, fields_of

WRITING = [endpoint for endpoint in CATALOGUE if endpoint.method != "GET" and not endpoint.is_public]
OWN_ROWS = {"affiliate", "advertiser", "offer"}
"""Tables of which a new row has its own credentials alone."""
NEW_ACCOUNTS = {"admin.partner.add": "affiliate"}
"""Methods that make an account with its first key."""
OWN_PASSWORDS = {
    "admin.settings.edit": {"password"},
    "partner.payment_systems.edit": {"password"},
    "admin.held-change.confirm": {"password"},
}
"""Passwords that only show who calls."""
ENDS = {"session", "api_key", "sign_in_link", "email_confirmation"}
"""Tables of which a removed row admits no person."""


MADE = {
    "email": lambda: f"{new_api_key()}@credentials.example",
    "login": lambda: f"login-{new_api_key()}",
    "password": lambda: "a long enough password",
    "hash_password": new_api_key,
    "smtp_url": lambda: f"smtp://user:word@{new_api_key()}.example:587",
    "mail_from": lambda: f"{new_api_key()}@credentials.example",
}
"""Values of the parameters that have the name of a credential, a new one for each request."""


def _is_flagged(endpoint: Endpoint[Any]) -> bool:
    return endpoint.credentials or endpoint.permission is Permission.ACCOUNT


@contextmanager
def _written() -> Iterator[set[str]]:
    """Yield `table.column` of the credentials that statements write."""
    found: set[str] = set()

    def read(_conn: Any, clause: Any, many: Any, one: Any, _options: Any) -> None:
        if isinstance(clause, Insert | Update | Delete):
            sets = [dict(clause.compile().params), *many, *([one] if one else [])]
            found.update(_credentials_of(clause, sets))

    event.listen(Engine, "before_execute", read)
    try:
        yield found
    finally:
        event.remove(Engine, "before_execute", read)


def _credentials_of(clause: Any, sets: list[dict[str, Any]]) -> Iterator[str]:
    table = clause.table.name
    if table == "audit":
        looks = any("portal_seen_until_at" in str(each.get("changes", "")) for each in sets)
        yield from ["look.portal"] if looks else []
        return
    wanted = CREDENTIAL_COLUMNS.get(table, frozenset())
    if (
        not wanted
        or (isinstance(clause, Delete) and table in ENDS)
        or (isinstance(clause, Insert) and table in OWN_ROWS)
    ):
        return
    if table == "setting":
        names = {str(value) for each in sets for name, value in each.items() if name.startswith("name")}
        yield from (f"setting.{name}" for name in names & wanted)
        return
    if isinstance(clause, Update) and table in ("api_key", "session") and _only_use(sets):
        return
    yield from (f"{table}.{name}" for name in ([table] if "*" in wanted else wanted & _set_names(clause, sets)))


def _only_use(sets: list[dict[str, Any]]) -> bool:
    names = {name for each in sets for name in each}
    return "last_used_at" in names and not {"digest", "sealed", "scopes", "expires_at_1"} & names


def _set_names(clause: Any, sets: list[dict[str, Any]]) -> set[str]:
    """Return the columns that a statement sets: those of an UPDATE are named in its values."""
    if isinstance(clause, Update):
        values = getattr(clause, "_values", None) or {}
        return {getattr(column, "name", str(column)) for column in values} | {name for each in sets for name in each}
    return {name for each in sets for name in each}


def _credential_names(endpoint: Endpoint[Any]) -> set[str]:
    """Return the parameters of a method that have the name of a credential."""
    return {field.name for field in fields_of(endpoint.params)} & MADE.keys()


def _sent(world: EndpointSetup, endpoint: Endpoint[Any], caller: ApiClient) -> dict[str, Any]:
    """Return parameters with which a method succeeds, as they are sent."""
    own = world.own_params[endpoint.id](caller) if endpoint.id in world.own_params else {}
    return {name: as_sent(value) for name, value in (world.good.get(endpoint.id, {}) | own).items()}


def _columns_written(world: EndpointSetup, endpoint: Endpoint[Any], names: set[str]) -> set[str]:
    """Return the credentials that a method writes.

    names: parameters that are sent besides those it needs.
    """
    caller = world.caller(endpoint)
    params = _sent(world, endpoint, caller) | {name: MADE[name]() for name in sorted(names)}
    path = world.path(endpoint, endpoint.versions[-1], client=caller)
    with _written() as found:
        answer = send(world, caller, endpoint, endpoint.versions[-1], params, path)
    assert answer.status_code == 200, (endpoint.id, names, answer.text)
    return found


def _refused(endpoint: Endpoint[Any]) -> set[str]:
    """Return the parameters that keys with limits may not send."""
    return {field.name for field in fields_of(endpoint.params) if field.is_credential}


def test_every_method_that_writes_credentials_is_refused_to_keys_with_limits(world: EndpointSetup) -> None:
    """A method is flagged where it writes one without such a parameter, and else the parameter is."""
    always, by_parameter = {}, {}
    before = world.api.admin.get("/3.1/admin/settings")["settings"]
    for endpoint in WRITING:
        if found := _columns_written(world, endpoint, set()):
            always[endpoint.id] = found
        names = set() if _is_flagged(endpoint) else _credential_names(endpoint) - OWN_PASSWORDS.get(endpoint.id, set())
        for name in names - _sent(world, endpoint, world.caller(endpoint)).keys():
            if _columns_written(world, endpoint, {name}) - found:
                by_parameter[endpoint.id, name] = name in _refused(endpoint)
    world.api.admin.post("/3.1/admin/settings", smtp_url="", mail_from="", hash_password=before["hash_password"])
    flags = {endpoint.id: _is_flagged(endpoint) for endpoint in WRITING}
    assert {each for each in always if not flags[each]} == NEW_ACCOUNTS.keys()
    assert [each for each, refused in by_parameter.items() if not refused] == []
    assert (len(WRITING), len(always), len(by_parameter)) == (221, 41, 10)


def test_every_parameter_of_credentials_is_one_of_a_method_and_of_no_list() -> None:
    """Parameters of a method itself alone are looked at, so lists in it have none."""
    inner = [
        f"{endpoint.id} {field.name}"
        for endpoint in WRITING
        for field in fields_of(endpoint.params)
        if field.model is not None
        for model in _models(field.model)
        if any(each.is_credential or each.name in MADE for each in fields_of(model))
    ]
    assert inner == []


def _models(model: type[Params]) -> Iterator[type[Params]]:
    yield model
    for field in fields_of(model):
        if field.model is not None:
            yield from _models(field.model)


def test_key_with_every_scope_is_refused_credentials_and_nothing_else_of_the_method(world: EndpointSetup) -> None:
    """Each flagged method, and each parameter that only sometimes writes a credential."""
    program = _key(world, "read", "write")
    flagged = [endpoint for endpoint in WRITING if endpoint.credentials and endpoint.audience == "staff"]
    for endpoint in flagged:
        answer = program.call(endpoint.method, world.path(endpoint, endpoint.versions[-1], client=world.api.admin))
        assert (endpoint.id, answer.status_code, answer.json()["code"]) == (endpoint.id, 403, "scope.credentials")
    pairs = [(endpoint, name) for endpoint in WRITING for name in sorted(_refused(endpoint))]
    for endpoint, name in pairs:
        params = {key: value for key, value in _sent(world, endpoint, program).items() if key not in _refused(endpoint)}
        version, path = endpoint.versions[-1], world.path(endpoint, endpoint.versions[-1], client=program)
        refused = send(world, program, endpoint, version, params | {name: MADE[name]()}, path)
        assert (refused.status_code, refused.json()["code"]) == (403, "scope.credentials"), (endpoint.id, name)
        assert f"which {name} needs" in refused.json()["error"]
        assert send(world, program, endpoint, version, params, path).status_code == 200, endpoint.id
    assert (len(flagged), len(pairs)) == (34, 13)


def _key(world: EndpointSetup, *scopes: str) -> ApiClient:
    """Return a client of the administrator with a key that has limits."""
    made = world.api.admin.post("/3.1/auth/keys", **{"name": "program", "scopes[]": list(scopes)})["key"]
    return world.api.admin.with_key(made["api_key"])


def test_secrets_in_answers_are_shown_to_keys_that_may_write_alone(world: EndpointSetup) -> None:
    """Every reading method, by the first key of an administrator, and by a key that may only read."""
    api, code = world.api, new_api_key()
    advertiser = api.add_advertiser(hash_password=new_api_key())
    offer = api.add_offer(advertiser=advertiser, hash_password=new_api_key())
    platform = api.admin.get("/3.1/admin/settings")["settings"]["hash_password"]
    api.admin.post("/3.1/admin/settings", hash_password=code)
    shown = api.admin.get(f"/3.1/offer/{offer}")["offer"]
    own = api.admin.get(f"/3.1/admin/advertiser/{advertiser}")["advertiser"]["hash_password"]
    secrets = {"platform": code, "advertiser": own, "offer": shown["hash_password"], "pixel": shown["pixel_code"]}
    ways = {"offer.get": offer, "admin.advertiser.get": advertiser}
    readers = {"first": api.admin, "write": _key(world, "read", "write"), "read": _key(world, "read")}
    readers["another area"] = _key(world, "read", "write", "stats")
    seen: dict[str, set[tuple[str, str]]] = {name: set() for name in readers}
    reads = [
        each for each in CATALOGUE if each.method == "GET" and each.audience in ("any", "staff") and not each.report
    ]
    for endpoint in reads:
        for name, client in readers.items():
            path = world.path(endpoint, endpoint.versions[-1], ways.get(endpoint.id), client)
            text = client.call("GET", path, params={"limit": "500"} | _sent(world, endpoint, client)).text
            seen[name] |= {(endpoint.id, each) for each, secret in secrets.items() if secret in text}
    api.admin.post("/3.1/admin/settings", hash_password=platform)
    assert {each for _, each in seen["first"]} == secrets.keys()
    assert seen["write"] == seen["first"]
    assert (seen["read"], seen["another area"]) == (set(), set())
    assert (len(reads), len(seen["first"])) == (121, 8)
