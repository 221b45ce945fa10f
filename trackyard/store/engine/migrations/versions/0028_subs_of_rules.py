"""Add the values of subs that rules judge."""

import sqlalchemy as sa
from alembic import op

from trackyard.store.engine.types import Document

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Rules that exist judge every value."""
    op.add_column("automation_rule", sa.Column("subs", Document, nullable=False, server_default=sa.text("'[]'")))


def downgrade() -> None:
    """Remove the values."""
    op.drop_column("automation_rule", "subs")
