"""Add which terms of the network affiliates accepted."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the acceptances."""
    op.create_table(
        "terms_acceptance",
        sa.Column("affiliate_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("version", sa.String(length=16), nullable=False),
        sa.Column("accepted_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("affiliate_id", "version", name=op.f("pk_terms_acceptance")),
    )


def downgrade() -> None:
    """Remove the acceptances."""
    op.drop_table("terms_acceptance")
