"""Requests for methods about the people of affiliates and advertisers."""

from collections.abc import Callable
from typing import Any

from tests.support.api import PASSWORD, Api
from tests.support.client import ApiClient
from trackyard.base.ids import new_api_key, new_id
from trackyard.base.secrets import hash_password
from trackyard.domain.people.callers import Account, AccountKind, StaffCaller
from trackyard.domain.people.companies import CompanyRole
from trackyard.domain.people.persons import MAX_MEMBERS, Membership, PersonAccount
from trackyard.store.people import keys, persons


def good_params(pid: int) -> dict[str, dict[str, Any]]:
    """Parameters with which these methods succeed for an administrator."""
    return {
        "admin.partner.invite": {"email": "{n}@invited.example"},
        "admin.advertiser.invite": {"email": "{n}@invited.example", "title": "Invited"},
        "admin.user.invite": {"email": "{n}@invited.example", "first_name": "Ina", "last_name": "Invited"},
        "people.list": {"company": f"affiliate:{pid}"},
        "people.add": {"company": f"affiliate:{pid}", "email": "person{n}@people.example", "role": "manager"},
        "people.edit": {"role": "finance"},
    }


def own_params(api: Api) -> dict[str, Callable[[ApiClient], dict[str, Any]]]:
    """Parameters that differ by caller."""
    return {"auth.company.switch": lambda client: {"company": api.caller_of(client).company.name}}


def own_subjects(api: Api, pid: int) -> dict[str, Callable[[ApiClient], Any]]:
    """A person of the company of the client; for staff one of the affiliate."""

    def place(client: ApiClient) -> str:
        caller = api.caller_of(client)
        staff = isinstance(caller, StaffCaller)
        return add_place(api, Account(AccountKind.AFFILIATE, str(pid)) if staff else caller.company)

    methods = ("edit", "invite", "owner", "remove", "second_factor.reset", "look_as")
    methods += ("access", "sign_in_link", "sessions.end")
    return {f"people.{method}": place for method in methods}


def add_place(api: Api, company: Account, role: CompanyRole = CompanyRole.MANAGER, name: str = "Ann Lee") -> str:
    """Return the id of the place of a new person, who has the password of affiliates."""
    now = api.clock.now_ms()
    person = PersonAccount(
        id=new_id(now), email=f"{new_id(now)}@people.example", name=name, password_hash=hash_password(PASSWORD),
        created_at=now, updated_at=now,
    )  # fmt: skip
    signer = Account(AccountKind.PERSON, person.id)
    place = Membership(id=new_id(now), signer=signer, company=company, role=role, created_at=now)
    with api.deps.database.write() as conn:
        if persons.count_members(conn, company) >= MAX_MEMBERS - 1:
            persons.remove_member(conn, persons.list_members(conn, company)[-1])
        persons.add_person(conn, person)
        persons.add_member(conn, place)
    return place.id


def key_of_member(api: Api, member_id: str) -> ApiClient:
    """Return a client with a lasting key of a member."""
    key = new_api_key()
    with api.deps.database.write() as conn:
        keys.add_key(conn, AccountKind.MEMBER, member_id, key, api.deps.cipher, api.clock.now_ms())
    return api.admin.with_key(key)
