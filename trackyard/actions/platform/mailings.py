"""Mails of news to many people, each person once (docs/spec/platform.md#news).

The receivers are rows, fixed in one transaction; a job queues their mails in batches, each in the transaction that
marks its rows.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import groupby
from typing import Final

from trackyard.actions.events.stops import stop_link
from trackyard.actions.platform import notices
from trackyard.actions.platform.notices import Recipient, send_notice
from trackyard.base.markup import plain_text
from trackyard.base.secrets import SecretCipher
from trackyard.domain.events.kinds import Channel, EventKind
from trackyard.domain.people.advertisers import AdvertiserContact, AdvertiserFilter, AdvertiserStatus
from trackyard.domain.people.affiliates import AffiliateFilter, AffiliateStatus
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.news import News, NewsFilter
from trackyard.store.engine.database import Connection, Database
from trackyard.store.events import choices
from trackyard.store.people import advertisers, affiliates
from trackyard.store.platform import news, receivers, settings
from trackyard.store.platform.receivers import Receiver

BATCH: Final = 50
"""Mails that one transaction queues."""


def affiliates_to(
    conn: Connection, scope: Scope, criteria: AffiliateFilter, offer_ids: Iterable[int] = ()
) -> dict[Account, Recipient]:
    """Return the chosen affiliates in scope as recipients of mail."""
    found = map(notices.recipient_of, affiliates.names_to(conn, scope, criteria, offer_ids))
    return {each.owner: each for each in found if each.owner is not None}


def advertisers_to(
    conn: Connection, scope: Scope, criteria: AdvertiserFilter, offer_ids: Iterable[int] = ()
) -> dict[Account, Recipient]:
    """Return the chosen advertisers in scope that have an e-mail address as recipients of mail."""
    found = map(_advertiser, advertisers.contacts_to(conn, scope, criteria, offer_ids))
    return {each.owner: each for each in found if each.owner is not None}


def readers_of(conn: Connection, found: News) -> dict[Account, Recipient]:
    """Return the active companies that news are for."""
    readers = dict[Account, Recipient]()
    if AccountKind.AFFILIATE in found.audience.kinds:
        chosen = AffiliateFilter(statuses=(AffiliateStatus.ACTIVE,))
        readers |= affiliates_to(conn, Scope.everything(), chosen)
    if AccountKind.ADVERTISER in found.audience.kinds:
        active = AdvertiserFilter(statuses=(AdvertiserStatus.ACTIVE,))
        readers |= advertisers_to(conn, Scope.everything(), active)
    return readers


def queue_mails(database: Database, now_ms: int, cipher: SecretCipher | None = None) -> int:
    """Queue the mails of the next receivers, each once; return how many were looked at.

    cipher: makes the links that stop mails; None = mails have none.
    """
    with database.read() as conn:
        if not receivers.has_waiting(conn):
            return 0
    with database.write() as conn:
        claimed = receivers.claim(conn, BATCH)
        for mailing_id, group in groupby(claimed, lambda each: each.mailing_id):
            found = news.find_news(conn, mailing_id, NewsFilter(drafts=True))
            members = list(group)
            people = {} if found is None else _wanting(conn, _active_people(conn, members))
            receivers.remove_receivers(conn, [each for each in members if each.account not in people])
            if found is not None:
                _mail_news(conn, found, people, now_ms, cipher)
            receivers.mark_mailed(conn, [each for each in members if each.account in people], now_ms)
        return len(claimed)


def _active_people(conn: Connection, members: Iterable[Receiver]) -> Mapping[Account, Recipient]:
    """Return the receivers that are still active, as recipients of mail."""
    accounts = [each.account for each in members]
    ids = tuple(int(each.id) for each in accounts if each.kind is AccountKind.AFFILIATE)
    names = tuple(each.id for each in accounts if each.kind is AccountKind.ADVERTISER)
    found = dict[Account, Recipient]()
    if ids:
        active = AffiliateFilter(ids=ids, statuses=(AffiliateStatus.ACTIVE,))
        found |= affiliates_to(conn, Scope.everything(), active)
    if names:
        active_ones = AdvertiserFilter(ids=names, statuses=(AdvertiserStatus.ACTIVE,))
        found |= advertisers_to(conn, Scope.everything(), active_ones)
    return found


def _wanting(conn: Connection, people: Mapping[Account, Recipient]) -> dict[Account, Recipient]:
    """Return the people who did not switch off mails of news."""
    chosen = choices.find_of_kind(conn, list(people), EventKind.NEWS_PUBLISHED)
    return {account: each for account, each in people.items() if chosen.get(account.name, {}).get(Channel.MAIL, True)}


def _mail_news(
    conn: Connection, found: News, people: Mapping[Account, Recipient], now_ms: int, cipher: SecretCipher | None
) -> None:
    base = settings.find_api_url(conn)
    recipients = [
        replace(each, stop=stop_link(cipher, base, account, EventKind.NEWS_PUBLISHED))
        for account, each in people.items()
    ]
    text = "\n\n".join(part for part in (plain_text(found.summary), plain_text(found.body)) if part)
    send_notice(conn, notices.NEWS, recipients, now_ms, title=found.title, text=text)


def _advertiser(found: AdvertiserContact) -> Recipient:
    """Return an advertiser as a recipient of mail."""
    return Recipient(found.email, found.name, Account(AccountKind.ADVERTISER, found.id))
