"""News for affiliates (docs/api/news.md)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class News:
    """A piece of news.

    published: whether affiliates see it.
    pinned: whether it precedes the others.
    created_at, updated_at: UTC milliseconds.
    """

    id: str
    title: str
    summary: str
    body: str
    published: bool
    pinned: bool
    created_at: int
    updated_at: int


@dataclass(frozen=True, slots=True)
class NewsFilter:
    """The filters of a list. drafts: with unpublished news. pinned: None = both."""

    drafts: bool
    pinned: bool | None = None
