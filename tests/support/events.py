"""Let events become notices, as the worker does."""

from tests.support.api import CIPHER
from trackyard.actions.events.notifying import notify_next
from trackyard.store.engine.database import Database
from trackyard.store.events import events


def make_notices(database: Database, now_ms: int) -> int:
    """Number the events that wait, and make their notices; return how many events had theirs made."""
    with database.write() as conn:
        while events.number_events(conn, 500):
            pass
    done = 0
    while notify_next(database, now_ms, CIPHER):
        done += 1
    return done
