"""Lease edge numbers: when each was last used and given back, and which machines there are."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the ends of leases, earlier leases and machines."""
    op.add_column("edge", sa.Column("ended_at", sa.BigInteger(), nullable=True))
    op.add_column("edge_progress", sa.Column("used_until", sa.BigInteger(), server_default="0", nullable=False))
    op.execute("UPDATE edge_progress SET used_until = loaded_until")  # what was loaded may have been clicks
    op.create_table(
        "past_edge",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("claimed_at", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=False),
        sa.Column("directory_id", sa.String(length=24), nullable=False),
        sa.Column("slot", sa.Integer(), nullable=False),
        sa.Column("journal", sa.String(length=40), nullable=False),
        sa.PrimaryKeyConstraint("number", "claimed_at", name=op.f("pk_past_edge")),
    )
    op.create_table(
        "machine",
        sa.Column("directory_id", sa.String(length=24), nullable=False),
        sa.Column("host", sa.String(length=255), nullable=False),
        sa.Column("boot_id", sa.String(length=40), nullable=False),
        sa.Column("directory", sa.Text(), nullable=False),
        sa.Column("roles", sa.String(length=64), nullable=False),
        sa.Column("has_own_statistics", sa.Boolean(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.Column("stopped_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("directory_id", name=op.f("pk_machine")),
    )


def downgrade() -> None:
    """Remove the ends of leases, earlier leases and machines."""
    op.drop_table("machine")
    op.drop_table("past_edge")
    op.drop_column("edge_progress", "used_until")
    op.drop_column("edge", "ended_at")
