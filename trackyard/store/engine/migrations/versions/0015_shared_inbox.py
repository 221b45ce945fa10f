"""Let several workers share the inbox: each postback has the hash of its offer."""

import json

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_HASHES = 32
_PLACE_OF_OFFER = 4
"""Place of the offer's id in the record of a click."""


def upgrade() -> None:
    """Add the hash, also to postbacks that wait: those of one offer stay in order."""
    op.add_column("inbox", sa.Column("offer_hash", sa.Integer(), nullable=False, server_default="0"))
    inbox = sa.table(
        "inbox", sa.column("id", sa.BigInteger), sa.column("click", sa.LargeBinary), sa.column("offer_hash", sa.Integer)
    )
    connection = op.get_bind()
    rows = connection.execute(sa.select(inbox.c.id, inbox.c.click).where(inbox.c.click.is_not(None))).all()
    hashed = [{"key": key, "hash": _hash_of(click)} for key, click in rows]
    if hashed:
        statement = sa.update(inbox).where(inbox.c.id == sa.bindparam("key")).values(offer_hash=sa.bindparam("hash"))
        connection.execute(statement, hashed)
    op.create_index("ix_inbox_state_offer_hash", "inbox", ["state", "offer_hash", "id"])


def downgrade() -> None:
    """Remove the hash."""
    op.drop_index("ix_inbox_state_offer_hash", "inbox")
    op.drop_column("inbox", "offer_hash")


def _hash_of(click: bytes) -> int:
    try:
        return int(json.loads(click)[_PLACE_OF_OFFER]) % _HASHES
    except (ValueError, TypeError, LookupError):
        return 0
