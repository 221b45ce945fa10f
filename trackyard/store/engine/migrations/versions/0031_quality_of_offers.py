"""Add what offers do with suspicious traffic, and which conversions it holds."""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

_INDEX = "ix_conversion_quality_held"


def upgrade() -> None:
    """Offers that exist count every conversion."""
    op.add_column("offer", sa.Column("quality", sa.String(length=8), nullable=False, server_default="count"))
    op.add_column("conversion", sa.Column("quality_held", sa.Boolean(), nullable=False, server_default=sa.false()))
    held = sa.text("quality_held")
    op.create_index(_INDEX, "conversion", ["offer_id"], sqlite_where=held, postgresql_where=held)


def downgrade() -> None:
    """Remove both."""
    op.drop_index(_INDEX, "conversion")
    op.drop_column("conversion", "quality_held")
    op.drop_column("offer", "quality")
