"""Compatibility switches of statistics that staff users and affiliates override."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("staff", "affiliate"):
        op.add_column(table, sa.Column("statistics_revenue", sa.String(length=16), nullable=True))
        op.add_column(table, sa.Column("statistics_rows", sa.String(length=16), nullable=True))
