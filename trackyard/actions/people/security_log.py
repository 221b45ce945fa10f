"""Use cases of the security log (docs/spec/callers.md#security-log)."""

from collections.abc import Iterable, Sequence
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.people.signers import find_signer
from trackyard.base.ids import new_id
from trackyard.base.logs.origin import request_origin
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.security_log import SecurityEvent, SecurityFilter, SecurityOutcome, SecurityRecord
from trackyard.domain.platform.audit import Author, Authors
from trackyard.store.engine.database import Connection
from trackyard.store.people import advertisers, affiliates, security_log, staff

_MAX_SUBJECT: Final = 200


def record_event(
    conn: Connection,
    event: SecurityEvent,
    outcome: SecurityOutcome,
    now_ms: int,
    account: Account | None = None,
    subject: str = "",
) -> None:
    """Store an event of the request that this context serves. account: None for one that does not exist."""
    origin = request_origin.get()
    record = SecurityRecord(
        id=new_id(now_ms),
        at=now_ms,
        event=event,
        outcome=outcome,
        actor_kind="" if account is None else account.kind,
        actor_id="" if account is None else account.id,
        subject=subject[:_MAX_SUBJECT],
        address=origin.address,
        user_agent=origin.user_agent,
        request_id=origin.id,
        client_request_id=origin.client_id,
    )
    security_log.add_record(conn, record)


def record_key_read(deps: Deps, reader: Account, kind: AccountKind, ids: Iterable[str | int]) -> None:
    """Store that an account read the keys of other accounts. ids: the owners; its own id is skipped."""
    others = [str(owner) for owner in ids if (kind, str(owner)) != (reader.kind, reader.id)]
    if not others:
        return
    subject = f"{kind} {','.join(others)}"
    with deps.database.write() as conn:
        now = deps.clock.now_ms()
        record_event(conn, SecurityEvent.KEYS_READ, SecurityOutcome.ACCEPTED, now, reader, subject)


def list_security_log(
    deps: Deps, chosen: SecurityFilter, *, page: int, limit: int
) -> tuple[list[SecurityRecord], int, Authors]:
    """Return a page of the security log, the newest first, the total, and the accounts named."""
    with deps.database.read() as conn:
        found, total = security_log.list_records(conn, chosen, page=page, limit=limit)
        return found, total, authors_of(conn, [(each.actor_kind, each.actor_id) for each in found])


def authors_of(conn: Connection, actors: Sequence[tuple[str, str]]) -> Authors:
    """Return the existing accounts of actors (kind, id)."""
    users = staff.staff_of(conn, _ids(actors, AccountKind.STAFF))
    found = {
        (str(AccountKind.STAFF), user.id): Author(user.id, user.email, user.first_name, user.last_name)
        for user in users.values()
    }
    numbers = {int(actor_id) for actor_id in _ids(actors, AccountKind.AFFILIATE)}
    for number, row in affiliates.names_of(conn, numbers).items():
        found[AccountKind.AFFILIATE, str(number)] = Author(str(number), row.email, row.name)
    for advertiser_id, title in advertisers.titles_of(conn, _ids(actors, AccountKind.ADVERTISER)).items():
        found[AccountKind.ADVERTISER, advertiser_id] = Author(advertiser_id, first_name=title)
    for kind in (AccountKind.MEMBER, AccountKind.PERSON):
        for person_id in _ids(actors, kind):
            signer = find_signer(conn, Account(kind, person_id))
            if signer is not None:
                found[kind, person_id] = Author(person_id, signer.email, signer.name)
    return found


def _ids(actors: Iterable[tuple[str, str]], kind: AccountKind) -> set[str]:
    return {actor_id for actor_kind, actor_id in actors if actor_kind == kind}
