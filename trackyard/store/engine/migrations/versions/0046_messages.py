"""Add messages of staff to affiliates, and who has them."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0046"
down_revision = "0044"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "message",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("author", sa.String(length=24), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("audience", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("send_at", sa.BigInteger(), nullable=True),
        sa.Column("planned_at", sa.BigInteger(), nullable=True),
        sa.Column("sent_at", sa.BigInteger(), nullable=True),
        sa.Column("cursor", sa.Integer(), nullable=False),
        sa.Column("people", sa.Integer(), nullable=False),
        sa.Column("mails", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(length=200), nullable=False),
        sa.Column("event_id", sa.String(length=24), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_message")),
    )
    op.create_index("ix_message_due", "message", ["state", "send_at"])
    op.create_index("ix_message_author", "message", ["author", "created_at"])
    op.create_table(
        "message_receipt",
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("message_id", sa.String(length=24), nullable=False),
        sa.Column("read_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("account", "message_id", name=op.f("pk_message_receipt")),
    )
    op.create_index("ix_message_receipt_account_read_at", "message_receipt", ["account", "read_at"])
    op.create_index("ix_message_receipt_message_id", "message_receipt", ["message_id"])


def downgrade() -> None:
    """Remove them."""
    op.drop_table("message_receipt")
    op.drop_table("message")
