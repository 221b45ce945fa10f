"""Number the states of conversions among the events."""

import sqlalchemy as sa
from alembic import op

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None

_WAITS = sa.text("seq IS NULL")
_NUMBERED = sa.text("seq > 0")


def upgrade() -> None:
    """Add the column. The default marks what happened before as no event, without a rewrite of the table."""
    op.add_column("conversion_event", sa.Column("seq", sa.BigInteger(), nullable=True, server_default="0"))
    op.create_index(
        "ix_conversion_event_waits", "conversion_event", ["at"], sqlite_where=_WAITS, postgresql_where=_WAITS
    )
    op.create_index(
        "ix_conversion_event_seq",
        "conversion_event",
        ["seq"],
        unique=True,
        sqlite_where=_NUMBERED,
        postgresql_where=_NUMBERED,
    )


def downgrade() -> None:
    """Remove the column."""
    op.drop_index("ix_conversion_event_seq", "conversion_event")
    op.drop_index("ix_conversion_event_waits", "conversion_event")
    op.drop_column("conversion_event", "seq")
