"""Staff users, sign-in, currencies and the audit log on each SQL engine."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.support.api import Api, installed
from trackyard.actions.people.credentials import TRIES_PER_ACCOUNT
from trackyard.actions.people.sign_in.by_password import sign_in
from trackyard.analytics.engine.connection import Analytics
from trackyard.base.errors import TooManyRequests, WrongCredentials
from trackyard.base.strangers import PLACES
from trackyard.store.engine.database import Database


def test_staff_sign_in_currency_and_audit_flow_works_on_each_engine(database: Database, analytics: Analytics) -> None:
    api = installed(database, analytics)
    named = {"email": "mia@staff.example", "password": "sesame", "first_name": "Mia", "last_name": "Moe"}
    user = api.admin.post("/3.0/admin/user", **named, **{"roles[]": "ROLE_SECTION_PAYMENT"})["user"]
    assert api.admin.call("POST", "/3.0/admin/user", data=named).status_code == 409
    session = api.admin.post("/3.1/auth", email="mia@staff.example", password="sesame")
    mia = api.admin.with_key(session["api_key"])
    assert (
        mia.post("/3.1/admin/currencies", code="EUR", rate="0.9", min_payment="5.5")["currency"]["min_payment"] == 5.5
    )
    api.clock.advance(1000)
    assert mia.post("/3.1/admin/currencies/978", rate="0.95")["currency"]["rate"] == 0.95
    assert mia.get("/3.0/admin/currency")["quotes"] == {"EUR": 0.95, "USD": 1}
    api.clock.advance(1000)
    assert mia.post("/3.1/admin/currencies/978/remove")["status"] == 1
    records = api.admin.get("/3.1/admin/audit", user_id=user["id"])["audit"]
    assert records[0]["method"] == "admin.currency.remove"
    assert {record["what"] for record in records} == {"currency", "currency_rate"}
    renewed = api.admin.post(f"/3.0/admin/user/api_key/{user['id']}")["user"]["api_key"]
    assert mia.call("GET", "/3.0/admin/currency").status_code == 401
    assert api.admin.with_key(renewed).call("GET", "/3.0/admin/currency").status_code == 200
    shown = {one["id"]: one for one in api.admin.get("/3.0/admin/users")["users"]}[user["id"]]
    assert (shown["api_key"], shown["last_login_at"]) == (renewed, "2023-11-14 22:13:20")


def test_sign_in_tries_in_parallel_are_all_counted(database: Database, analytics: Analytics) -> None:
    api = installed(database, analytics)
    api.add_affiliate(email="ann@affiliate.example", password="long-enough")

    def attempt(_number: int) -> Any:
        try:
            return sign_in(api.deps, "ann@affiliate.example", "wrong", "192.0.2.1")
        except (WrongCredentials, TooManyRequests) as refusal:
            return type(refusal)

    with ThreadPoolExecutor(PLACES) as pool:
        outcomes = list(pool.map(attempt, range(TRIES_PER_ACCOUNT + 6)))
    assert outcomes.count(TooManyRequests) >= 6
    assert set(outcomes) == {WrongCredentials, TooManyRequests}
    assert _refused(api)


def _refused(api: Api) -> bool:
    answer = api.admin.call("POST", "/3.1/auth", data={"login": "ann@affiliate.example", "password": "long-enough"})
    return bool(answer.status_code == 429)
