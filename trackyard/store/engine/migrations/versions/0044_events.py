"""Add events, the bell, and what people chose about notices."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables. What happened before has no events."""
    op.create_table(
        "event",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=True),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.String(length=64), nullable=False),
        sa.Column("subject", sa.String(length=40), nullable=False),
        sa.Column("affiliate_id", sa.Integer(), nullable=True),
        sa.Column("advertiser_id", sa.String(length=24), nullable=False),
        sa.Column("offer_id", sa.Integer(), nullable=True),
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("is_silent", sa.Boolean(), nullable=False),
        sa.Column("payload", sa.JSON().with_variant(postgresql.JSONB(), "postgresql"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
        sa.UniqueConstraint("seq", name=op.f("uq_event_seq")),
    )
    op.create_index(op.f("ix_event_at"), "event", ["at"])
    op.create_index(op.f("ix_event_affiliate_id"), "event", ["affiliate_id"])
    clock = op.create_table(
        "event_clock",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("numbered", sa.BigInteger(), nullable=False),
        sa.Column("noticed", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event_clock")),
    )
    op.bulk_insert(clock, [{"id": 1, "numbered": 0, "noticed": 0}])
    op.create_table(
        "bell_item",
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("audience", sa.String(length=16), nullable=False),
        sa.Column("is_read", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("account", "seq", name=op.f("pk_bell_item")),
    )
    op.create_index("ix_bell_item_account_is_read", "bell_item", ["account", "is_read"])
    op.create_index("ix_bell_item_seq", "bell_item", ["seq"])
    op.create_table(
        "notice_choice",
        sa.Column("account", sa.String(length=40), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("channel", sa.String(length=8), nullable=False),
        sa.Column("is_on", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("account", "kind", "channel", name=op.f("pk_notice_choice")),
    )


def downgrade() -> None:
    """Remove them."""
    for name in ("notice_choice", "bell_item", "event_clock", "event"):
        op.drop_table(name)
