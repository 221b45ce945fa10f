"""Requests for methods of threads between staff and companies."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import update

from tests.support.api import Api
from tests.support.client import ApiClient
from trackyard.base.ids import new_id
from trackyard.domain.people.callers import Account, AccountKind, StaffCaller
from trackyard.domain.people.scope import Scope
from trackyard.domain.people.threads import Thread, ThreadMessage, ThreadSubject
from trackyard.store.people import advertisers, affiliates, threads
from trackyard.store.tables import thread_message

TEXT = "When is the cap raised?"


def good_params(pid: int) -> dict[str, dict[str, Any]]:
    """Parameters with which each of these methods succeeds."""
    return {"threads.open": {"subject": "affiliate", "subject_id": pid, "text": TEXT}, "thread.answer": {"text": TEXT}}


def own_params(api: Api) -> dict[str, Callable[[ApiClient], dict[str, Any]]]:
    """Parameters that differ by caller."""

    def about_itself(client: ApiClient) -> dict[str, Any]:
        company = company_of(api, client)
        return {"subject": company.kind.value, "subject_id": company.id}

    return {"threads.open": about_itself}


def own_subjects(api: Api) -> dict[str, Callable[[ApiClient], Any]]:
    """Subjects of the paths of these methods, which belong to the client."""

    def own(client: ApiClient) -> str:
        return add_own_thread(api, company_of(api, client))

    return dict.fromkeys(("thread.get", "thread.answer", "thread.seen"), own)


def company_of(api: Api, client: ApiClient) -> Account:
    """The company that a client writes for, or one that a staff user may edit. Its limit is not reached."""
    caller = api.caller_of(client)
    with api.deps.database.write() as conn:
        own = thread_message.c.author == caller.account.name
        conn.execute(update(thread_message).where(own).values(at=0))
        if not isinstance(caller, StaffCaller):
            return caller.company
        managed = sorted(affiliates.ids_managed_by(conn, [caller.id]))
        shops = sorted(advertisers.ids_managed_by(conn, [caller.id]))
        everyone = sorted(affiliates.titles_in(conn, Scope.everything()))
    if managed or not shops:
        return Account(AccountKind.AFFILIATE, str((managed or everyone)[0]))
    return Account(AccountKind.ADVERTISER, shops[0])


def add_own_thread(api: Api, company: Account, text: str = TEXT) -> str:
    """The id of the thread of a company about itself, with a message of the company."""
    now, subject = api.clock.now_ms(), ThreadSubject(company.kind.value)
    with api.deps.database.write() as conn:
        found = threads.find_about(conn, subject, company.id, company)
        if found is None:
            found = Thread(
                id=new_id(now), subject=subject, subject_id=company.id, company=company.name, title=text,
                created_at=now, updated_at=now,
            )  # fmt: skip
            threads.add_thread(conn, found)
        new = ThreadMessage(
            thread_id=found.id, number=found.messages + 1, author=company.name, author_name=text, is_staff=False,
            text=text, files=(), at=0,
        )  # fmt: skip
        threads.add_message(conn, new)
    return found.id
