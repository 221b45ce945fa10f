"""Add checks of the URLs of offers."""

import sqlalchemy as sa
from alembic import op

from trackyard.store.engine.types import MaybeDocument

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the checks. The worker notes the offers."""
    op.create_table(
        "url_check",
        sa.Column("offer_id", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("result", MaybeDocument, nullable=True),
        sa.ForeignKeyConstraint(["offer_id"], ["offer.id"], name=op.f("fk_url_check_offer_id")),
        sa.PrimaryKeyConstraint("offer_id", name=op.f("pk_url_check")),
    )
    op.create_index("ix_url_check_due_at", "url_check", ["due_at"])
    op.create_table(
        "url_host",
        sa.Column("host", sa.String(length=255), nullable=False),
        sa.Column("visited_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("host", name=op.f("pk_url_host")),
    )
    op.create_index("ix_url_host_visited_at", "url_host", ["visited_at"])


def downgrade() -> None:
    """Remove the checks."""
    op.drop_table("url_host")
    op.drop_table("url_check")
