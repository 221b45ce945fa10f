"""Add the signals of conversions, and the usual times from click to conversion that they are found by."""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Conversions that exist have no signals."""
    op.add_column("conversion", sa.Column("signals", sa.Integer(), nullable=False, server_default="0"))
    op.create_table(
        "usual_time",
        sa.Column("offer_id", sa.Integer(), nullable=False),
        sa.Column("goal", sa.String(length=255), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("first", sa.BigInteger(), nullable=False),
        sa.Column("third", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("offer_id", "goal", name="pk_usual_time"),
    )


def downgrade() -> None:
    """Remove both."""
    op.drop_table("usual_time")
    op.drop_column("conversion", "signals")
