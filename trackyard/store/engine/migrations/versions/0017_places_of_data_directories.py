"""Tell data directories of one path on one host apart, as two containers have them."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the place of a data directory on its host. A server stores it at its start."""
    op.add_column("machine", sa.Column("place", sa.String(length=44), server_default="", nullable=False))


def downgrade() -> None:
    """Remove it."""
    op.drop_column("machine", "place")
