"""Every declared method under the same wrong requests: no 500, and nothing is written.

The errors are those of docs/spec/api-conventions.md#errors.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any
from urllib.parse import quote

import pytest

from tests.contract.declared import declared_params, required_names, takes_any_text
from tests.contract.requests import (
    accounts,
    advertisers,
    affiliates,
    companies,
    comparisons,
    messages,
    money,
    offers,
    people,
    postbacks,
    rules,
    staff,
    threads,
)
from tests.support.api import Api
from tests.support.client import FORBIDDEN_TO_AFFILIATES, ApiClient
from tests.support.models.events import new_click
from tests.support.models.history import add_conversion, load_clicks
from trackyard.api.catalogue import CATALOGUE
from trackyard.api.statistics.rows import StatsAnswer
from trackyard.domain.people.roles import COMMON_PERMISSIONS
from trackyard.store.tracking import rulesets
from trackyard.wire.endpoint import Endpoint
from trackyard.wire.openapi.document import document


def each_endpoint(chosen: Callable[[Endpoint[Any]], bool] = lambda _: True) -> pytest.MarkDecorator:
    """Return the mark of a test of each endpoint that is chosen."""
    endpoints = [endpoint for endpoint in CATALOGUE if chosen(endpoint)]
    return pytest.mark.parametrize("endpoint", endpoints, ids=[endpoint.id for endpoint in endpoints])


def each_version(chosen: Callable[[str, Endpoint[Any]], bool] = lambda *_: True) -> pytest.MarkDecorator:
    """Return the mark of a test of each endpoint in each of its versions that is chosen."""
    each = [(version, endpoint) for endpoint in CATALOGUE for version in endpoint.versions if chosen(version, endpoint)]
    return pytest.mark.parametrize(
        ("version", "endpoint"), each, ids=[f"{version}-{endpoint.id}" for version, endpoint in each]
    )


every_endpoint = each_endpoint()
some_endpoints = pytest.mark.parametrize(
    "endpoint",
    [
        pytest.param(endpoint, id=endpoint.id, marks=() if number % 3 == 0 else pytest.mark.long)
        for number, endpoint in enumerate(CATALOGUE)
    ],
)
"""A third of the endpoints, for what one piece of code does for all of them; the long run has the others."""
every_version_of_every_endpoint = each_version()


@lru_cache(maxsize=1)
def whole_document() -> dict[str, Any]:
    """Return the document, which is made by the first test that reads it."""
    return document(CATALOGUE, version="1")


@lru_cache(maxsize=1)
def _registry() -> Any:
    """Return the document for references to its parts, which it finds once and not for each answer."""
    from referencing import Registry
    from referencing.jsonschema import DRAFT202012

    return Registry().with_resource("urn:document", DRAFT202012.create_resource(whole_document()))


def documented_schema(*place: str) -> Any:
    """Return the validator of the schema at a place in the document."""
    from jsonschema import Draft202012Validator

    pointer = "".join("/" + name.replace("~", "~0").replace("/", "~1") for name in place)
    return Draft202012Validator({"$ref": f"urn:document#{quote(pointer)}"}, registry=_registry())


@dataclass(frozen=True)
class EndpointSetup:
    """Callers, and parameters with which each method succeeds.

    subjects: makes the subject of the path for every request, so that a removal finds it.
    own_subjects: the same for subjects that belong to the caller.
    own_params: parameters that differ by caller, made for every request.
    """

    api: Api
    advertiser: str
    affiliate: ApiClient
    stranger: ApiClient
    no_permission: ApiClient
    good: dict[str, dict[str, Any]]
    subjects: dict[str, Callable[[], Any]]
    own_subjects: dict[str, Callable[[ApiClient], Any]]
    own_params: dict[str, Callable[[ApiClient], dict[str, Any]]]

    def caller(self, endpoint: Endpoint[Any]) -> ApiClient:
        """Return a permitted caller: the administrator, a new affiliate, or an advertiser with a new key."""
        if endpoint.audience == "advertiser":
            return self.api.advertiser_client(self.advertiser)
        return self.api.add_affiliate()[1] if endpoint.audience == "affiliate" else self.api.admin

    def path(self, endpoint: Endpoint[Any], version: str, subject: Any = None, client: ApiClient | None = None) -> str:
        """Return the path of a call, under another version when the method has no such version.

        subject: an id to use instead of a valid one.
        client: the caller; None = the administrator.
        """
        version = version if version in endpoint.versions else endpoint.versions[0]
        if not endpoint.variables:
            return f"/{version}{endpoint.path}"
        if subject is not None:
            named = subject
        elif endpoint.id in self.own_subjects:
            named = self.own_subjects[endpoint.id](client if client and client.key else self.api.admin)
        else:
            named = self.subjects[endpoint.id]()
        path = f"/{version}{endpoint.path}".replace("{creative_id}", offers.HTML_KEY)
        return path.replace("{" + endpoint.variables[0] + "}", str(named))


def make_endpoint_setup(api: Api) -> EndpointSetup:
    """Return the callers and the parameters, on a new installation."""
    api.add_offer()  # number 1, which a strange value may name and remove
    day_cap = {"period": "day", "type": "conversions", "value": "50", "affiliate_type": "each"}
    advertiser, offer = api.add_advertiser(), api.add_offer(**{f"caps[0][{name}]": day_cap[name] for name in day_cap})
    pid, affiliate = api.add_affiliate()
    load_clicks(api.deps, [new_click(1, offer=offer, affiliate=pid, advertiser=advertiser)])
    add_conversion(api.deps, 1, offer_id=offer, affiliate_id=pid, advertiser_id=advertiser)
    good = offers.good_params(api, advertiser, offer, pid)
    good |= (
        people.good_params(offer, pid) | staff.good_params(api) | advertisers.good_params(api, advertiser, offer, pid)
    )
    good |= comparisons.good_params() | postbacks.good_params(offer, pid) | rules.good_params(offer, pid)
    _, no_permission = api.add_staff()

    subjects: dict[str, Callable[[], Any]] = {
        **dict.fromkeys(("offer.get", "partner.offer.click-check"), lambda: offer),
        "admin.offer.edit": lambda: offer,
        "admin.offer.estimate.conversions": lambda: offer,
        "admin.offer.estimate.clicks": lambda: offer,
        "admin.offer.click-check": lambda: offer,
        "admin.offer.remove-creative": lambda: api.add_offer(creativeUrls="https://a.example/a.png"),
        "oses.versions": lambda: "android",
        "stats.conversion.history": lambda: f"{1:024x}",
        "admin.click.explain": lambda: new_click(1).id,
        "stats.health.offer": lambda: offer,
        "advertiser.offer.get": lambda: offer,
        "stats.health.advertiser": lambda: advertiser,
        "stats.health.affiliate": lambda: pid,
        **comparisons.path_subjects(advertiser, pid),
    }
    subjects |= people.path_subjects(api, pid) | staff.path_subjects(api) | advertisers.path_subjects(api, advertiser)
    subjects |= postbacks.path_subjects(api, offer, pid) | rules.path_subjects(api, offer, pid)
    good |= (
        messages.good_params()
        | threads.good_params(pid)
        | companies.good_params(pid)
        | affiliates.good_params(api, pid)
        | money.good_params(pid)
        | money.made_params(api)
    )
    api.admin.post("/3.1/user/permissions", **{"permissions[stats][conversions-import][level]": "write"})
    public = api.add_offer(privacy="public")
    good["affiliate.conversion.import"], good["affiliate.conversions.import"] = (
        {"offer": public},
        {"list[0][offer]": public},
    )
    subjects |= affiliates.path_subjects(api, pid) | money.path_subjects(api) | offers.path_subjects(api, offer, pid)
    subjects_of_caller = (
        companies.own_subjects(api, pid)
        | accounts.own_subjects(api)
        | money.own_subjects(api)
        | comparisons.own_subjects(api)
        | messages.own_subjects(api)
        | threads.own_subjects(api)
        | advertisers.own_subjects(api)
    )
    own = subjects_of_caller, companies.own_params(api) | accounts.own_params(api) | money.own_params(api)
    owner = api.admin.get(f"/3.0/offer/{offer}")["offer"]["advertiser"]
    return EndpointSetup(api, owner, affiliate, api.admin.with_key(None), no_permission, good, subjects, *own)


_numbers = iter(range(10**9))


def send(
    world: EndpointSetup, client: ApiClient, endpoint: Endpoint[Any], version: str, params: Any, path: str | None = None
) -> Any:
    sent = {name: as_sent(value) for name, value in params.items()}
    if path is None and client.key is not None and endpoint.id in world.own_params:
        sent |= world.own_params[endpoint.id](client)
    place = "data" if endpoint.method == "POST" else "params"
    return client.call(endpoint.method, path or world.path(endpoint, version, client=client), **{place: sent})


def as_sent(value: Any) -> Any:
    """Return the sent parameters. {n} is a number and a function makes the value, for every request."""
    if isinstance(value, list):
        return [as_sent(item) for item in value]
    if callable(value):
        return value()
    return value.replace("{n}", str(next(_numbers))) if isinstance(value, str) else value


def state(world: EndpointSetup) -> int:
    with world.api.deps.database.read() as conn:
        return rulesets.ruleset_version(conn)


@every_version_of_every_endpoint
def test_every_endpoint_succeeds_and_ignores_unknown_parameters(
    world: EndpointSetup, endpoint: Endpoint[Any], version: str
) -> None:
    response = send(world, world.caller(endpoint), endpoint, version, world.good.get(endpoint.id, {}))
    assert response.status_code == 200
    place = ("paths", f"/{version}{endpoint.path}", endpoint.method.lower(), "responses", "200", "content")
    documented_schema(*place, "application/json", "schema").validate(response.json())
    if version != endpoint.versions[-1]:
        return  # one parser reads the parameters of all versions
    typos = world.good.get(endpoint.id, {}) | {"typo": "1", "filter[typo]": "1"}
    again = send(world, world.caller(endpoint), endpoint, version, typos)
    assert again.status_code == 200
    assert "typo" in again.headers["x-ignored-parameters"]


@each_endpoint(lambda endpoint: endpoint.file_export is not None)
def test_every_export_endpoint_answers_csv_and_rejects_other_formats(
    world: EndpointSetup, endpoint: Endpoint[Any]
) -> None:
    client, params = world.caller(endpoint), world.good.get(endpoint.id, {}) | {"format": "csv", "typo": "1"}
    response = send(world, client, endpoint, "3.1", params)
    assert (response.status_code, response.headers["content-type"]) == (200, "text/csv; charset=utf-8")
    assert response.headers["content-disposition"].startswith("attachment; filename=")
    assert "typo" in response.headers["x-ignored-parameters"]
    operation = whole_document()["paths"][f"/3.1{endpoint.path}"]["get"]
    assert "text/csv" in operation["responses"]["200"]["content"]
    assert send(world, world.stranger, endpoint, "3.1", params).status_code == 401
    refused = send(world, client, endpoint, "3.1", params | {"format": "xls"})
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["format"])


@every_endpoint
def test_every_endpoint_checks_caller(world: EndpointSetup, endpoint: Endpoint[Any]) -> None:
    params = world.good.get(endpoint.id, {})
    if endpoint.audience == "anyone":
        assert send(world, world.stranger, endpoint, "3.0", params).status_code == 200
        return
    assert send(world, world.stranger, endpoint, "3.0", params).status_code == 401
    refused = send(world, world.no_permission, endpoint, "3.0", params)
    is_of_others = endpoint.audience in ("affiliate", "advertiser")
    needed = "auth_denied" if is_of_others else endpoint.permission
    if endpoint.permission in COMMON_PERMISSIONS and not is_of_others:
        assert refused.status_code == 200
    else:
        assert (refused.status_code, refused.json()["code"]) == (403, needed)
    affiliate = world.caller(endpoint) if endpoint.audience == "affiliate" else world.affiliate
    by_affiliate = send(world, affiliate, endpoint, "3.0", params)
    if endpoint.audience in ("staff", "advertiser"):
        assert (by_affiliate.status_code, by_affiliate.json()["code"]) == (403, "auth_denied")
    elif endpoint.id == "stats.getbytrafficback":
        assert by_affiliate.status_code == 403
    else:
        assert by_affiliate.status_code == 200


@each_endpoint(lambda endpoint: bool(endpoint.variables))
def test_every_endpoint_with_unknown_id_is_404(world: EndpointSetup, endpoint: Endpoint[Any]) -> None:
    good, client = world.good.get(endpoint.id, {}), world.caller(endpoint)
    before = state(world)
    place = "data" if endpoint.method == "POST" else "params"
    for subject in ("999999999", "ffffffffffffffffffffffff", "0", "-1", "9" * 30, "x", "%00", "%C3%BC", "1.0"):
        for params in (good, {}):
            path = world.path(endpoint, "3.1", subject)
            response = client.call(endpoint.method, path, **{place: params})
            assert (subject, response.status_code) == (subject, 404)
    assert state(world) == before


@each_endpoint(lambda endpoint: endpoint.audience not in ("staff", "advertiser"))
def test_every_affiliate_endpoint_hides_charges(world: EndpointSetup, endpoint: Endpoint[Any]) -> None:
    affiliate = world.caller(endpoint) if endpoint.audience == "affiliate" else world.affiliate
    body = send(world, affiliate, endpoint, endpoint.versions[-1], world.good.get(endpoint.id, {})).json()
    if endpoint.answer is StatsAnswer and endpoint.id != "stats.getbytrafficback":  # which affiliates are denied
        for row in body["stats"]:
            assert all(action["charge"] == action["earning"] == 0 for action in row["actions"].values())
            assert all(action["revenue"] == action["payouts"] for action in row["actions"].values())
            assert not {"cost", "profit", "roi"}.intersection(row)
        return
    public = _PUBLIC.get(endpoint.id, set())
    assert not FORBIDDEN_TO_AFFILIATES.intersection(_names(body)) - public


_PUBLIC = {
    "product-feed.items.list": {"price"},  # what a shop asks for its product
    "stats.affiliatepostbacks": {"revenue"},  # the affiliate's payout (docs/spec/types.md#conversions-clicks-and-logs)
}


def _names(value: Any) -> Iterator[str]:
    """Yield the names in a body that have a value."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if inner is not None:
                yield name
            # The `revenue` of a payment is what the affiliate earns (docs/spec/conversions.md#payments).
            yield from (found for found in _names(inner) if (name, found) != ("payments", "revenue"))
    elif isinstance(value, list):
        for inner in value:
            yield from _names(inner)


@each_version(lambda version, endpoint: bool(required_names(endpoint.id, version)))
def test_every_endpoint_names_missing_required_parameters(
    world: EndpointSetup, endpoint: Endpoint[Any], version: str
) -> None:
    needed = required_names(endpoint.id, version)
    client = world.caller(endpoint)
    path = world.path(endpoint, version, client=client)
    before = state(world)
    response = send(world, client, endpoint, version, {}, path)
    named = set(response.json()["fields"])
    assert response.status_code == 400
    assert {name.partition("[")[0] for name in named} == needed
    assert state(world) == before


def _wrong(name: str, param: Any) -> Iterator[tuple[str, str]]:
    sent = name.replace("[*]", "[0]")
    if param.values:
        yield sent, "no-such-value"
    if param.minimum is not None:
        yield sent, str(param.minimum - 1)
        yield sent, str(param.maximum + 1)
    if param.type in (
        "int",
        "int-list",
        "float",
        "flag",
        "truefalse",
        "date",
        "datetime",
        "hour",
        "zone",
        "email",
        "url",
    ):
        yield sent, "no such value"
    if param.type == "duration":
        yield sent, "1x"


@every_endpoint
def test_every_endpoint_names_parameter_with_wrong_value(world: EndpointSetup, endpoint: Endpoint[Any]) -> None:
    for name, param in declared_params(endpoint.id).items():
        for sent, value in () if takes_any_text(endpoint.id, name) else _wrong(name, param):
            response = send(
                world, world.caller(endpoint), endpoint, "3.0", {**world.good.get(endpoint.id, {}), sent: value}
            )
            assert (sent, value, response.status_code) == (sent, value, 400)
            assert any(named.startswith(sent) or sent.startswith(named) for named in response.json()["fields"]), sent


@each_endpoint(lambda endpoint: "page" in declared_params(endpoint.id))
def test_every_list_endpoint_validates_page_and_limit(world: EndpointSetup, endpoint: Endpoint[Any]) -> None:
    good = world.good.get(endpoint.id, {})
    zeroth = send(world, world.caller(endpoint), endpoint, "3.1", {**good, "page": "0"}).json()
    assert (zeroth.get("pagination") or zeroth["data"])["page"] == 1
    for name, value in (("page", "-1"), ("limit", "0"), ("limit", "-1"), ("limit", "x")):
        response = send(world, world.caller(endpoint), endpoint, "3.1", {**good, name: value})
        assert (response.status_code, list(response.json()["fields"])) == (400, [name])
    clamped = send(world, world.caller(endpoint), endpoint, "3.1", {**good, "limit": "1000000"}).json()
    place = clamped.get("pagination") or clamped["data"]
    assert place["per_page"] == endpoint.page_max


URLENCODED = {"Content-Type": "application/x-www-form-urlencoded"}
AS_JSON = {"Content-Type": "application/json"}
BAD_BODIES: list[tuple[str, dict[str, str], bytes]] = [
    ("NUL in a value", URLENCODED, b"title=%00"),
    ("NUL in a name", URLENCODED, b"a%00b=1"),
    ("invalid UTF-8", URLENCODED, b"title=%ff"),
    ("raw invalid UTF-8", URLENCODED, b"title=\xff"),
    ("deep brackets", URLENCODED, b"a" + b"[b]" * 100 + b"=1"),
    ("too many", URLENCODED, b"&".join(b"a%d=" % n for n in range(6000))),
    ("a JSON array", AS_JSON, b"[1]"),
    ("a JSON text", AS_JSON, b'"a"'),
    ("a JSON number", AS_JSON, b"1"),
    ("JSON null", AS_JSON, b"null"),
    ("broken JSON", AS_JSON, b"{"),
    ("deep JSON", AS_JSON, b'{"a":' + b"[" * 20000),
    ("NUL in JSON", AS_JSON, b'{"title": "\\u0000"}'),
    ("half a surrogate", AS_JSON, b'{"title": "\\ud800"}'),
    ("another type", {"Content-Type": "text/xml"}, b"<a/>"),
    ("a multipart body without end", {"Content-Type": "multipart/form-data; boundary=x"}, b"--x\r\n"),
]


def send_malformed(
    world: EndpointSetup, endpoint: Endpoint[Any], bodies: list[tuple[str, dict[str, str], bytes]]
) -> None:
    """Send malformed bodies, each of which is an error and changes nothing."""
    client = world.caller(endpoint)
    path = world.path(endpoint, "3.1", client=client)
    before = state(world)
    for what, headers, body in bodies:
        if len(body) > endpoint.body_max:  # of a method for anyone, which also accepts fewer parameters
            body = body[: endpoint.body_max - 1]
        response = client.call(endpoint.method, path, headers=headers, content=body)
        assert (what, response.status_code) == (what, 400)
        assert all(line.startswith("[") for line in response.json()["error"].split("\n")), response.text
    assert state(world) == before


@some_endpoints
def test_every_endpoint_rejects_malformed_body(world: EndpointSetup, endpoint: Endpoint[Any]) -> None:
    """A quarter of the malformed bodies, the next endpoint the next quarter: one parser reads them all."""
    send_malformed(world, endpoint, BAD_BODIES[CATALOGUE.index(endpoint) // 3 % 4 :: 4])


@pytest.mark.long
@every_endpoint
def test_every_endpoint_rejects_every_malformed_body(world: EndpointSetup, endpoint: Endpoint[Any]) -> None:
    send_malformed(world, endpoint, BAD_BODIES)


def send_shapes(world: EndpointSetup, endpoint: Endpoint[Any], chosen: Callable[[int], bool]) -> None:
    """Send parameters in shapes that no endpoint declares.

    chosen: whether a pair of both is sent, by its number.
    """
    long = "x" * min(30_000, endpoint.body_max // 2)
    values = ({"a": {"b": "c"}}, [[["x"]]], [{}], {"0": {"0": {"0": "x"}}}, True, 10**30, long)
    client, path = world.caller(endpoint), ""
    pairs = product(dict.fromkeys(name.partition("[")[0] for name in declared_params(endpoint.id)), values)
    for top, value in (pair for number, pair in enumerate(pairs) if chosen(number)):
        path = path or world.path(endpoint, "3.1", client=client)
        body = json.dumps({top: value}).encode()
        response = client.call(endpoint.method, path, headers=AS_JSON, content=body)
        assert response.status_code in (200, 400, 409), (top, value, response.text)
        if response.status_code == 200 and endpoint.method != "GET":  # it may have removed the subject, or the key
            client, path = world.caller(endpoint), ""


@some_endpoints
def test_every_endpoint_rejects_or_ignores_unexpected_shapes(world: EndpointSetup, endpoint: Endpoint[Any]) -> None:
    """Each parameter in one of seven shapes, the next parameter in the next shape."""
    send_shapes(world, endpoint, lambda number: number % 7 == number // 7 % 7)


@pytest.mark.long
@every_endpoint
def test_every_endpoint_rejects_or_ignores_every_unexpected_shape(
    world: EndpointSetup, endpoint: Endpoint[Any]
) -> None:
    send_shapes(world, endpoint, lambda number: True)


@some_endpoints
def test_every_endpoint_rejects_too_large_body(world: EndpointSetup, endpoint: Endpoint[Any]) -> None:
    body = b"a=" + b"x" * endpoint.body_max
    client = world.caller(endpoint)
    path = world.path(endpoint, "3.1", client=client)
    response = client.call(endpoint.method, path, headers=URLENCODED, content=body)
    assert response.status_code == 413


@some_endpoints
def test_every_endpoint_rejects_other_http_methods(world: EndpointSetup, endpoint: Endpoint[Any]) -> None:
    response = world.caller(endpoint).call("PUT", f"/3.0{endpoint.path}")
    assert response.status_code == 405
    assert endpoint.method in response.headers["allow"]
    assert world.caller(endpoint).call("OPTIONS", f"/3.0{endpoint.path}").status_code == 200


@some_endpoints
def test_every_endpoint_accepts_repeated_parameters(world: EndpointSetup, endpoint: Endpoint[Any]) -> None:
    good = world.good.get(endpoint.id, {})
    pairs = {
        name: value if callable(value) or isinstance(value, list) or "{n}" in str(value) else [value, value]
        for name, value in good.items()
    }
    assert send(world, world.caller(endpoint), endpoint, "3.0", pairs).status_code == 200
