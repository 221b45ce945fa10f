"""Add how far the bells of news are, and threads between staff and companies."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns and the tables. News that are shown already ring no bell."""
    op.add_column("news", sa.Column("event_id", sa.String(length=24), nullable=False, server_default=""))
    op.add_column("news", sa.Column("rung_until", sa.String(length=40), nullable=True))
    op.create_index("ix_news_rung_until", "news", ["rung_until"])
    op.create_table(
        "thread",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("subject", sa.String(length=16), nullable=False),
        sa.Column("subject_id", sa.String(length=40), nullable=False),
        sa.Column("company", sa.String(length=40), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("messages", sa.Integer(), nullable=False),
        sa.Column("last_author", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_thread")),
        sa.UniqueConstraint("subject", "subject_id", "company", name=op.f("uq_thread_subject_subject_id_company")),
    )
    op.create_index("ix_thread_company", "thread", ["company", "updated_at"])
    op.create_table(
        "thread_message",
        sa.Column("thread_id", sa.String(length=24), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("author", sa.String(length=64), nullable=False),
        sa.Column("author_name", sa.String(length=255), nullable=False),
        sa.Column("is_staff", sa.Boolean(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("files", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("thread_id", "number", name=op.f("pk_thread_message")),
    )
    op.create_index("ix_thread_message_author", "thread_message", ["author", "at"])
    op.create_table(
        "thread_seen",
        sa.Column("thread_id", sa.String(length=24), nullable=False),
        sa.Column("account", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("thread_id", "account", name=op.f("pk_thread_seen")),
    )


def downgrade() -> None:
    """Remove them."""
    for name in ("thread_seen", "thread_message", "thread"):
        op.drop_table(name)
    op.drop_index("ix_news_rung_until", "news")
    for column in ("rung_until", "event_id"):
        op.drop_column("news", column)
