"""Send messages to affiliates, each person once (docs/spec/messages.md#sending).

A message is sent in batches. A batch is one transaction: its mails, its items of the bell, who has the message, and
the cursor. After a kill nothing is lost, and nothing is sent twice.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from trackyard.actions.events.audiences import Hearer, people_of_affiliates
from trackyard.actions.events.notifying import with_channel
from trackyard.actions.events.publishing import publish
from trackyard.actions.events.stops import stop_link
from trackyard.actions.people.callers import caller_of
from trackyard.actions.people.scope import scope_of
from trackyard.actions.platform.notices import NOTICES, Recipient, send_notice
from trackyard.base.secrets import SecretCipher
from trackyard.domain.events.events import Concerned, Event
from trackyard.domain.events.kinds import EVENT_RULES, Channel, EventAudience, EventKind
from trackyard.domain.people.affiliates import AffiliateFilter, AffiliateName, AffiliateStatus
from trackyard.domain.people.callers import HOMES, Access, Account, AccountKind, StaffCaller
from trackyard.domain.people.roles import Permission
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.mails.values import MailPersonal
from trackyard.domain.platform.messages import Message, MessageState
from trackyard.store.engine.database import Connection, Database
from trackyard.store.events import bell, events
from trackyard.store.people import affiliates
from trackyard.store.platform import messages, receivers, settings

BATCH: Final = 50
"""Affiliates of one transaction that sends."""
_PAGE: Final = 1_000
"""Affiliates that are counted at a time."""
_AUTHOR_GONE: Final = "The staff user who wrote it may no longer write to affiliates."
[_RULE] = EVENT_RULES[EventKind.MESSAGE_SENT].notices
_SIGN_IN: Final = tuple(each for each in AffiliateStatus if each.rule.may_sign_in)


@dataclass(slots=True)
class Audience:
    """The people who would get a message.

    first: a recipient of its mail, None = without any. names: of some affiliates.
    """

    affiliates: int = 0
    people: int = 0
    mails: int = 0
    names: list[str] = field(default_factory=list)
    first: Recipient | None = None


def send_next(database: Database, now_ms: int, cipher: SecretCipher | None = None) -> int:
    """Do the next step of a message that is due, in one transaction; return 1, or 0 without one.

    The first step publishes its event; while that has no number, there is nothing to do.
    cipher: makes the links that stop mails; None = mails have none.
    """
    with database.read() as conn:
        if not messages.has_due(conn, now_ms):
            return 0
    with database.write() as conn:
        found = messages.claim_due(conn, now_ms)
        if found is None:  # another process was faster
            return 0
        scope = _scope_of_author(conn, found)
        if scope is None:
            _end(conn, found, MessageState.CANCELLED, now_ms, _AUTHOR_GONE)
        elif found.state is MessageState.PLANNED:
            event = publish(conn, EventKind.MESSAGE_SENT, now_ms, Concerned(found.id), title=found.title)
            values = {"state": MessageState.SENDING, "event_id": event.id, "updated_at": now_ms}
            messages.edit_message(conn, found.id, values)
        else:
            return _send_batch(conn, found, scope, now_ms, cipher)
    return 1


def count_audience(conn: Connection, found: Message, most_names: int) -> Audience:
    """Return who would get a message now."""
    counted, emails = Audience(), set[str]()
    scope = _scope_of_author(conn, found)
    for page in _pages(conn, found, scope) if scope is not None else ():
        counted.affiliates += len(page)
        counted.names += [each.name or each.login for each in page[: most_names - len(counted.names)]]
        people = _people(conn, page)
        counted.people += len(people)
        mailed = [each for each in _on(conn, _unstored(found), Channel.MAIL, people) if each.has_email]
        emails |= {each.signer.email.lower() for each in mailed}
        if counted.first is None and mailed:
            counted.first = mailed[0].recipient
    counted.mails = len(emails)
    return counted


def values_of(conn: Connection, found: Message) -> dict[str, object]:
    """Return the values of the mail of a message."""
    page = f"{HOMES[AccountKind.AFFILIATE]}messages/{found.id}"
    return {
        "title": found.title,
        "text": MailPersonal(found.text),
        "link": f"{settings.find_api_url(conn)}{page}",
    }


def _send_batch(conn: Connection, found: Message, scope: Scope, now_ms: int, cipher: SecretCipher | None) -> int:
    event = events.find_event(conn, found.event_id)
    if event is None or event.seq is None:
        return 0
    batch = _batch(conn, found, scope, found.cursor, BATCH)
    people = _people(conn, batch)
    messages.add_receipts(conn, found.id, [each.account for each in people])
    rung = [each.account for each in _on(conn, event, Channel.BELL, people) if each.may_sign_in]
    bell.add_items(conn, rung, event.seq, EventAudience.RECEIVERS)
    by_mail = {each.account: each for each in _on(conn, event, Channel.MAIL, people) if each.has_email}
    emails = {account: each.signer.email for account, each in by_mail.items()}
    new = receivers.add_mailed(conn, found.id, emails, now_ms)
    base = settings.find_api_url(conn)
    mailed = [
        replace(each.recipient, stop=stop_link(cipher, base, account, EventKind.MESSAGE_SENT))
        for account, each in by_mail.items()
        if account in new
    ]
    send_notice(conn, NOTICES[_RULE.mail], mailed, now_ms, **values_of(conn, found))
    values = {"people": found.people + len(people), "mails": found.mails + len(mailed), "updated_at": now_ms}
    if batch:
        values["cursor"] = batch[-1].id
    messages.edit_message(conn, found.id, values)
    if len(batch) < BATCH:
        _end(conn, found, MessageState.SENT, now_ms)
    return 1


def _end(conn: Connection, found: Message, state: MessageState, now_ms: int, reason: str = "") -> None:
    values = {"state": state, "reason": reason, "sent_at": now_ms, "updated_at": now_ms}
    messages.edit_message(conn, found.id, values)


def _scope_of_author(conn: Connection, found: Message) -> Scope | None:
    """Return the affiliates that the author of a message may write to now; None = the right is gone."""
    caller = caller_of(conn, Account(AccountKind.STAFF, found.author))
    if not isinstance(caller, StaffCaller) or not caller.may(Permission.AFFILIATES_WRITE):
        return None
    return scope_of(conn, Access(caller, Permission.AFFILIATES_WRITE))


def _batch(conn: Connection, found: Message, scope: Scope, after: int, most: int) -> list[AffiliateName]:
    audience = found.audience
    return affiliates.names_to(conn, scope, audience.criteria, audience.offers, after=after, most=most)


def _pages(conn: Connection, found: Message, scope: Scope) -> Iterator[list[AffiliateName]]:
    after = 0
    while page := _batch(conn, found, scope, after, _PAGE):
        yield page
        after = page[-1].id


def _people(conn: Connection, found: list[AffiliateName]) -> list[Hearer]:
    ids = tuple(each.id for each in found)
    chosen = AffiliateFilter(ids=ids, statuses=_SIGN_IN)
    active = {each.id for each in affiliates.names_to(conn, Scope.everything(), chosen)} if ids else set()
    return people_of_affiliates(conn, found, active)


def _on(conn: Connection, event: Event, channel: Channel, people: list[Hearer]) -> list[Hearer]:
    return list(with_channel(conn, event, _RULE, channel, people))


def _unstored(found: Message) -> Event:
    """Return the event of a message that is not sent yet."""
    return Event(id="", seq=None, kind=EventKind.MESSAGE_SENT, at=0, actor="", subject=found.id)
