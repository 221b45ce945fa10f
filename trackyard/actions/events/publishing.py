"""Publish an event in the transaction of the change that it reports (docs/spec/events.md#publishing)."""

from trackyard.base.ids import new_id
from trackyard.domain.events.events import Concerned, Event, write_value
from trackyard.domain.events.kinds import EventKind
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.store.engine.audit_actor import SYSTEM_ACTOR, AuditActor, current_actor
from trackyard.store.engine.database import Connection
from trackyard.store.events import events


def publish(conn: Connection, kind: EventKind, now_ms: int, concerned: Concerned, **payload: object) -> Event:
    """Store an event with the change that made it, and return it. A job numbers it and makes its notices.

    payload: all fields of the kind: texts, or values of mails. Raises ValueError for other fields, and without
    what the audience of the kind is found by.
    """
    new = new_event(kind, now_ms, concerned, **payload)
    events.add_events(conn, [new])
    return new


def new_event(kind: EventKind, now_ms: int, concerned: Concerned, **payload: object) -> Event:
    """Return an event that is to be stored with others. The arguments are as of `publish`."""
    actor = current_actor.get()
    new = Event(
        id=new_id(now_ms),
        seq=None,
        kind=kind,
        at=now_ms,
        actor="" if actor is None else _name_of(actor),
        subject=str(concerned.id),
        affiliate_id=concerned.affiliate_id,
        advertiser_id=concerned.advertiser_id,
        offer_id=concerned.offer_id,
        account="" if concerned.account is None else concerned.account.name,
        is_silent=concerned.is_silent,
        payload={name: write_value(value) for name, value in payload.items()},
    )
    if set(payload) != set(new.rule.fields):
        raise ValueError(f"{kind} has the fields {sorted(new.rule.fields)}, not {sorted(payload)}")
    if missing := [each.needs for each in new.rule.notices if each.needs and not getattr(new, each.needs)]:
        raise ValueError(f"{kind} is for the people of its {missing[0]}, and has none")
    return new


def _name_of(actor: AuditActor) -> str:
    """Return the account that acts, as in the log; "" for a job."""
    if actor.member_id:
        return Account(AccountKind.MEMBER, actor.member_id).name
    if actor.affiliate_id is not None:
        return Account(AccountKind.AFFILIATE, str(actor.affiliate_id)).name
    if actor.advertiser_id:
        return Account(AccountKind.ADVERTISER, actor.advertiser_id).name
    return "" if actor.staff_id in ("", SYSTEM_ACTOR) else Account(AccountKind.STAFF, actor.staff_id).name
