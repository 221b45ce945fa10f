"""Add comparisons of files with our conversions."""

import sqlalchemy as sa
from alembic import op

from trackyard.store.engine.types import Document

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the comparisons."""
    op.create_table(
        "comparison",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("side", sa.String(length=16), nullable=False),
        sa.Column("subject_id", sa.String(length=24), nullable=False),
        sa.Column("file_name", sa.String(length=200), nullable=False),
        sa.Column("created_by", sa.String(length=40), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("day_from", sa.String(length=10), nullable=False),
        sa.Column("day_to", sa.String(length=10), nullable=False),
        sa.Column("zone", sa.String(length=64), nullable=False),
        *(sa.Column(name, Document, nullable=False) for name in ("columns", "words", "sums")),
        sa.Column("rows", sa.Integer(), nullable=False),
        *(sa.Column(name, Document, nullable=False) for name in ("differences", "accepted")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comparison")),
    )
    op.create_index("ix_comparison_side", "comparison", ["side", "subject_id", "created_at"])


def downgrade() -> None:
    """Remove the comparisons."""
    op.drop_table("comparison")
