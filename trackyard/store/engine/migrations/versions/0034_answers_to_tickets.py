"""Add what staff answer to tickets."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the answers. Tickets that exist have none."""
    document = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
    op.add_column("ticket", sa.Column("answers", document, nullable=False, server_default=sa.text("'[]'")))


def downgrade() -> None:
    """Remove the answers."""
    op.drop_column("ticket", "answers")
