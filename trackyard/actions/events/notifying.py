"""Make the notices of numbered events: mails and items of the bell (docs/spec/events.md#notices)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from trackyard.actions.events.audiences import Hearer, hearers_of
from trackyard.actions.events.stops import stop_link
from trackyard.actions.platform.notices import NOTICES, send_notice
from trackyard.base.secrets import SecretCipher
from trackyard.base.texts.languages import language, speaking
from trackyard.domain.events.events import Event, line_of, page_of
from trackyard.domain.events.kinds import CHATS, Channel, EventKind, NoticeRule
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.store.engine.database import Connection, Database
from trackyard.store.events import bell, chats, choices, events
from trackyard.store.money import documents
from trackyard.store.people.preferences import find_preferences
from trackyard.store.platform import mail_log, settings


def notify_next(database: Database, now_ms: int, cipher: SecretCipher | None = None) -> int:
    """Make the notices of the next event, in one transaction; return 1, or 0 without an event.

    cipher: makes the links that stop mails; None = mails have none.
    """
    with database.read() as conn:
        if not events.has_unnoticed(conn):
            return 0
    with database.write() as conn:
        event = events.claim_unnoticed(conn)
        if event is None:  # another process was faster
            return 0
        for rule in event.rule.notices:
            _notify(conn, event, rule, now_ms, cipher)
    return 1


def _notify(conn: Connection, event: Event, rule: NoticeRule, now_ms: int, cipher: SecretCipher | None) -> None:
    assert event.seq is not None
    found = hearers_of(conn, event, rule)
    in_bell = [each.account for each in with_channel(conn, event, rule, Channel.BELL, found) if each.may_sign_in]
    bell.add_items(conn, in_bell, event.seq, rule.audience)
    _queue_messages(conn, event, rule, found, now_ms)
    if event.is_silent or event.rule.is_mailed_by_act:
        return
    notice, values = NOTICES[rule.mail], event.values()
    mailed = [each for each in with_channel(conn, event, rule, Channel.MAIL, found) if each.has_email]
    if event.kind is EventKind.MAIL_REFUSED:  # a mail about it to an address that refuses mails would not end
        refusals = mail_log.find_refusals(conn, [each.signer.email for each in mailed])
        mailed = [each for each in mailed if each.signer.email.lower() not in refusals]
    base = settings.find_api_url(conn)
    if rule.page and mailed:  # the people of an audience have the same first page
        values["link"] = f"{base}{page_of(event, rule, notice.page, mailed[0].home)}"
    document = _document_of(conn, event) if mailed else ""
    reached = [
        replace(each.recipient, stop=stop_link(cipher, base, each.account, event.kind), document_id=document)
        for each in mailed
    ]
    send_notice(conn, notice, reached, now_ms, **values)


def _document_of(conn: Connection, event: Event) -> str:
    """Return the id of the document that goes with the mails of an event; "" = none."""
    if event.rule.document is None:
        return ""
    if event.advertiser_id:
        company = Account(AccountKind.ADVERTISER, event.advertiser_id)
    else:
        company = Account(AccountKind.AFFILIATE, str(event.affiliate_id))
    found = documents.find_of(conn, event.rule.document, event.subject, company)
    return "" if found is None else found.id


def _queue_messages(conn: Connection, event: Event, rule: NoticeRule, found: Sequence[Hearer], now_ms: int) -> None:
    """Queue messages to the chats of staff users, in the language of each."""
    staff = [each for each in found if each.account.kind is AccountKind.STAFF and each.may_sign_in]
    if not staff:
        return
    base, notice = settings.find_api_url(conn), NOTICES[rule.mail]
    for channel in sorted(CHATS):
        having = chats.accounts_with(conn, channel, [each.account for each in staff])
        wanted = [each for each in with_channel(conn, event, rule, channel, staff) if each.account.name in having]
        texts = []
        for each in wanted:
            with speaking(language(find_preferences(conn, each.account).language)):
                line = line_of(event, notice.subject)
            page = page_of(event, rule, notice.page, each.home)
            texts.append((each.account, f"{line}\n{base}{page}" if page and base else line))
        chats.add_messages(conn, channel, texts, now_ms)


def with_channel(
    conn: Connection, event: Event, rule: NoticeRule, channel: Channel, hearers: Iterable[Hearer]
) -> Iterator[Hearer]:
    """Yield the people who have a channel on, by the matrix and their choices."""
    everyone = list(hearers)
    by_matrix = rule.is_on(channel)
    if channel in rule.without:
        return
    if event.rule.is_required and channel in rule.channels:
        yield from everyone
        return
    chosen = choices.find_of_kind(conn, [each.account for each in everyone], event.kind)
    for each in everyone:
        if chosen.get(each.account.name, {}).get(channel, by_matrix):
            yield each
