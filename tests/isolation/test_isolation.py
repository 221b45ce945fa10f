"""No caller learns of the things of others, by any method of the API.

docs/spec/callers.md#roles-of-staff.
Every method is called with own things, then with those of another side and with missing ones: both must leave the same
answer and run the same statements, and no text, number or amount of the other side may appear anywhere.
"""

import difflib
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.isolation.callers import KINDS, OUTSIDERS, ROLES, CallerKind, foreign_kinds
from tests.isolation.evidence import Evidence, is_row_of, leaks, rows_of
from tests.isolation.references import OF_NETWORK, OF_PATH, missing_like, references_of, unknown_parameters
from tests.isolation.sides import Side, add_money, add_tools, add_traffic
from tests.isolation.world import World, make_world, may_call
from tests.support.api import installed
from tests.support.stores.analytics import empty_store
from tests.support.stores.shared_statements import open_database
from trackyard.api.catalogue import CATALOGUE
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import Endpoint
from trackyard.wire.openapi.document import each_parameter


def methods_of_every_kind(chosen: Callable[[CallerKind, Endpoint[Any]], bool]) -> pytest.MarkDecorator:
    """Return the mark of a test of each caller with each method that is chosen."""
    each = [(kind, endpoint) for kind in KINDS for endpoint in CATALOGUE if chosen(kind, endpoint)]
    return pytest.mark.parametrize(
        ("kind", "endpoint"), each, ids=[f"{kind.name}-{endpoint.id}" for kind, endpoint in each]
    )


every_permitted_method = methods_of_every_kind(may_call)
every_refused_method = methods_of_every_kind(
    # tests/api/people/test_advertiser_callers.py has those of advertisers
    lambda kind, endpoint: kind.name != "advertiser" and not may_call(kind, endpoint)
)
_WRITE = re.compile(r"\s*(?:INSERT|UPDATE|DELETE)\b")
FEW = 2
"""Slices that an ordinary run tries; the others are tried by the long run."""
SOME = 20
"""Refused methods of a caller that an ordinary run tries."""


@pytest.fixture(scope="module")
def world(
    request: pytest.FixtureRequest, migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    """The sides, with random data: `-p randomly_seed=…` repeats a run."""
    path = tmp_path_factory.mktemp("isolation") / "trackyard.db"
    shutil.copy(migrated_sqlite, path)
    database = open_database(f"sqlite:///{path}")
    with empty_store() as analytics, pytest.MonkeyPatch.context() as patch:
        patch.setattr("trackyard.actions.people.sign_up.sign_ups.SIGN_UPS_PER_NETWORK", 10**6)
        yield make_world(installed(database, analytics), Random(request.config.getoption("randomly_seed")))
    database.close()


def value_of(side: Side, kind: str, name: str) -> Any:
    """The thing of a side that a parameter names."""
    if kind == "sub":
        number = re.sub(r"\D", "", name)
        return f"{side.tags['traffic']}-sub{number}"
    thing, _, form = kind.partition(" ")
    if form in ("tag", "text"):
        return side.tags[thing]
    if kind == "offer hash":
        return side.one("offer_hash")
    return side.one(kind)


def check_unseen(world: World, kind: CallerKind, endpoint: Endpoint[Any], left: Evidence) -> None:
    """Fail when a call left what its caller must not see, with the place.

    Managers read all offers, which name advertisers, and affiliates with terms of their own, by number.
    """
    text = left.everything()
    with_numbers = kind.name in OUTSIDERS or endpoint.permission is not Permission.OFFERS_READ
    found = leaks(text, world.other, kind.unseen, with_numbers=with_numbers)
    found += leaks(text, world.side(kind), kind.unseen_own)
    if kind.name == "advertiser":
        found += [str(each) for each in world.side(kind).amounts["payout"] if str(each) in text]
    places = [text[max(0, text.index(mark) - 60) : text.index(mark) + 60] for mark in found[:3]]
    assert not found, f"{found}: {places}"


@pytest.mark.parametrize("endpoint", CATALOGUE, ids=lambda endpoint: endpoint.id)
def test_isolation_knows_what_each_parameter_names(endpoint: Endpoint[Any]) -> None:
    assert not unknown_parameters(endpoint), (
        "say in tests/isolation/references.py what these name, or that they name nothing"
    )
    assert not endpoint.variables or endpoint.id in OF_PATH or endpoint.id in OF_NETWORK


@every_permitted_method
def test_isolation_own_things_show_nothing_of_others(world: World, kind: CallerKind, endpoint: Endpoint[Any]) -> None:
    found = world.call(kind, endpoint)
    assert found.status == 200, found.text
    check_unseen(world, kind, endpoint, found)
    for form in ("csv", "parquet") if endpoint.file_export else ():
        file = world.call(kind, endpoint, form=form)
        assert file.status == 200
        check_unseen(world, kind, endpoint, file)


def difference(foreign: Evidence, missing: Evidence) -> str:
    """How two calls differ, for the failure of a test."""
    lines = [[f"{each.status} {each.text}", *each.statements] for each in (foreign, missing)]
    return "\n".join(difflib.unified_diff(*lines, "foreign", "missing", n=0, lineterm=""))


def check_rows(world: World, name: str, sent: str) -> None:
    """Fail when a call has changed a row of the other side or made one. sent: the thing that it named."""
    after = rows_of(world.api.deps.database, world.other)
    assert world.rows <= after, f"{name}: {sorted(world.rows - after)}"
    # what a key was read of is judged by check_unseen, and sales managers read the keys of all affiliates
    rows = {row for row in after - world.rows if not (row.startswith("security_log") and "'keys_read'" in row)}
    made = [row for row in rows if is_row_of(world.other, row.replace(sent, ""))]
    assert not made, f"{name}: {sorted(made)}"
    world.rows = after


def check_as_missing(world: World, kind: CallerKind, endpoint: Endpoint[Any], name: str, thing: str) -> None:
    """Calls with a thing of the other side and with a missing one; name: of the parameter, "" = the path."""
    foreign = value_of(world.other, thing, name)
    missing = missing_like(foreign, world.random)
    sent = {"subject": missing} if not name else {name.replace("[*]", "[0]"): missing}
    of_missing = world.call(kind, endpoint, **sent)
    sent = {"subject": foreign} if not name else {name.replace("[*]", "[0]"): foreign}
    of_foreign = world.call(kind, endpoint, **sent)
    assert of_foreign.answer(foreign) == of_missing.answer(missing), difference(of_foreign, of_missing)
    assert of_foreign.statements == of_missing.statements, difference(of_foreign, of_missing)
    check_unseen(world, kind, endpoint, of_foreign)
    if any(_WRITE.match(statement) for statement in (*of_foreign.statements, *of_missing.statements)):
        check_rows(world, name, str(foreign))


@every_permitted_method
def test_isolation_others_things_are_as_missing(world: World, kind: CallerKind, endpoint: Endpoint[Any]) -> None:
    wanted = foreign_kinds(kind, endpoint.permission)
    if OF_PATH.get(endpoint.id) in wanted:
        check_as_missing(world, kind, endpoint, "", OF_PATH[endpoint.id])
    named = [(name, thing) for name, thing in references_of(endpoint).items() if thing in wanted]
    for name, thing in world.random.sample(named, min(len(named), 1)):  # the long run has every one
        check_as_missing(world, kind, endpoint, name, thing)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.name != "advertiser"], ids=lambda kind: kind.name)
def test_isolation_refused_methods_show_nothing_of_others(world: World, kind: CallerKind) -> None:
    """Some of them: each is refused before it looks for a thing, and the long run has all."""
    refused = [endpoint for endpoint in CATALOGUE if not may_call(kind, endpoint)]
    for endpoint in world.random.sample(refused, SOME):
        check_refused(world, kind, endpoint)


def check_refused(world: World, kind: CallerKind, endpoint: Endpoint[Any]) -> None:
    """Call a method that the caller may not call with own things, and with one of the other side."""
    found = world.call(kind, endpoint)
    assert found.status == 403, f"{endpoint.id}: {found.text}"
    check_unseen(world, kind, endpoint, found)
    wanted = foreign_kinds(kind, endpoint.permission)
    if OF_PATH.get(endpoint.id) in wanted:
        check_as_missing(world, kind, endpoint, "", OF_PATH[endpoint.id])


@pytest.mark.long
@every_refused_method
def test_isolation_every_refused_method_shows_nothing_of_others(
    world: World, kind: CallerKind, endpoint: Endpoint[Any]
) -> None:
    check_refused(world, kind, endpoint)


@pytest.mark.long
@methods_of_every_kind(lambda kind, endpoint: kind.name != "advertiser" or may_call(kind, endpoint))
def test_isolation_every_reference_to_others_is_as_missing(
    world: World, kind: CallerKind, endpoint: Endpoint[Any]
) -> None:
    wanted = foreign_kinds(kind, endpoint.permission)
    for name, thing in references_of(endpoint).items():
        if thing in wanted:
            check_as_missing(world, kind, endpoint, name, thing)


READS = [endpoint for endpoint in CATALOGUE if endpoint.method == "GET"]


def reads_of(world: World, kind: CallerKind, subjects: dict[str, Any], slices: list[str]) -> dict[str, str]:
    """Every answer that a caller can read: lists, reports by these slices, and files.

    Offers are left out for managers, because they read all of them.
    """
    found = {}
    for endpoint in READS:
        if not may_call(kind, endpoint) or (kind.name in ROLES and endpoint.permission is Permission.OFFERS_READ):
            continue
        more = [{"slice[]": name} for name in slices] if endpoint.id == "stats.custom" else [{}]
        for number, params in enumerate(more):
            for form in ("json", "csv", "parquet") if endpoint.file_export and not number else ("json",):
                answer = world.call(kind, endpoint, form=form, subject=subjects.get(endpoint.id), **params)
                assert answer.status == 200, f"{endpoint.id} {form} {params}: {answer.text}"
                found[f"{endpoint.id} {form} {params}"] = answer.text
    return found


def all_slices() -> list[str]:
    """The slices that every caller may ask for."""
    [custom] = [endpoint for endpoint in CATALOGUE if endpoint.id == "stats.custom"]
    [field] = [field for name, field in each_parameter(custom.params) if name == "slice"]
    return sorted(field.scalar.values)


def check_unchanged(world: World, kind: CallerKind, slices: list[str]) -> None:
    """Read everything, give the other side more, and read it again: nothing may differ."""
    subjects = {
        endpoint.id: world.subject(kind, endpoint)
        for endpoint in READS
        if endpoint.variables and may_call(kind, endpoint)
    }
    before = reads_of(world, kind, subjects, slices)
    grow(world)
    after = reads_of(world, kind, subjects, slices)
    changed = [f"{name}: {before[name]} became {after[name]}" for name in before if before[name] != after[name]]
    assert not changed, "\n".join(changed)


OF_BOTH_SIDES = [kind for kind in KINDS if kind.name in OUTSIDERS or kind.joint]


@pytest.mark.parametrize("kind", OF_BOTH_SIDES, ids=lambda kind: kind.name)
def test_isolation_reads_do_not_change_with_others_data(world: World, kind: CallerKind) -> None:
    check_unchanged(world, kind, world.random.sample(all_slices(), FEW))


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_isolation_reads_by_every_slice_do_not_change_with_others_data(world: World, kind: CallerKind) -> None:
    check_unchanged(world, kind, all_slices())


def grow(world: World) -> None:
    """Give the other side more of everything, and other texts."""
    side, admin = world.other, world.api.admin
    pid, advertiser, offer = side.one("affiliate"), side.one("advertiser"), side.one("offer")
    add_traffic(side, world.random, [offer, world.shared], [advertiser, world.shared_advertiser])
    more = f" {world.random.random()}"
    text = side.text("affiliate") + more
    assert admin.post(f"/3.0/admin/partner/{pid}", name=text, notes=text)["status"] == 1
    assert admin.post(f"/3.0/admin/advertiser/{advertiser}", title=side.text("advertiser") + more)["status"] == 1
    assert admin.post(f"/3.0/admin/offer/{offer}", title=side.text("offer") + more)["status"] == 1
    add_tools(side)
    add_money(side, world.random)
    world.rows = rows_of(world.api.deps.database, side)
