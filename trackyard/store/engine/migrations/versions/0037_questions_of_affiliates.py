"""Add the type of a ticket: one that asks a question has no offer.

SQLite cannot drop NOT NULL of a column, so that the table is written again there, with its counter of numbers.
"""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None

_NUMBERED = {"sqlite_autoincrement": True}


def upgrade() -> None:
    """Add the type. Tickets that exist ask for a SmartLink or an offer."""
    with op.batch_alter_table("ticket", table_kwargs=_NUMBERED) as batch:
        batch.alter_column("offer_id", existing_type=sa.Integer(), nullable=True)
        batch.add_column(sa.Column("type", sa.String(length=20), nullable=False, server_default="offer"))
    op.execute("UPDATE ticket SET type = 'smartlink_request' WHERE smartlink_id IS NOT NULL")


def downgrade() -> None:
    """Remove the tickets without an offer, and the type."""
    op.execute("DELETE FROM ticket WHERE offer_id IS NULL")
    with op.batch_alter_table("ticket", table_kwargs=_NUMBERED) as batch:
        batch.drop_column("type")
        batch.alter_column("offer_id", existing_type=sa.Integer(), nullable=False)
