"""Add the payment terms of affiliates, and when their payment systems changed."""

import sqlalchemy as sa
from alembic import op

revision = "0054"
down_revision = "0053"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; affiliates are paid at once, as before."""
    op.add_column("affiliate", sa.Column("payment_terms", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("affiliate", sa.Column("payee_changed_at", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    """Remove them."""
    op.drop_column("affiliate", "payee_changed_at")
    op.drop_column("affiliate", "payment_terms")
