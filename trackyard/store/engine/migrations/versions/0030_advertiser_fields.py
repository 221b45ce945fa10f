"""Add the newer fields of advertisers, and the affiliates that alone may use their offers."""

import sqlalchemy as sa
from alembic import op

from trackyard.store.engine.types import Document

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the fields. Affiliates on a blacklist stay rejected."""
    op.add_column(
        "advertiser", sa.Column("hide_conversion_status", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    op.add_column("advertiser", sa.Column("custom_fields", Document, nullable=False, server_default=sa.text("'{}'")))
    for name in ("host_uniqueness_number_unique_clicks", "host_uniqueness_time_frame"):
        op.add_column("advertiser", sa.Column(name, sa.Integer(), nullable=True))
    op.add_column("advertiser_blacklist", sa.Column("enabled", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    """Remove them."""
    op.execute("DELETE FROM advertiser_blacklist WHERE enabled")
    op.drop_column("advertiser_blacklist", "enabled")
    names = ("host_uniqueness_time_frame", "host_uniqueness_number_unique_clicks", "custom_fields")
    for name in (*names, "hide_conversion_status"):
        op.drop_column("advertiser", name)
