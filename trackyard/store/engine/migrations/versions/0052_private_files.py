"""Mark files that only their readers get."""

import sqlalchemy as sa
from alembic import op

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; files of threads are private."""
    op.add_column("file", sa.Column("is_private", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    """Remove the column."""
    op.drop_column("file", "is_private")
