"""Add the SmartLink that a ticket asks for."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the SmartLink. Tickets that exist ask for an offer."""
    op.add_column("ticket", sa.Column("smartlink_id", sa.String(length=24), nullable=True))


def downgrade() -> None:
    """Remove the tickets that ask for a SmartLink, and the column."""
    op.execute("DELETE FROM ticket WHERE smartlink_id IS NOT NULL")
    op.drop_column("ticket", "smartlink_id")
