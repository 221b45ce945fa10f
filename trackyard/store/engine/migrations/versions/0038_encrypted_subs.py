"""Add the switch that gives an advertiser codes instead of subs, and the key of its codes."""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add both; every advertiser goes on with the subs."""
    op.add_column(
        "advertiser", sa.Column("subaccounts_encryption", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    op.add_column("advertiser", sa.Column("subs_key", sa.String(length=32), nullable=True))


def downgrade() -> None:
    """Remove both."""
    op.drop_column("advertiser", "subs_key")
    op.drop_column("advertiser", "subaccounts_encryption")
