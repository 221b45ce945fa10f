"""Add costs of advertising."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the costs."""
    op.create_table(
        "ad_cost",
        sa.Column("offer_id", sa.Integer(), nullable=False),
        sa.Column("affiliate_id", sa.Integer(), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("sub8", sa.String(length=500), nullable=False),
        sa.Column("cost", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["affiliate_id"], ["affiliate.id"], name=op.f("fk_ad_cost_affiliate_id")),
        sa.ForeignKeyConstraint(["offer_id"], ["offer.id"], name=op.f("fk_ad_cost_offer_id")),
        sa.PrimaryKeyConstraint("offer_id", "affiliate_id", "day", "sub8", name=op.f("pk_ad_cost")),
    )
    op.create_index("ix_ad_cost_day", "ad_cost", ["day"])
    op.create_index("ix_ad_cost_affiliate_id", "ad_cost", ["affiliate_id"])


def downgrade() -> None:
    """Remove the costs."""
    op.drop_table("ad_cost")
