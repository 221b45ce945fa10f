"""Threads between staff and the people of a company (docs/spec/messages.md#threads)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from trackyard.domain.people.callers import Account

LONGEST_MESSAGE: Final = 5_000
MOST_AN_HOUR: Final = 30
"""Messages of one account within an hour, in all threads."""
MOST_FILES: Final = 5
FILE_MAX: Final = 5 * 1024 * 1024
"""Bytes of one file."""


class ThreadSubject(StrEnum):
    """The kind of thing that a thread is about."""

    TICKET = "ticket"
    CONVERSION = "conversion"
    OFFER = "offer"
    AFFILIATE = "affiliate"
    ADVERTISER = "advertiser"


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """The messages of staff and one company about one thing.

    subject_id: the id of the thing. company: the name of its account, such as affiliate:7.
    messages: how many it has. last_author: who wrote the last one. Times are UTC milliseconds.
    """

    id: str
    subject: ThreadSubject
    subject_id: str
    company: str
    title: str
    messages: int = 0
    last_author: str = ""
    created_at: int
    updated_at: int

    @property
    def account(self) -> Account:
        """Return the account of the company."""
        return Account.of_name(self.company)


@dataclass(frozen=True, slots=True)
class ThreadFile:
    """A file of a message. id: of the stored file; size: bytes."""

    id: str
    name: str
    mime: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadMessage:
    """A message of a thread. number: from 1. author: the account that wrote it. at: UTC milliseconds."""

    thread_id: str
    number: int
    author: str
    author_name: str
    is_staff: bool
    text: str
    files: tuple[ThreadFile, ...]
    at: int


@dataclass(frozen=True, slots=True)
class ThreadReader:
    """The threads that an account may read.

    account: its name. affiliate_ids, advertiser_ids: of these companies; None = of all of the kind.
    hidden_offers: threads about these offers are not shown.
    """

    account: str
    affiliate_ids: frozenset[int] | None = frozenset()
    advertiser_ids: frozenset[str] | None = frozenset()
    hidden_offers: frozenset[str] = frozenset()


def files_of(stored: Sequence[Mapping[str, Any]]) -> tuple[ThreadFile, ...]:
    """Return files from JSON."""
    return tuple(ThreadFile(**each) for each in stored)
