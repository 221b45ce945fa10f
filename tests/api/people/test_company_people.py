"""People of affiliates and advertisers: roles, invitations, several companies, another owner."""

import re
from typing import Any

import pytest

from tests.contract.requests.companies import add_place
from tests.isolation.evidence import watched_call
from tests.support.api import PASSWORD, Api
from tests.support.client import ApiClient
from trackyard.actions.people.companies import INVITATIONS
from trackyard.actions.people.sign_in.by_link import use_link
from trackyard.api.catalogue import CATALOGUE
from trackyard.base.ids import new_api_key, new_id
from trackyard.base.secrets import hash_password
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.companies import COMPANY_ROLES, CompanyRole
from trackyard.domain.people.keys import ApiKey
from trackyard.domain.people.one_time_codes import STEP_S, code_at
from trackyard.domain.people.roles import Role
from trackyard.store.people import advertisers, keys
from trackyard.store.platform.personal_data import redact_account
from trackyard.store.tables import audit, mail

CHOSEN = "a chosen password"


def mails(api: Api) -> list[Any]:
    with api.deps.database.read() as conn:
        return list(conn.execute(mail.select().order_by(mail.c.id)))


def link_token(api: Api) -> str:
    found = [re.search(r"token=(\w+)", each.body) for each in mails(api) if each.subject.startswith("You are invited")]
    assert found and found[-1] is not None
    return found[-1][1]


def invite(client: ApiClient, role: str, email: str = "ann@people.example", **params: Any) -> dict[str, Any]:
    made: dict[str, Any] = client.post("/3.1/people", email=email, name="Ann Lee", role=role, **params)["person"]
    return made


def enter(api: Api, email: str = "ann@people.example") -> ApiClient:
    """Choose a password by the link that was mailed last, and sign in to the API."""
    assert use_link(api.deps, link_token(api), CHOSEN, "192.0.2.1") is not None
    return api.admin.with_key(api.admin.post("/3.1/auth", login=email, password=CHOSEN)["api_key"])


def test_invited_person_signs_in_and_acts_for_the_company(api: Api) -> None:
    pid, owner = api.add_affiliate(email="owner@media.example")
    made = invite(owner, "manager")
    assert made["role"] == "manager" and made["joined"] is False and made["last_login_at"] is None
    sent = mails(api)[-1]
    assert (sent.recipient, sent.subject) == ("ann@people.example", "You are invited to owner media example")
    person = enter(api)
    assert person.get("/3.0/partner/me")["user"]["partner_id"] == pid
    assert person.get("/3.0/partner/me")["user"]["api_key"] is None
    listed = owner.get("/3.1/people")["people"]
    assert [(each["role"], each["email"], each["joined"]) for each in listed] == [
        ("owner", "owner@media.example", False),  # it called with its key alone
        ("manager", "ann@people.example", True),
    ]
    assert listed[0]["id"] == "" and listed[1]["last_login_at"] is not None
    assert api.admin.get("/3.1/people", company=f"affiliate:{pid}")["people"] == listed


ACTS = {
    "offers": ("GET", "/3.0/partner/live-offers", {}),
    "report": ("GET", "/3.0/stats/getbydate", {"filter[date_from]": "2023-11-14", "filter[date_to]": "2023-11-14"}),
    "postback": ("POST", "/3.0/partner/postback", {"url": "https://a.example/?c={clickid}"}),
    "balance": ("GET", "/3.0/balance", {}),
    "payment systems": ("POST", "/3.1/partner/payment_systems", {"password": CHOSEN}),
    "people": ("GET", "/3.1/people", {}),
    "first key": ("POST", "/3.0/partner/api_key", {}),
}
MAY = {
    "manager": {"offers", "report", "postback", "balance"},
    "finance": {"offers", "report", "balance", "payment systems"},
    "reports": {"offers", "report"},
}


@pytest.mark.parametrize("role", MAY)
def test_role_says_what_a_person_may_do(api: Api, role: str) -> None:
    _, owner = api.add_affiliate()
    invite(owner, role)
    person = enter(api)
    allowed = set()
    for name, (method, path, params) in ACTS.items():
        sent = {"params": params} if method == "GET" else {"data": params}
        answer = person.call(method, path, **sent)
        if answer.status_code == 200:
            allowed.add(name)
        else:
            assert answer.status_code == 403 and answer.json()["code"] == "company_role", (name, answer.text)
    assert allowed == MAY[role]


@pytest.mark.parametrize("role", MAY)
def test_code_of_postbacks_is_shown_to_people_who_may_write_the_advertiser_alone(api: Api, role: str) -> None:
    number = api.add_advertiser(title="Shop", hash_password="5ec2e7c0de")
    offer = api.add_offer(advertiser=number)
    owner = api.advertiser_client(number)
    invite(api.admin, role, company=f"advertiser:{number}")
    seen = {}
    for name, client in (("owner", owner), (role, enter(api))):
        offers = client.get("/3.1/advertiser/offers")["offers"]
        assert [each["id"] for each in offers] == [offer]
        shown = [client.get("/3.1/advertiser/me")["advertiser"]["postback_url"], offers[0]["postback_url"]]
        seen[name] = {url.partition("secure=")[2] for url in shown}
    assert seen == {"owner": {"5ec2e7c0de"}, role: {"5ec2e7c0de" if role == "manager" else "***"}}


def test_no_read_shows_a_code_of_postbacks_to_callers_that_write_none(api: Api) -> None:
    """Every read of an advertiser: the owner sees codes, a role and a key without writing do not."""
    codes = ("5ec2e7c0de", "0ffe2c0de")
    number = api.add_advertiser(title="Shop", hash_password=codes[0])
    offer = api.add_offer(advertiser=number, hash_password=codes[1])
    invite(api.admin, "reports", company=f"advertiser:{number}")
    reads = [each for each in CATALOGUE if each.method == "GET" and not each.report]
    seen: dict[str, set[str]] = {}
    now, secret = api.clock.now_ms(), new_api_key()
    plain = {"name": "", "networks": (), "successor_id": "", "is_first": False, "created_at": now}
    unset = dict.fromkeys(("expires_at", "last_used_at", "statistics_revenue", "statistics_rows"))
    account = Account(AccountKind.ADVERTISER, number)
    with api.deps.database.write() as conn:
        keys.add_limited_key(conn, ApiKey(id=new_id(now), account=account, scopes=("read",), **plain, **unset), secret)
    owner = api.advertiser_client(number)
    callers = {"owner": owner, "reports": enter(api), "key that reads": owner.with_key(secret)}
    for name, client in callers.items():
        for endpoint in reads:
            path = f"/{endpoint.versions[-1]}{endpoint.path}".replace("{id}", str(offer))
            if "{" not in path and any(code in client.call("GET", path).text for code in codes):
                seen.setdefault(endpoint.id, set()).add(name)
    assert len(reads) > 90
    assert seen == {each: {"owner"} for each in ("advertiser.me.get", "advertiser.offers.list", "advertiser.offer.get")}


def test_every_role_but_the_owners_is_tried() -> None:
    assert {str(each) for each in COMPANY_ROLES} == {*MAY, CompanyRole.OWNER}


def test_role_changes_from_the_next_request_on_and_removal_ends_all(api: Api) -> None:
    _, owner = api.add_affiliate()
    made = invite(owner, "reports")
    person = enter(api)
    key = person.post("/3.1/auth/keys", **{"name": "program", "scopes[]": ["read"], "password": CHOSEN})["key"]
    program = api.admin.with_key(key["api_key"])
    assert person.refusal("GET", "/3.0/balance") == (403, "company_role")
    owner.post(f"/3.1/people/{made['id']}", role="finance")
    assert person.get("/3.0/balance") and program.get("/3.0/balance")
    assert owner.call("DELETE", f"/3.1/people/{made['id']}").json()["id"] == made["id"]
    assert person.refusal("GET", "/3.0/balance")[0] == 401
    assert program.refusal("GET", "/3.0/balance")[0] == 401
    refused = api.admin.call("POST", "/3.1/auth", data={"login": "ann@people.example", "password": CHOSEN})
    assert refused.status_code == 401
    assert [each["role"] for each in owner.get("/3.1/people")["people"]] == ["owner"]


def test_person_of_two_companies_switches_between_them(api: Api) -> None:
    first, owner = api.add_affiliate(email="one@media.example")
    invite(owner, "manager")
    person = enter(api)
    second = api.add_advertiser(title="Shop")
    invite(api.admin, "reports", company=f"advertiser:{second}")
    assert "You have access to Shop" in {each.subject for each in mails(api)}
    listed = person.get("/3.1/auth/companies")["companies"]
    assert [(each["company"], each["role"], each["current"]) for each in listed] == [
        (f"affiliate:{first}", "manager", True),
        (f"advertiser:{second}", "reports", False),
    ]
    moved = person.post("/3.1/auth/company", company=f"advertiser:{second}")["company"]
    assert moved == {"company": f"advertiser:{second}", "title": "Shop", "role": "reports", "current": True}
    assert person.get("/3.1/advertiser/me")["advertiser"]["id"] == second
    assert person.refusal("POST", "/3.1/advertiser/me") == (403, "company_role")
    assert person.refusal("GET", "/3.0/partner/me")[0] == 403
    other = person.call("POST", "/3.1/auth/company", data={"company": "affiliate:999"})
    assert other.status_code == 400 and "company" in other.json()["fields"]


def test_owner_of_a_company_joins_another_with_its_own_password(api: Api) -> None:
    pid, _ = api.add_affiliate(email="one@media.example")
    _, other = api.add_affiliate(email="two@media.example")
    invite(other, "manager", email="one@media.example")
    session = api.admin.with_key(api.admin.post("/3.1/auth", login="one@media.example", password=PASSWORD)["api_key"])
    listed = session.get("/3.1/auth/companies")["companies"]
    assert [(each["role"], each["current"]) for each in listed] == [("owner", True), ("manager", False)]
    session.post("/3.1/auth/company", company=listed[1]["company"])
    assert session.get("/3.0/partner/me")["user"]["partner_id"] != pid
    session.post("/3.1/auth/company", company=f"affiliate:{pid}")
    assert session.get("/3.0/partner/me")["user"]["partner_id"] == pid


def test_company_gets_another_owner_and_keeps_id_and_key(api: Api) -> None:
    pid, owner = api.add_affiliate(email="owner@media.example")
    made = invite(owner, "manager")
    session = api.admin.with_key(api.admin.post("/3.1/auth", login="owner@media.example", password=PASSWORD)["api_key"])
    early = owner.call("POST", f"/3.1/people/{made['id']}/owner")
    assert early.status_code == 409 and "password" in str(early.json()["fields"])
    person = enter(api)
    wrong = session.call("POST", f"/3.1/people/{made['id']}/owner", data={"password": "wrong"})
    assert wrong.status_code == 400
    people = session.post(f"/3.1/people/{made['id']}/owner", password=PASSWORD)["people"]
    assert [(each["role"], each["email"], each["name"]) for each in people] == [
        ("owner", "ann@people.example", "Ann Lee"),
        ("manager", "owner@media.example", ""),
    ]
    assert session.refusal("GET", "/3.0/balance")[0] == 401 and person.refusal("GET", "/3.0/balance")[0] == 401
    assert owner.get("/3.0/partner/me")["user"]["email"] == "ann@people.example"  # the first key is the company's
    after = api.admin.with_key(api.admin.post("/3.1/auth", login="ann@people.example", password=CHOSEN)["api_key"])
    assert after.get("/3.0/partner/me")["user"]["partner_id"] == pid
    assert after.get("/3.1/people")
    before = api.admin.with_key(api.admin.post("/3.1/auth", login="owner@media.example", password=PASSWORD)["api_key"])
    assert before.refusal("GET", "/3.1/people") == (403, "company_role")
    api.admin.post(f"/3.0/admin/partner/{pid}", contact_person="Ann L.")
    assert after.get("/3.1/people")["people"][0]["name"] == "Ann L."


def test_advertiser_without_an_owner_gets_one(api: Api) -> None:
    advertiser = api.add_advertiser(title="Shop")
    made = invite(api.admin, "manager", company=f"advertiser:{advertiser}")
    enter(api)
    people = api.admin.post(f"/3.1/people/{made['id']}/owner")["people"]
    assert [(each["role"], each["email"]) for each in people] == [("owner", "ann@people.example")]
    signed = api.admin.post("/3.1/advertiser/login", email="ann@people.example", password=CHOSEN)
    assert signed["user"]["id"] == advertiser


@pytest.mark.parametrize(
    ("email", "status", "field"),
    [("owner@media.example", 409, "email"), ("no address", 400, "email")],
)
def test_addresses_that_cannot_be_invited(api: Api, email: str, status: int, field: str) -> None:
    _, owner = api.add_affiliate(email="owner@media.example")
    answer = owner.call("POST", "/3.1/people", data={"email": email, "role": "manager"})
    assert answer.status_code == status and field in answer.json()["fields"], answer.text


def test_invitation_shows_nothing_of_accounts_of_others(api: Api) -> None:
    api.add_affiliate(email="bob@other.example", contact_person="Robert Secret")
    staff_id, _ = api.add_staff(Role.ADMIN)
    staff = api.admin.get(f"/3.0/admin/user/{staff_id}")["user"]["email"]
    _, owner = api.add_affiliate()
    answers = [invite(owner, "manager", email=email) for email in ("bob@other.example", "new@other.example", staff)]
    assert len({each["id"] for each in answers}) == 3
    for each in answers:
        assert each["name"] == "Ann Lee" and each["joined"] is False and each["last_login_at"] is None
    assert "Robert" not in str(owner.get("/3.1/people"))


def test_company_sends_a_bounded_number_of_invitations(api: Api) -> None:
    _, owner = api.add_affiliate(company="Win https://evil.example/now")
    made = invite(owner, "manager")
    assert mails(api)[-1].subject == "You are invited to Win https evil example now"
    for _ in range(INVITATIONS - 1):
        owner.post(f"/3.1/people/{made['id']}/invite")
    refused = owner.call("POST", f"/3.1/people/{made['id']}/invite")
    assert refused.status_code == 429 and int(refused.headers["retry-after"]) > 0
    api.clock.advance(16 * 60_000)
    owner.post(f"/3.1/people/{made['id']}/invite")


def test_manager_of_one_company_opens_no_other_through_a_person(api: Api) -> None:
    """Each door by which staff give a password or remove a second factor, to a person of two companies."""
    number, manager = api.add_staff(Role.MANAGER_AFFILIATE, Role.MANAGER_SALES)
    pid, _ = api.add_affiliate(email="owner@media.example", manager_id=number)
    shop = api.add_advertiser(email="shop@shop.example", manager=number)
    other, foreign = api.add_affiliate(email="other@media.example")
    for email in ("owner@media.example", "shop@shop.example"):
        with api.deps.database.write() as conn:  # a password, so that the e-mail address is known
            advertisers.edit_advertiser(conn, shop, {"password_hash": hash_password(CHOSEN)})
        invite(foreign, "manager", email=email)
    mine = invite(manager, "manager", email="other@media.example", company=f"affiliate:{pid}")
    doors = [
        ("POST", f"/3.0/admin/partner/password/{pid}", {}),
        ("POST", f"/3.0/admin/partner/{pid}", {"password": "another password"}),
        ("POST", f"/3.1/admin/partner/{pid}/second_factor/reset", {}),
        ("POST", f"/3.1/admin/advertiser/{shop}/sendpass", {}),
        ("POST", f"/3.0/admin/advertiser/{shop}", {"email": "new@shop.example"}),
        ("POST", f"/3.1/people/{mine['id']}/second_factor/reset", {}),
    ]
    for method, path, sent in doors:
        refused = manager.call(method, path, data=sent)
        assert refused.status_code == 409 and "another company" not in refused.text, (path, refused.text)
        assert "a company that you do not manage" in refused.text, path
    for method, path, sent in doors:
        assert api.admin.call(method, path, data=sent).status_code == 200, path
    assert other != pid and len(doors) == 6


def test_sessions_of_a_person_end_in_every_company(api: Api) -> None:
    _, owner = api.add_affiliate()
    invite(owner, "manager")
    first = enter(api)
    number = api.add_advertiser(title="Shop")
    invite(api.admin, "reports", company=f"advertiser:{number}")
    second = api.admin.with_key(api.admin.post("/3.1/auth", login="ann@people.example", password=CHOSEN)["api_key"])
    second.post("/3.1/auth/company", company=f"advertiser:{number}")
    assert len(first.get("/3.1/auth/sessions")["sessions"]) >= 2
    first.call("DELETE", "/3.1/auth/sessions")
    assert second.refusal("GET", "/3.1/advertiser/me")[0] == 401


def test_logs_show_the_person(api: Api) -> None:
    _, owner = api.add_affiliate()
    invite(owner, "manager")
    person = enter(api)
    person.post("/3.0/partner/postback", url="https://a.example/?c={clickid}")
    log = api.admin.get("/3.1/admin/audit", limit=100)
    acts = [each for each in log["audit"] if each["method"] == "partner.postback.add"]
    assert [(each["user_type"], each["user"]["email"]) for each in acts] == [("member", "ann@people.example")]
    entries = api.admin.get("/3.1/admin/security-log", limit=100)
    assert "ann@people.example" in str(entries)


def test_list_of_many_people_reads_as_often_as_a_list_of_few(api: Api) -> None:
    pid, owner = api.add_affiliate()
    company = Account(AccountKind.AFFILIATE, str(pid))
    owner.get("/3.1/people")  # the first use of a key is stored
    read = list[int]()
    for _ in range(2):
        for _ in range(3 if not read else 30):
            add_place(api, company)
        with watched_call() as found:
            listed = owner.get("/3.1/people")["people"]
        read.append(len(found.statements))
    assert len(listed) == 34 and read[0] == read[1] and read[0] > 3


def test_people_are_not_invited_twice_or_as_the_owner(api: Api) -> None:
    _, owner = api.add_affiliate()
    invite(owner, "manager")
    again = owner.call("POST", "/3.1/people", data={"email": "ANN@people.example", "role": "finance"})
    assert again.status_code == 409
    as_owner = owner.call("POST", "/3.1/people", data={"email": "bob@people.example", "role": "owner"})
    assert as_owner.status_code == 400 and "role" in as_owner.json()["fields"]


def test_people_of_others_are_not_found(api: Api) -> None:
    _, owner = api.add_affiliate()
    made = invite(owner, "manager")
    _, other = api.add_affiliate()
    for method, path in (
        ("POST", f"/3.1/people/{made['id']}"),
        ("POST", f"/3.1/people/{made['id']}/invite"),
        ("POST", f"/3.1/people/{made['id']}/owner"),
        ("DELETE", f"/3.1/people/{made['id']}"),
    ):
        assert other.call(method, path).status_code == 404
    assert len(owner.get("/3.1/people")["people"]) == 2


def test_second_factor_of_a_person_holds_for_each_company(api: Api) -> None:
    advertiser = api.add_advertiser(title="Shop")
    made = invite(api.admin, "reports", company=f"advertiser:{advertiser}")
    person = enter(api)
    secret = person.post("/3.1/auth/second_factor", password=CHOSEN)["secret"]
    code = code_at(secret, api.clock.now_ms() // 1000 // STEP_S)
    assert len(person.post("/3.1/auth/second_factor/confirm", otp=code)["recovery_codes"]) == 10
    login = {"login": "ann@people.example", "password": CHOSEN}
    assert api.admin.call("POST", "/3.1/auth", data=login).json()["code"] == "second_factor_required"
    api.admin.post(f"/3.1/people/{made['id']}/second_factor/reset")
    assert api.admin.post("/3.1/auth", **login)["api_key"]


def test_erasing_an_affiliate_removes_its_people(api: Api) -> None:
    pid, owner = api.add_affiliate()
    invite(owner, "manager")
    person = enter(api)
    with api.deps.database.write() as conn:
        redact_account(conn, pid, "x", api.clock.now_ms())
    assert person.refusal("GET", "/3.0/balance")[0] == 401
    with api.deps.database.read() as conn:
        left = [conn.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar_one() for name in ("person", "member")]
    assert left == [0, 0]


def test_erasing_an_affiliate_hides_its_people_in_the_audit_log(api: Api) -> None:
    pid, owner = api.add_affiliate()
    made = invite(owner, "manager")
    owner.post(f"/3.1/people/{made['id']}", role="reports")
    rows = audit.select().where(audit.c.what.in_(("person", "member")))
    with api.deps.database.write() as conn:
        before = "".join(str(row.changes) for row in conn.execute(rows))
        redact_account(conn, pid, "x", api.clock.now_ms())
        after = [row.changes for row in conn.execute(rows)]
    assert "ann@people.example" in before and "Ann Lee" in before
    assert len(after) >= 3
    assert not any(word in str(after) for word in ("ann@people.example", "Ann Lee"))
