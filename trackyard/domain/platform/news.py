"""News for affiliates and advertisers (docs/api/news.md)."""

from dataclasses import dataclass
from enum import StrEnum

from trackyard.domain.people.callers import AccountKind


class NewsAudience(StrEnum):
    """The readers of news: companies of one kind, or of both."""

    AFFILIATES = "affiliates"
    ADVERTISERS = "advertisers"
    ALL = "all"

    @property
    def kinds(self) -> tuple[AccountKind, ...]:
        """Return the kinds of companies that see the news."""
        return {
            NewsAudience.AFFILIATES: (AccountKind.AFFILIATE,),
            NewsAudience.ADVERTISERS: (AccountKind.ADVERTISER,),
        }.get(self, (AccountKind.AFFILIATE, AccountKind.ADVERTISER))


@dataclass(frozen=True, slots=True)
class News:
    """A piece of news.

    published: whether its audience sees it.
    pinned: whether it precedes the others.
    created_at, updated_at, shown_at: UTC milliseconds; shown_at = when it was last published.
    event_id: the event of its bells. rung_until: the name of the last company that has it, None = all have it.
    until: the last day on which it is shown, in the platform's zone, such as "2026-12-31"; "" = no end.
    """

    id: str
    title: str
    summary: str
    body: str
    published: bool
    pinned: bool
    created_at: int
    updated_at: int
    audience: NewsAudience = NewsAudience.AFFILIATES
    until: str = ""
    shown_at: int = 0
    event_id: str = ""
    rung_until: str | None = None

    def is_shown(self, today: str) -> bool:
        """Return whether its audience sees it on a day of the platform's zone."""
        return self.published and (not self.until or self.until >= today)


@dataclass(frozen=True, slots=True)
class NewsFilter:
    """The filters of a list.

    drafts: with news that are not shown. today: the day in the platform's zone.
    reader: the kind of the company that reads; None = news for any.
    pinned: None = both. after: only news that were shown after this moment (UTC milliseconds).
    """

    drafts: bool
    today: str = ""
    reader: AccountKind | None = None
    pinned: bool | None = None
    after: int | None = None
