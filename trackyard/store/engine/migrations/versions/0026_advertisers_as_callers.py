"""Let advertisers sign in."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add what an advertiser needs as a caller. Those that exist are active, and see no affiliates."""
    op.add_column("advertiser", sa.Column("status", sa.String(length=16), nullable=False, server_default="active"))
    op.add_column("advertiser", sa.Column("sees_affiliates", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("advertiser", sa.Column("last_login_at", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    """Remove it."""
    for name in ("last_login_at", "sees_affiliates", "status"):
        op.drop_column("advertiser", name)
