"""Add the choice of mails about ends of alerts, and what machines say about their disks and lags."""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

_STATE = ("disk_free", "disk_total", "lag_ms")


def upgrade() -> None:
    """Add the choice of mails about ends, off at first, and the columns that machines fill with heartbeats."""
    op.add_column("alert_choice", sa.Column("mail_ends", sa.Boolean(), nullable=False, server_default=sa.false()))
    for name in _STATE:
        op.add_column("machine", sa.Column(name, sa.BigInteger(), nullable=True))


def downgrade() -> None:
    """Remove both."""
    for name in reversed(_STATE):
        op.drop_column("machine", name)
    op.drop_column("alert_choice", "mail_ends")
