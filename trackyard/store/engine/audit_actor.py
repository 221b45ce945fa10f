"""The caller that acts, for the audit log (docs/spec/platform.md#audit-log)."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

from trackyard.base.logs.origin import RequestOrigin
from trackyard.domain.people.callers import Account, AccountKind

SYSTEM_ACTOR: Final = "system"
"""The actor of changes that time alone causes."""


@dataclass(frozen=True, slots=True)
class AuditActor:
    """A request of an account, or a job. Its fields are columns of the audit log.

    staff_id: 24 hex digits, SYSTEM_ACTOR, or "" for an affiliate or an advertiser.
    affiliate_id: None for others. advertiser_id: "" for others.
    key_id, key_name: the API key that called; "" = a session or a job.
    member_id: the member of the affiliate or advertiser that acts, or the person who signs in; "" = its owner.
    method: the id of the endpoint or job.
    request_id, client_request_id: ours, and the caller's own.
    at: UTC milliseconds.
    """

    staff_id: str
    method: str
    request_id: str
    at: int
    affiliate_id: int | None = None
    client_request_id: str = ""
    address: str = ""
    advertiser_id: str = ""
    key_id: str = ""
    key_name: str = ""
    member_id: str = ""


current_actor: ContextVar[AuditActor | None] = ContextVar("acting", default=None)
"""The request in this context that changes something, or the job; None outside.

Changes that follow from requests later are not in the audit log.
"""


@contextmanager
def act_as_system(job: str, now_ms: int) -> Iterator[None]:
    """Log the changes of the block as the system's. job: the job's name."""
    token = current_actor.set(AuditActor(SYSTEM_ACTOR, f"job:{job}", "", now_ms))
    try:
        yield
    finally:
        current_actor.reset(token)


@contextmanager
def act_as_account(account: Account, method: str, now_ms: int, *, origin: RequestOrigin) -> Iterator[None]:
    """Log the changes of the block as made by an account that signs in by them.

    method: the id of the action.
    """
    actor = AuditActor(
        staff_id=account.id if account.kind is AccountKind.STAFF else "",
        method=method,
        request_id=origin.id,
        at=now_ms,
        affiliate_id=int(account.id) if account.kind is AccountKind.AFFILIATE else None,
        client_request_id=origin.client_id,
        address=origin.address,
        advertiser_id=account.id if account.kind is AccountKind.ADVERTISER else "",
        member_id=account.id if account.kind in (AccountKind.MEMBER, AccountKind.PERSON) else "",
    )
    token = current_actor.set(actor)
    try:
        yield
    finally:
        current_actor.reset(token)
