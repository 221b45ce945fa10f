"""Add whom news are for, until when they are shown, who has seen them, and who gets them by mail."""

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns and the tables. News that are shown already count as shown since they were made."""
    op.add_column("news", sa.Column("audience", sa.String(length=16), nullable=False, server_default="affiliates"))
    op.add_column("news", sa.Column("until", sa.String(length=10), nullable=False, server_default=""))
    op.add_column("news", sa.Column("shown_at", sa.BigInteger(), nullable=False, server_default="0"))
    op.execute("UPDATE news SET shown_at = created_at")
    op.create_table(
        "news_seen",
        sa.Column("owner", sa.String(length=40), nullable=False),
        sa.Column("company", sa.String(length=40), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("owner", "company", name=op.f("pk_news_seen")),
    )
    op.create_table(
        "receiver",
        sa.Column("mailing_id", sa.String(length=24), nullable=False),
        sa.Column("owner", sa.String(length=40), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("mailed_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("mailing_id", "owner", name=op.f("pk_receiver")),
        sa.UniqueConstraint("mailing_id", "email", name=op.f("uq_receiver_mailing_id_email")),
    )
    op.create_index("ix_receiver_waiting", "receiver", ["mailed_at", "mailing_id", "owner"])


def downgrade() -> None:
    """Remove them. News go to affiliates alone."""
    op.drop_table("receiver")
    op.drop_table("news_seen")
    for column in ("shown_at", "until", "audience"):
        op.drop_column("news", column)
