"""The lines of the outbox."""

from sqlalchemy import select

from trackyard.store.engine.database import Database
from trackyard.store.statistics.outbox import split_block
from trackyard.store.tables import outbox


def queued_lines(database: Database, target: str) -> list[bytes]:
    """The lines on their way to a table of the analytic store, in their order."""
    query = select(outbox.c.payload).where(outbox.c.target == target).order_by(outbox.c.id)
    with database.read() as conn:
        return [
            line
            for payload in conn.execute(query).scalars()
            for row in split_block(payload)
            for line in row.split(b"\n")
        ]
