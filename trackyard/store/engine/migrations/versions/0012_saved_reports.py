"""Add reports that people save."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the saved reports."""
    op.create_table(
        "saved_report",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("owner", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("shared", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_saved_report")),
    )
    op.create_index("ix_saved_report_owner", "saved_report", ["owner"])
    is_shared = sa.text("shared")
    op.create_index(
        "ix_saved_report_shared", "saved_report", ["name"], sqlite_where=is_shared, postgresql_where=is_shared
    )


def downgrade() -> None:
    """Remove the saved reports."""
    op.drop_table("saved_report")
