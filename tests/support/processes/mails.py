"""The mail that is queued, oldest first."""

from sqlalchemy import text

from tests.support.api import Api
from tests.support.events import make_notices
from trackyard.store.platform.mail import QueuedMail


def mails(api: Api) -> list[QueuedMail]:
    """What would be sent now."""
    make_notices(api.deps.database, api.clock.now_ms())
    statement = text(
        "SELECT id, recipient, subject, body, attempts, created_at, server FROM mail ORDER BY created_at, id"
    )
    with api.deps.database.read() as conn:
        return [QueuedMail(**row._mapping) for row in conn.execute(statement)]
