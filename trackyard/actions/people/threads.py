"""Threads between staff and the people of a company (docs/spec/messages.md#threads).

A thread belongs to one company. Staff read and write the threads of the companies that they may edit; of a company,
the owner and managers do.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.events.publishing import publish
from trackyard.actions.people.scope import company_scope
from trackyard.actions.people.signers import find_signer, title_of
from trackyard.actions.platform.files import NewFile, clean_name
from trackyard.base.errors import BadInput, RequestError, TooManyRequests, UnsupportedMediaType, required
from trackyard.base.ids import new_id
from trackyard.domain.events.events import Concerned
from trackyard.domain.events.kinds import EventKind
from trackyard.domain.people.callers import Account, AccountKind, AdvertiserCaller, AffiliateCaller, Caller, StaffCaller
from trackyard.domain.people.roles import Permission
from trackyard.domain.people.scope import Scope
from trackyard.domain.people.threads import (
    FILE_MAX,
    MOST_AN_HOUR,
    MOST_FILES,
    Thread,
    ThreadFile,
    ThreadMessage,
    ThreadReader,
    ThreadSubject,
)
from trackyard.domain.platform.files import InvalidFile, find_attachment
from trackyard.domain.platform.mails.values import MailedOffer
from trackyard.store.conversions import conversions
from trackyard.store.engine.database import Connection
from trackyard.store.offers import offers, tickets
from trackyard.store.people import advertisers, affiliates, threads
from trackyard.store.platform import files, settings
from trackyard.store.platform.files import FileRow

_HOUR_MS: Final = 3_600_000
_UNKNOWN: Final = "This does not exist, or you may not see it."


@dataclass(frozen=True, slots=True)
class ShownThread:
    """A thread as its reader sees it. company: its name. unread: messages of others that were not read."""

    thread: Thread
    company: str
    unread: int


@dataclass(frozen=True, slots=True)
class _Parties:
    """A thing, and the companies that it concerns."""

    title: str
    affiliate_id: int | None = None
    advertiser_id: str = ""

    def has(self, company: Account) -> bool:
        """Return whether it concerns a company."""
        if company.kind is AccountKind.AFFILIATE:
            return str(self.affiliate_id) == company.id
        return company.kind is AccountKind.ADVERTISER and self.advertiser_id == company.id

    @property
    def first(self) -> Account:
        """Return the company that staff write to unless they name one."""
        if self.affiliate_id is not None:
            return Account(AccountKind.AFFILIATE, str(self.affiliate_id))
        return Account(AccountKind.ADVERTISER, self.advertiser_id)


def list_threads(
    deps: Deps, caller: Caller, subject: ThreadSubject | None, subject_id: str, *, page: int, limit: int
) -> tuple[list[ShownThread], int, int]:
    """Return a page of the threads of a caller, the total, and how many threads are unread.

    subject, subject_id: only threads about this kind of thing, and this thing. The last written one comes first.
    """
    with deps.database.read() as conn:
        reader = _reader(conn, caller)
        found, total = threads.list_threads(conn, reader, subject, subject_id, page=page, limit=limit)
        return _shown(conn, reader, found), total, threads.count_unread(conn, reader)


def count_unread(deps: Deps, caller: Caller) -> int:
    """Return how many threads have messages that the caller has not read."""
    with deps.database.read() as conn:
        return threads.count_unread(conn, _reader(conn, caller))


def get_thread(
    deps: Deps, caller: Caller, thread_id: str, *, page: int, limit: int
) -> tuple[ShownThread, list[ThreadMessage]]:
    """Return a thread with a page of its messages, the newest first. Raises NotFound."""
    with deps.database.read() as conn:
        reader = _reader(conn, caller)
        found = required(threads.find_thread(conn, reader, thread_id))
        [shown] = _shown(conn, reader, [found])
        listed = threads.list_messages(conn, thread_id, page=page, limit=limit)
        if isinstance(caller, AdvertiserCaller):  # which does not learn the names of staff
            network = settings.find_network(conn).shown_name
            listed = [replace(each, author_name=network) if each.is_staff else each for each in listed]
        return shown, listed


def check_readable(deps: Deps, caller: Caller, thread_id: str) -> str:
    """Return the id of a thread that the caller may read. Raises NotFound."""
    with deps.database.read() as conn:
        return required(threads.find_thread(conn, _reader(conn, caller), thread_id)).id


def mark_seen(deps: Deps, caller: Caller, thread_id: str) -> ShownThread:
    """Mark a thread as read by the caller, and return it. Raises NotFound."""
    with deps.database.write() as conn:
        reader = _reader(conn, caller)
        found = required(threads.find_thread(conn, reader, thread_id))
        threads.mark_seen(conn, thread_id, reader.account, found.messages)
        [shown] = _shown(conn, reader, [found])
    return shown


def open_thread(
    deps: Deps,
    caller: Caller,
    subject: ThreadSubject,
    subject_id: str,
    company: str,
    text: str,
    uploads: Sequence[NewFile],
) -> ShownThread:
    """Write about a thing: in the thread that the company has about it, or in a new one.

    company: that staff write to, such as affiliate:7; "" = the affiliate or the advertiser of the thing. Other callers
    write for their own. Raises BadInput for a thing and a company that the caller does not see, and for bad files;
    UnsupportedMediaType; and TooManyRequests.
    """
    now = deps.clock.now_ms()
    with _stored(deps, uploads, now) as rows, deps.database.write() as conn:
        reader = _reader(conn, caller)
        parties = _parties(conn, subject, subject_id)
        if parties is None:
            raise BadInput({"subject_id": [_UNKNOWN]})
        owner = _company(conn, caller, reader, subject, subject_id, parties, company)
        found = threads.find_about(conn, subject, subject_id, owner)
        if found is None:
            found = Thread(
                id=new_id(now),
                subject=subject,
                subject_id=subject_id,
                company=owner.name,
                title=parties.title[:200],
                created_at=now,
                updated_at=now,
            )
            threads.add_thread(conn, found)
        return _write(conn, caller, reader, found, text, rows, now)


def answer_thread(deps: Deps, caller: Caller, thread_id: str, text: str, uploads: Sequence[NewFile]) -> ShownThread:
    """Write in a thread.

    Raises NotFound, BadInput for bad files, UnsupportedMediaType and TooManyRequests.
    """
    now = deps.clock.now_ms()
    with _stored(deps, uploads, now) as rows, deps.database.write() as conn:
        reader = _reader(conn, caller)
        found = required(threads.find_thread(conn, reader, thread_id, lock=True))
        return _write(conn, caller, reader, found, text, rows, now)


def _reader(conn: Connection, caller: Caller) -> ThreadReader:
    """Return the threads that a caller may read."""
    name = caller.account.name
    if isinstance(caller, StaffCaller):
        return ThreadReader(
            name,
            company_scope(conn, caller, AccountKind.AFFILIATE).affiliate_ids,
            company_scope(conn, caller, AccountKind.ADVERTISER).advertiser_ids,
        )
    if Permission.THREADS in caller.withheld:
        return ThreadReader(name)
    if isinstance(caller, AffiliateCaller):
        known = {int(each) for each in threads.offers_of(conn, caller.company)}
        hidden = known - offers.visible_among(conn, known, caller.id)
        return ThreadReader(name, frozenset({caller.id}), hidden_offers=frozenset(map(str, hidden)))
    return ThreadReader(name, advertiser_ids=frozenset({caller.id}))


def _parties(conn: Connection, subject: ThreadSubject, subject_id: str) -> _Parties | None:
    """Return a thing with the companies that it concerns; None when it does not exist."""
    everything = Scope.everything()
    is_number = subject_id.isascii() and subject_id.isdecimal() and len(subject_id) < 10
    match subject:
        case ThreadSubject.TICKET:
            ticket = tickets.find_ticket(conn, everything, int(subject_id)) if is_number else None
            return None if ticket is None else _Parties(ticket.title, ticket.affiliate_id)
        case ThreadSubject.CONVERSION:
            found = conversions.find_by_id(conn, [subject_id]).get(subject_id)
            return None if found is None else _Parties(found.id, found.affiliate_id, found.advertiser_id)
        case ThreadSubject.OFFER:
            offer = offers.find_offer(conn, everything, int(subject_id)) if is_number else None
            return (
                None if offer is None else _Parties(str(MailedOffer(offer.id, offer.title)), None, offer.advertiser_id)
            )
        case ThreadSubject.AFFILIATE:
            name = affiliates.names_of(conn, [int(subject_id)]) if is_number else {}
            return next((_Parties(each.name or each.login, each.id) for each in name.values()), None)
        case ThreadSubject.ADVERTISER:
            title = advertisers.titles_of(conn, [subject_id]).get(subject_id)
            return None if title is None else _Parties(title, None, subject_id)


def _company(
    conn: Connection,
    caller: Caller,
    reader: ThreadReader,
    subject: ThreadSubject,
    subject_id: str,
    parties: _Parties,
    named: str,
) -> Account:
    """Return the company of the thread. Raises BadInput for one that the caller or the thing has not."""
    if not isinstance(caller, StaffCaller):
        if named not in ("", caller.company.name):
            raise BadInput({"company": [_UNKNOWN]})
        may = Permission.THREADS not in caller.withheld
        if not may or not _sees(conn, caller, subject, subject_id, parties):
            raise BadInput({"subject_id": [_UNKNOWN]})
        return caller.company
    owner = _named(named) if named else parties.first
    if owner is None or not _in_scope(reader, owner):
        raise BadInput({"company" if named else "subject_id": [_UNKNOWN]})
    is_seen = parties.has(owner)
    if subject is ThreadSubject.OFFER and owner.kind is AccountKind.AFFILIATE:
        exists = bool(affiliates.names_of(conn, [int(owner.id)]))
        is_seen = exists and offers.is_visible(conn, int(subject_id), int(owner.id))
    if not is_seen:
        raise BadInput({"company": [_UNKNOWN]})
    return owner


def _sees(
    conn: Connection,
    caller: AffiliateCaller | AdvertiserCaller,
    subject: ThreadSubject,
    subject_id: str,
    parties: _Parties,
) -> bool:
    if subject is ThreadSubject.OFFER and isinstance(caller, AffiliateCaller):
        return offers.is_visible(conn, int(subject_id), caller.id)
    return parties.has(caller.company)


def _named(text: str) -> Account | None:
    try:
        found = Account.of_name(text)
    except ValueError:
        return None
    is_number = found.id.isascii() and found.id.isdecimal() and len(found.id) < 10
    return found if found.kind is not AccountKind.AFFILIATE or is_number else None


def _in_scope(reader: ThreadReader, company: Account) -> bool:
    if company.kind is AccountKind.AFFILIATE:
        return reader.affiliate_ids is None or int(company.id) in reader.affiliate_ids
    is_advertiser = company.kind is AccountKind.ADVERTISER
    return is_advertiser and (reader.advertiser_ids is None or company.id in reader.advertiser_ids)


def _write(
    conn: Connection,
    caller: Caller,
    reader: ThreadReader,
    found: Thread,
    text: str,
    rows: Sequence[FileRow],
    now_ms: int,
) -> ShownThread:
    count, first = threads.count_written(conn, reader.account, now_ms - _HOUR_MS)
    if count >= MOST_AN_HOUR:
        wait = (first + _HOUR_MS - now_ms) // 1000 + 1
        raise TooManyRequests(wait, f"At most {MOST_AN_HOUR} messages an hour can be written")
    signer = find_signer(conn, caller.account)
    name = "" if signer is None else signer.name or signer.email
    files.add_files(conn, rows)
    new = ThreadMessage(
        thread_id=found.id,
        number=found.messages + 1,
        author=reader.account,
        author_name=name,
        is_staff=isinstance(caller, StaffCaller),
        text=text,
        files=tuple(ThreadFile(row.id, row.name, row.mime, row.size) for row in rows),
        at=now_ms,
    )
    threads.add_message(conn, new)
    _publish(conn, found, new, now_ms)
    [shown] = _shown(conn, reader, [required(threads.find_thread(conn, reader, found.id))])
    return shown


def _publish(conn: Connection, found: Thread, new: ThreadMessage, now_ms: int) -> None:
    company = found.account
    is_affiliate = company.kind is AccountKind.AFFILIATE
    concerned = Concerned(
        found.id,
        affiliate_id=int(company.id) if is_affiliate else None,
        advertiser_id="" if is_affiliate else company.id,
    )
    author = new.author_name
    if new.is_staff and not is_affiliate:
        author = settings.find_network(conn).shown_name
    payload = {"title": found.title, "author": author, "text": new.text}
    match new.is_staff, is_affiliate:
        case True, True:
            publish(conn, EventKind.THREAD_ANSWERED, now_ms, concerned, **payload)
        case True, False:
            publish(conn, EventKind.THREAD_ANSWERED_ADVERTISER, now_ms, concerned, **payload)
        case False, True:
            publish(conn, EventKind.THREAD_AFFILIATE_WROTE, now_ms, concerned, **payload)
        case _:
            publish(conn, EventKind.THREAD_ADVERTISER_WROTE, now_ms, concerned, **payload)


@contextmanager
def _stored(deps: Deps, uploads: Sequence[NewFile], now_ms: int) -> Iterator[list[FileRow]]:
    """Check and store files; the block commits their rows. A RequestError removes them again."""
    if len(uploads) > MOST_FILES:
        raise BadInput({"files": [f"Send at most {MOST_FILES} files."]})
    rows = list[FileRow]()
    try:
        for each in uploads:
            rows.append(_store(deps, each, now_ms))
        yield rows
    except RequestError:
        deps.files.remove([row.id for row in rows])
        raise


def _store(deps: Deps, upload: NewFile, now_ms: int) -> FileRow:
    name, size = clean_name(upload.name), upload.handle.seek(0, 2)
    if size > FILE_MAX:
        raise BadInput({"files": [f"{name}: A file has at most {FILE_MAX // 1024 // 1024} MB."]})
    try:
        media = find_attachment(upload.handle, name)
    except InvalidFile as fault:
        raise BadInput({"files": [f"{name}: {fault}"]}) from None
    if media is None:
        raise UnsupportedMediaType(f"{UnsupportedMediaType.text}: {name} does not hold what is taken here")
    upload.handle.seek(0)
    return FileRow(deps.files.put([upload.handle.read()]), name, media.mime, size, now_ms, is_private=True)


def _shown(conn: Connection, reader: ThreadReader, found: Iterable[Thread]) -> list[ShownThread]:
    listed = list(found)
    unread = threads.unread_of(conn, reader.account, [each.id for each in listed])
    names = {each.company: title_of(conn, each.account) for each in listed}
    return [ShownThread(each, names[each.company], unread.get(each.id, 0)) for each in listed]
