"""Add which advertiser made a change to the audit log."""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Changes that are there name no advertiser."""
    op.add_column("audit", sa.Column("advertiser_id", sa.String(length=24), nullable=False, server_default=""))


def downgrade() -> None:
    """Remove the column."""
    op.drop_column("audit", "advertiser_id")
