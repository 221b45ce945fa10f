"""Add how far the bells of news are."""

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns. News that are shown already ring no bell."""
    op.add_column("news", sa.Column("event_id", sa.String(length=24), nullable=False, server_default=""))
    op.add_column("news", sa.Column("rung_until", sa.String(length=40), nullable=True))
    op.create_index("ix_news_rung_until", "news", ["rung_until"])


def downgrade() -> None:
    """Remove them."""
    op.drop_index("ix_news_rung_until", "news")
    for column in ("rung_until", "event_id"):
        op.drop_column("news", column)
