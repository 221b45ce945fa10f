"""Keep the words of the last decision about an affiliate or an advertiser."""

import sqlalchemy as sa
from alembic import op

revision = "0053"
down_revision = "0052"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; earlier decisions have no words."""
    for table in ("affiliate", "advertiser"):
        op.add_column(table, sa.Column("decision_words", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    """Remove the columns."""
    for table in ("affiliate", "advertiser"):
        op.drop_column(table, "decision_words")
