"""Files of offers, stored or still to be fetched (docs/spec/platform.md#files)."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from sqlalchemy import Connection, delete, insert, select, update

from trackyard.domain.offers.offers import Creative
from trackyard.store.engine.rows import Rows
from trackyard.store.tables import fetch, file


@dataclass(frozen=True, slots=True)
class FileRow:
    """A stored file. name: of its sender; size: bytes; created_at: UTC milliseconds.

    is_private: whether only links with a key lead to it (docs/spec/messages.md#threads).
    """

    id: str
    name: str
    mime: str
    size: int
    created_at: int
    is_private: bool = False


@dataclass(frozen=True, slots=True)
class CreativeFetch:
    """A creative to be fetched. attempts: made so far; next_at: UTC milliseconds."""

    id: int
    offer_id: int
    creative_id: int
    url: str
    attempts: int
    next_at: int


find_file = Rows[FileRow, str](file, FileRow).find


def add_files(conn: Connection, rows: Sequence[FileRow]) -> None:
    """Store the rows of files with stored bytes."""
    if rows:
        conn.execute(insert(file), [asdict(row) for row in rows])


def existing_files(conn: Connection, file_ids: Iterable[str]) -> set[str]:
    """Return the ids that belong to a file."""
    return set(conn.execute(select(file.c.id).where(file.c.id.in_(list(file_ids)))).scalars())


def remove_files(conn: Connection, file_ids: Iterable[str]) -> None:
    """Remove the rows of files; the sweep removes their bytes."""
    conn.execute(delete(file).where(file.c.id.in_(list(file_ids))))


def add_fetches(conn: Connection, offer_id: int, creatives: Iterable[Creative], now_ms: int) -> None:
    """Queue creatives that have a URL and no file yet."""
    rows = [
        {"offer_id": offer_id, "creative_id": item.id, "url": item.url, "next_at": now_ms, "created_at": now_ms}
        for item in creatives
    ]
    if rows:
        conn.execute(insert(fetch), rows)


def list_due_fetches(conn: Connection, now_ms: int, limit: int) -> list[CreativeFetch]:
    """Return the due fetches, the oldest first."""
    columns = (fetch.c.id, fetch.c.offer_id, fetch.c.creative_id, fetch.c.url, fetch.c.attempts, fetch.c.next_at)
    query = select(*columns).where(fetch.c.next_at <= now_ms).order_by(fetch.c.next_at, fetch.c.id).limit(limit)
    return [CreativeFetch(**row._mapping) for row in conn.execute(query)]


def claim_fetch(conn: Connection, item: CreativeFetch, until_ms: int) -> bool:
    """Claim a fetch until a moment and count the attempt; False when another worker has it or it is gone."""
    mine = fetch.c.id == item.id, fetch.c.next_at == item.next_at
    taken = conn.execute(update(fetch).where(*mine).values(next_at=until_ms, attempts=item.attempts + 1))
    return taken.rowcount == 1


def retry_fetch(conn: Connection, fetch_id: int, next_at: int) -> None:
    """Put a failed fetch off."""
    conn.execute(update(fetch).where(fetch.c.id == fetch_id).values(next_at=next_at))


def remove_fetch(conn: Connection, fetch_id: int) -> None:
    """Remove a fetch."""
    conn.execute(delete(fetch).where(fetch.c.id == fetch_id))


def remove_fetches_of(conn: Connection, offer_id: int, creative_ids: Iterable[int]) -> None:
    """Remove the fetches of removed creatives."""
    conn.execute(delete(fetch).where(fetch.c.offer_id == offer_id, fetch.c.creative_id.in_(list(creative_ids))))
