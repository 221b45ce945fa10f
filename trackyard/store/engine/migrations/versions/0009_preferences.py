"""Add what people chose for their own pages: zone, language, columns."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_DOCUMENT = sa.JSON().with_variant(JSONB(), "postgresql")


def upgrade() -> None:
    """Add the preferences."""
    op.create_table(
        "preference",
        sa.Column("owner", sa.String(length=40), nullable=False),
        sa.Column("timezone", sa.String(length=64), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=False),
        sa.Column("single_keys", sa.Boolean(), nullable=False),
        sa.Column("pages", _DOCUMENT, nullable=False),
        sa.PrimaryKeyConstraint("owner", name=op.f("pk_preference")),
    )


def downgrade() -> None:
    """Remove the preferences."""
    op.drop_table("preference")
