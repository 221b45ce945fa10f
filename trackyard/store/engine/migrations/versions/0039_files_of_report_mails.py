"""Add which files the mails of a saved report have."""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; mails that exist go on with CSV."""
    op.add_column("report_mail", sa.Column("files", sa.String(length=8), nullable=False, server_default="csv"))


def downgrade() -> None:
    """Remove it."""
    op.drop_column("report_mail", "files")
