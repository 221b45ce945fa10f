"""Add the chats of staff users, and the messages that wait for them."""

import sqlalchemy as sa
from alembic import op

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "chat",
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("channel", sa.String(length=8), nullable=False),
        sa.Column("sealed", sa.Text(), nullable=False),
        sa.Column("shown", sa.String(length=300), nullable=False),
        sa.Column("failing_since", sa.BigInteger(), nullable=True),
        sa.Column("failure", sa.String(length=300), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_chat")),
    )
    op.create_index(op.f("ix_chat_account"), "chat", ["account"])
    op.create_table(
        "chat_message",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("channel", sa.String(length=8), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_at", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chat_message")),
    )
    op.create_index(op.f("ix_chat_message_next_at"), "chat_message", ["next_at"])


def downgrade() -> None:
    """Remove the tables."""
    op.drop_table("chat_message")
    op.drop_table("chat")
