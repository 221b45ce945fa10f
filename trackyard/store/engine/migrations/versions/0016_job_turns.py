"""Add turns of scheduled jobs, which several machines share."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table. Every job is due."""
    op.create_table(
        "job_turn",
        sa.Column("job", sa.String(length=40), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("job", name=op.f("pk_job_turn")),
    )


def downgrade() -> None:
    """Remove the table."""
    op.drop_table("job_turn")
