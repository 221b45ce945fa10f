"""Add notes and accounts of payments to affiliates, and corrections of single payments."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns. Payments and corrections that exist have none of them."""
    for name in ("note", "account"):
        op.add_column("payment", sa.Column(name, sa.Text(), nullable=False, server_default=""))
    op.add_column("payment", sa.Column("system_id", sa.Integer(), nullable=True))
    op.add_column("correction", sa.Column("payment_id", sa.Integer(), nullable=True))
    op.add_column("correction", sa.Column("removed_at", sa.BigInteger(), nullable=True))
    op.create_index("ix_correction_payment_id", "correction", ["payment_id"])


def downgrade() -> None:
    """Remove the columns."""
    op.drop_index("ix_correction_payment_id", "correction")
    for name in ("removed_at", "payment_id"):
        op.drop_column("correction", name)
    for name in ("system_id", "account", "note"):
        op.drop_column("payment", name)
