"""Put news that are shown into the bells of their readers (docs/spec/platform.md#news).

Companies are taken in batches, each in one transaction with the mark how far the news are. Staff send the mails.
"""

from typing import Final

from trackyard.actions.events.audiences import Hearer, people_of_advertisers, people_of_affiliates
from trackyard.actions.events.notifying import with_channel
from trackyard.domain.events.kinds import EVENT_RULES, Channel, EventAudience, EventKind
from trackyard.domain.people.advertisers import AdvertiserFilter, AdvertiserStatus
from trackyard.domain.people.affiliates import AffiliateFilter, AffiliateStatus
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.news import News
from trackyard.store.engine.database import Connection, Database
from trackyard.store.events import bell, events
from trackyard.store.people import advertisers, affiliates
from trackyard.store.platform import news

BATCH: Final = 200
"""Companies of one transaction."""
[RULE] = EVENT_RULES[EventKind.NEWS_PUBLISHED].notices
"""The notice of news."""


def ring_next(database: Database) -> int:
    """Put news into the bells of the next companies; return 1, or 0 without any."""
    with database.read() as conn:
        if not news.has_unrung(conn):
            return 0
    with database.write() as conn:
        found = news.claim_unrung(conn)
        event = None if found is None else events.find_event(conn, found.event_id)
        if found is None or (event is not None and event.seq is None):
            return 0
        if event is None or event.seq is None or not found.published:
            news.edit_news(conn, found.id, {"rung_until": None})
            return 1
        people, last = _next_people(conn, found)
        rung = with_channel(conn, event, RULE, Channel.BELL, people)
        bell.add_items(conn, [each.account for each in rung], event.seq, EventAudience.READERS)
        news.edit_news(conn, found.id, {"rung_until": None if last is None else last.name})
    return 1


def _next_people(conn: Connection, found: News) -> tuple[list[Hearer], Account | None]:
    """Return the people of the next companies, and the last of these; None = the end.

    Affiliates come first, then advertisers, each in the order of their ids.
    """
    after = Account.of_name(found.rung_until) if found.rung_until else None
    scope, kinds = Scope.everything(), found.audience.kinds
    if AccountKind.AFFILIATE in kinds and (after is None or after.kind is AccountKind.AFFILIATE):
        chosen = AffiliateFilter(statuses=(AffiliateStatus.ACTIVE,))
        names = affiliates.names_to(conn, scope, chosen, after=int(after.id) if after else 0, most=BATCH)
        if names:
            last = Account(AccountKind.AFFILIATE, str(names[-1].id))
            return people_of_affiliates(conn, names, {each.id for each in names}), last
        after = None
    if AccountKind.ADVERTISER not in kinds:
        return [], None
    active = AdvertiserFilter(statuses=(AdvertiserStatus.ACTIVE,))
    contacts = advertisers.contacts_to(conn, scope, active, after=after.id if after else "", most=BATCH)
    if not contacts:
        return [], None
    return people_of_advertisers(conn, contacts), Account(AccountKind.ADVERTISER, contacts[-1].id)
