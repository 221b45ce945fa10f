"""What levels take from a staff user it does not get by another door.

docs/spec/callers.md#levels-of-staff
"""

import re
from collections.abc import Iterator
from typing import Any, Final, get_args, get_type_hints

import msgspec
import pytest

from tests.api.people.test_own_account import tree_param
from tests.support.api import Api
from tests.support.client import ApiClient
from trackyard.actions.people.callers import find_looked
from trackyard.api.catalogue import CATALOGUE
from trackyard.base.errors import RequestError
from trackyard.domain.people.callers import Account, AccountKind, AffiliateCaller, StaffCaller
from trackyard.domain.people.permissions import FEATURES
from trackyard.domain.people.roles import Permission, Role
from trackyard.domain.people.staff_permissions import WITHOUT_EFFECT
from trackyard.wire.http.key_limits import authorize
from trackyard.wire.response.guards import guards_of

P = Permission
DENIED: Final = ("general.billing", "stats.conversions-list", "stats.clicks-list", "stats.slice-sub1")
FIGURES: Final = re.compile(
    r"cr|epc|clicks|conversions|payouts?|charge|earning|amount|sum|views|revenue|(balance|hold|available)(_[a-z]{3})?"
)
"""The names of fields that hold figures."""
OWN_METHODS: Final = {each for each in P if each.startswith("stats.")} | {
    P.BALANCES_READ, P.PAYMENTS_WRITE, P.PAYMENTS_CONFIRM, P.INVOICES_WRITE, P.CONVERSIONS_WRITE,
    P.RULES_WRITE, P.AUDIT_READ, P.SETTINGS_WRITE,
}  # fmt: skip
"""The permissions of methods for figures: other methods carry them inside records."""
TERMS: Final = {
    "OwnOfferView.payouts", "OfferPaymentView.revenue", "PersonalPaymentView.revenue", "SharedPaymentView.revenue",
}  # fmt: skip
"""Fields with such a name that are terms of an offer, not figures."""


def levels(*features: str, level: str = "deny") -> dict[str, Any]:
    return {name: value for feature in features for name, value in tree_param(feature, level).items()}


def manager_of(api: Api, *features: str, role: Role = Role.MANAGER_AFFILIATE) -> tuple[str, ApiClient]:
    """A manager with levels that deny features."""
    number, client = api.add_staff(role)
    api.admin.post(f"/3.1/user/{number}/permissions", **levels(*features))
    return number, client


def figures_in(view: Any, guarded: bool, seen: frozenset[Any] = frozenset()) -> Iterator[tuple[str, bool]]:
    """Yield the fields of an answer that hold figures, each with whether a guard is on its way."""
    if isinstance(view, type) and issubclass(view, msgspec.Struct):
        hints = {} if view in seen else get_type_hints(view)
        for name in view.__struct_fields__ if hints else ():
            is_guarded = guarded or name in getattr(view, "guarded", {})
            if FIGURES.fullmatch(name):
                yield f"{view.__name__}.{name}", is_guarded
            yield from figures_in(hints[name], is_guarded, seen | {view})
    else:
        for inner in get_args(view):
            yield from figures_in(inner, guarded, seen)


def test_every_figure_inside_another_record_has_a_guard() -> None:
    guarded, bare, methods = set[str](), set[str](), set[str]()
    for endpoint in CATALOGUE:
        if endpoint.permission in OWN_METHODS:
            continue
        for answer in (endpoint.answer, endpoint.affiliate_answer or endpoint.answer):
            for name, is_guarded in figures_in(answer, guarded=False):
                (guarded if is_guarded else bare).add(name)
                if is_guarded:
                    methods.add(endpoint.id)
    assert bare == TERMS
    assert {name for name in guarded if not name.startswith("OwnAccountView")} == {
        "AffiliateView.balance", "CurrencyBalance.available", "CurrencyBalance.balance", "CurrencyBalance.hold",
        *(f"{view}.{name}" for name in ("cr", "epc") for view in (
            "AffiliateOfferView", "FullAffiliateOfferView", "ListedOfferView", "OfferView", "OwnOfferView",
            "TicketOfferView",
        )),
    }  # fmt: skip
    assert len(methods) == 17, methods
    assert len(guarded) > 400  # three sums for each currency of the own account


def test_no_method_gives_a_manager_figures_that_its_levels_deny() -> None:
    """Every answer with guarded figures, for a manager with levels that deny everything."""
    seen = {endpoint.id for endpoint in CATALOGUE if guards_of(endpoint.answer)}
    denied = StaffCaller(
        "a" * 24, frozenset({Role.MANAGER_AFFILIATE, Role.MANAGER_SALES}), denied=frozenset(FEATURES),
        withheld=frozenset(P),
    )  # fmt: skip
    guards = {guard for endpoint in CATALOGUE for guard in guards_of(endpoint.answer)}
    assert not any(guard.admits(denied) for guard in guards)
    assert all(guard.admits(StaffCaller("b" * 24, frozenset({Role.ADMIN}))) for guard in guards)
    assert (len(seen), len(guards)) == (21, 7), seen


@pytest.fixture
def earned(api: Api) -> tuple[Api, int]:
    """An affiliate that earned 14.82."""
    pid, _ = api.add_affiliate(status="active")
    api.admin.post("/3.1/admin/corrections", pid=pid, amount="14.82", currency="USD", comment="Bonus")
    assert api.admin.get("/3.1/balance", pid=pid)["balance"]["balance"] == {"USD": 14.82}
    return api, pid


def test_balance_inside_records_follows_the_right_to_read_balances(earned: tuple[Api, int]) -> None:
    api, pid = earned
    manager, client = api.add_staff(Role.MANAGER_AFFILIATE)
    api.admin.post(f"/3.1/admin/partner/{pid}", manager_id=manager)
    api.add_affiliate(status="active", manager_id=manager, ref=pid)

    def records() -> list[Any]:
        return [
            client.get(f"/3.1/admin/partner/{pid}")["partner"],
            client.post(f"/3.1/admin/partner/{pid}", notes="changed")["partner"],
            next(each for each in client.get("/3.1/admin/partners", with_balance=1)["partners"] if each["id"] == pid),
            *client.get(f"/3.1/admin/partner/{pid}/referrals")["referrals"].values(),
        ]

    assert [bool(each["balance"]) for each in records()] == [True] * 4
    assert all(each["api_key"] for each in records()[:3])
    api.admin.post(f"/3.1/user/{manager}/permissions", **levels("general.billing"))
    assert [each["balance"] for each in records()] == [{}] * 4
    assert "14.82" not in str(records())


def test_own_record_of_an_affiliate_without_the_feature_has_no_sums(earned: tuple[Api, int]) -> None:
    api, pid = earned
    key = api.admin.get(f"/3.1/admin/partner/{pid}")["partner"]["api_key"]
    own = api.admin.with_key(key)
    assert own.get("/3.1/partner/me")["user"]["balance_usd"] == "14.82"
    api.admin.post(f"/3.1/user/{pid}/permissions", **levels("general.billing"))
    assert not [name for name in own.get("/3.1/partner/me")["user"] if FIGURES.fullmatch(name) and "_" in name]


def test_look_is_refused_what_either_person_is_refused(shared_api: Api) -> None:
    """Every method that owners of portals call, for managers with a level that denies one thing each."""
    api = shared_api
    kinds = {AccountKind.AFFILIATE: Role.MANAGER_AFFILIATE, AccountKind.ADVERTISER: Role.MANAGER_SALES}
    refused, seen = 0, 0
    for kind, role in kinds.items():
        for feature in [None, *sorted(FEATURES.keys() - WITHOUT_EFFECT - {f"users.entity-{kind.value}"})]:
            manager, client = manager_of(api, *([feature] if feature else []), role=role)
            number = (
                api.add_affiliate(status="active", manager_id=manager)[0]
                if kind is AccountKind.AFFILIATE
                else api.add_advertiser(manager=manager)
            )
            staff = api.caller_of(client)
            assert isinstance(staff, StaffCaller)
            looked = find_looked(api.deps, staff, Account(kind, str(number)))
            assert looked is not None
            for endpoint in CATALOGUE:
                if not endpoint.admits(looked) or endpoint.is_public:
                    continue
                seen += 1
                needs = {*endpoint.features, *endpoint.file_features}
                expected = not staff.may(endpoint.permission) or bool(staff.denied & {*endpoint.features})
                try:
                    authorize(endpoint, looked, "192.0.2.1")
                    got = False
                except RequestError:
                    got = True
                assert got >= expected, (feature, endpoint.id)
                assert staff.denied & needs <= looked.denied, (feature, endpoint.id)
                refused += got
    assert seen > 4000 and refused > 200, (seen, refused)


def test_look_at_an_affiliate_of_another_manager_has_the_scope_of_each_permission(shared_api: Api) -> None:
    """Of two roles one gives the look at everybody, the other statistics of its own affiliates alone."""
    api = shared_api
    number, client = api.add_staff(Role.MANAGER_AFFILIATE, Role.SECTION_PARTNER)
    staff = api.caller_of(client)
    assert isinstance(staff, StaffCaller)
    found = []
    for manager in (number, ""):
        pid, _ = api.add_affiliate(status="active", manager_id=manager)
        looked = find_looked(api.deps, staff, Account(AccountKind.AFFILIATE, str(pid)))
        assert isinstance(looked, AffiliateCaller)
        found.append((P.STATS_CONVERSION in looked.withheld, P.OFFERS_READ in looked.withheld))
    assert found == [(False, False), (True, False)]


def test_manager_with_levels_learns_and_chooses_no_access_of_another_account(shared_api: Api) -> None:
    """Whatever the level: with the access of the affiliate the manager would get it back."""
    api = shared_api
    number, client = api.add_staff(Role.MANAGER_AFFILIATE, Role.MANAGER_SALES)
    pid, _ = api.add_affiliate(status="active", manager_id=number)
    advertiser = api.add_advertiser(manager=number, email=f"{number}@shop.example")

    addresses = iter([f"first-{number}@shop.example", f"second-{number}@shop.example"])

    def doors() -> list[tuple[int, str]]:
        calls = [
            ("POST", f"/3.1/admin/partner/password/{pid}", {}),
            ("POST", f"/3.1/admin/partner/{pid}", {"password": "chosen-by-staff"}),
            ("POST", f"/3.1/admin/advertiser/{advertiser}", {"email": next(addresses)}),
        ]
        answers = [client.call(method, path, data=sent) for method, path, sent in calls]
        return [(answer.status_code, answer.json().get("code", "")) for answer in answers]

    def keys() -> list[str | None]:
        listed = client.get("/3.1/admin/partners", **{"id[]": pid})["partners"]
        return [client.get(f"/3.1/admin/partner/{pid}")["partner"]["api_key"], *(each["api_key"] for each in listed)]

    assert doors() == [(200, "")] * 3
    assert all(keys())
    api.admin.post(f"/3.1/user/{number}/permissions", **levels("stats.slice-city"))
    assert doors() == [(403, "levels")] * 3
    assert set(keys()) == {None}
    same = {"email": f"first-{number}@shop.example", "note": "changed"}
    assert client.call("POST", f"/3.1/admin/advertiser/{advertiser}", data=same).status_code == 200
    assert client.call("POST", f"/3.1/admin/advertiser/{advertiser}/sendpass").status_code == 200
