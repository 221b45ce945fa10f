"""News: read by all, written by staff (docs/api/news.md); drafts only by callers that may write."""

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any

from trackyard.actions.deps import Deps
from trackyard.actions.events.publishing import publish
from trackyard.actions.platform.mailings import readers_of
from trackyard.base.errors import Conflict, required
from trackyard.base.ids import new_id
from trackyard.domain.events.events import Concerned
from trackyard.domain.events.kinds import EventKind
from trackyard.domain.people.callers import Caller, StaffCaller
from trackyard.domain.people.roles import Permission
from trackyard.domain.platform.news import News, NewsAudience, NewsFilter
from trackyard.store.engine.database import Connection
from trackyard.store.platform import news, receivers


@dataclass(frozen=True, slots=True, kw_only=True)
class NewNews:
    """New news of staff.

    until: the last day on which it is shown; None = no end.
    """

    title: str
    summary: str
    body: str
    published: bool
    pinned: bool
    audience: NewsAudience
    until: date | None


@dataclass(frozen=True, slots=True)
class NewsMailing:
    """The numbers of people that get news by mail.

    added: now. before: by an earlier sending.
    """

    added: int
    before: int


def list_news(deps: Deps, caller: Caller, *, pinned: bool | None, skip: int, limit: int) -> tuple[list[News], int]:
    """Return `limit` news after the first `skip`, and the total. pinned: None is both.

    Pinned ones come first; each group is ordered newest first.
    """
    with deps.database.read() as conn:
        return news.list_news(conn, replace(_visible_to(deps, caller), pinned=pinned), skip=skip, limit=limit)


def get_news(deps: Deps, caller: Caller, news_id: str) -> News:
    """Return the news of an id.

    Raises NotFound, also for what the caller's lists do not have.
    """
    with deps.database.read() as conn:
        return required(news.find_news(conn, news_id, _visible_to(deps, caller)))


def count_unread(deps: Deps, caller: Caller) -> int:
    """Return how many news were shown since the person last read the news of its company."""
    with deps.database.read() as conn:
        after = news.seen_at(conn, caller.signer, caller.company)
        return news.count_news(conn, replace(_visible_to(deps, caller), after=after))


def mark_seen(deps: Deps, caller: Caller) -> None:
    """Store that the person reads the news now."""
    with deps.database.write() as conn:
        news.mark_seen(conn, caller.signer, caller.company, deps.clock.now_ms())


def add_news(deps: Deps, new: NewNews) -> News:
    """Create news."""
    now = deps.clock.now_ms()
    made = News(
        new_id(now),
        new.title,
        new.summary,
        new.body,
        new.published,
        new.pinned,
        created_at=now,
        updated_at=now,
        audience=new.audience,
        until=_day_text(new.until),
        shown_at=now,
    )
    with deps.database.write() as conn:
        if made.published:
            made = replace(made, **_ring(conn, made.id, made.title, now))
        news.add_news(conn, made)
    return made


def edit_news(deps: Deps, news_id: str, changes: dict[str, Any]) -> News:
    """Change columns of news. Raises NotFound."""
    now = deps.clock.now_ms()
    values = changes | {"updated_at": now}
    if "until" in values:
        values["until"] = _day_text(values["until"])
    with deps.database.write() as conn:
        before = _locked(conn, news_id)
        if values.get("published") and not before.published:
            values |= {"shown_at": now} | _ring(conn, before.id, values.get("title", before.title), now)
        news.edit_news(conn, before.id, values)
    return replace(before, **values)


def remove_news(deps: Deps, news_id: str) -> News:
    """Remove news and return the removed record. Raises NotFound.

    Its mails that are not queued yet are not sent.
    """
    with deps.database.write() as conn:
        removed = _locked(conn, news_id)
        receivers.remove_mailing(conn, removed.id)
        news.remove_news(conn, removed.id)
    return removed


def send_news(deps: Deps, news_id: str, *, dry_run: bool) -> NewsMailing:
    """Mail news to the active companies that they are for.

    Each person gets them once, even when they are sent again. dry_run: only count.
    Raises NotFound, and Conflict for news that are not shown.
    """
    with deps.database.write() as conn:
        found = _locked(conn, news_id)
        if not found.is_shown(_today(deps)):
            raise Conflict({"status": ["These news are not shown, so they cannot be mailed. Publish them first."]})
        before = receivers.counts_of(conn, [found.id]).get(found.id, receivers.ReceiverCounts()).total
        chosen = {account: each.email for account, each in readers_of(conn, found).items()}
        if dry_run:
            return NewsMailing(receivers.count_new(conn, found.id, chosen), before)
        return NewsMailing(receivers.add_receivers(conn, found.id, chosen), before)


def _ring(conn: Connection, news_id: str, title: str, now_ms: int) -> dict[str, Any]:
    """Publish the event of news that are shown from now on; return the columns of its bells."""
    event = publish(conn, EventKind.NEWS_PUBLISHED, now_ms, Concerned(news_id), title=title)
    return {"event_id": event.id, "rung_until": ""}


def _visible_to(deps: Deps, caller: Caller) -> NewsFilter:
    if isinstance(caller, StaffCaller):
        return NewsFilter(drafts=caller.may(Permission.NEWS_WRITE), today=_today(deps))
    return NewsFilter(drafts=False, today=_today(deps), reader=caller.company.kind)


def _today(deps: Deps) -> str:
    return str(datetime.fromtimestamp(deps.clock.now_ms() / 1000, UTC).astimezone(deps.zone).date())


def _day_text(day: date | None) -> str:
    return "" if day is None else str(day)


def _locked(conn: Connection, news_id: str) -> News:
    return required(news.find_news(conn, news_id, NewsFilter(drafts=True), lock=True))
