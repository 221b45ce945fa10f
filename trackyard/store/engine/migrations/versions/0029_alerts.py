"""Add alerts, their mails, and what people chose about them."""

import sqlalchemy as sa
from alembic import op

from trackyard.store.engine.types import Document

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables. The first look at the causes opens the alerts."""
    op.create_table(
        "alert",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("finding", sa.String(length=40), nullable=False),
        sa.Column("subject", sa.String(length=400), nullable=False),
        sa.Column("open_key", sa.String(length=450), nullable=True),
        sa.Column("source", sa.String(length=300), nullable=False),
        sa.Column("evidence", Document, nullable=False),
        sa.Column("offer_id", sa.Integer(), nullable=True),
        sa.Column("affiliate_id", sa.Integer(), nullable=True),
        sa.Column("advertiser_id", sa.String(length=24), nullable=True),
        sa.Column("opened_at", sa.BigInteger(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alert")),
        sa.UniqueConstraint("open_key", name=op.f("uq_alert_open_key")),
    )
    op.create_index("ix_alert_closed_at", "alert", ["closed_at"])
    op.create_index("ix_alert_opened_at", "alert", ["opened_at", "id"])
    op.create_table(
        "alert_notice",
        sa.Column("owner", sa.String(length=40), nullable=False),
        sa.Column("alert_id", sa.String(length=24), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("owner", "alert_id", name=op.f("pk_alert_notice")),
    )
    op.create_index("ix_alert_notice_due_at", "alert_notice", ["due_at"])
    op.create_table(
        "alert_choice",
        sa.Column("owner", sa.String(length=40), nullable=False),
        sa.Column("ways", Document, nullable=False),
        sa.Column("quiet_from", sa.String(length=5), nullable=False),
        sa.Column("quiet_until", sa.String(length=5), nullable=False),
        sa.Column("errors_pass", sa.Boolean(), nullable=False),
        sa.Column("digest", sa.String(length=8), nullable=False),
        sa.Column("digest_hour", sa.Integer(), nullable=False),
        sa.Column("digest_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("owner", name=op.f("pk_alert_choice")),
    )
    op.create_index("ix_alert_choice_digest_at", "alert_choice", ["digest_at"])


def downgrade() -> None:
    """Remove the tables."""
    op.drop_table("alert_choice")
    op.drop_table("alert_notice")
    op.drop_table("alert")
