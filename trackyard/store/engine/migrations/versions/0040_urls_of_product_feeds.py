"""Add the URLs of product feeds, and when each is read."""

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

_COLUMNS = ("url", "last_error", "refresh_hours", "next_read_at", "claimed_until", "last_read_at", "etag", "modified")


def upgrade() -> None:
    """Add the columns. Feeds that exist have a file, and no URL."""
    for name in ("url", "last_error"):
        op.add_column("product_feed", sa.Column(name, sa.Text(), nullable=False, server_default=""))
    op.add_column("product_feed", sa.Column("refresh_hours", sa.Integer(), nullable=False, server_default="24"))
    for name in ("next_read_at", "claimed_until", "last_read_at"):
        op.add_column("product_feed", sa.Column(name, sa.BigInteger(), nullable=True))
    for name in ("etag", "modified"):
        op.add_column("product_feed", sa.Column(name, sa.String(length=300), nullable=False, server_default=""))


def downgrade() -> None:
    """Remove them."""
    for name in _COLUMNS:
        op.drop_column("product_feed", name)
