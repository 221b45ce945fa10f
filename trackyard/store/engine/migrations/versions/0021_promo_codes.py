"""Add promo codes, and the promo codes of conversions."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the promo codes. Conversions that exist were made by clicks."""
    op.create_table(
        "promo_code",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("code", sa.String(length=36), nullable=False),
        sa.Column("folded", sa.String(length=36), nullable=False),
        sa.Column("description", sa.String(length=130), nullable=False),
        sa.Column("offer_id", sa.Integer(), nullable=False),
        sa.Column("affiliate_id", sa.Integer(), nullable=False),
        sa.Column("usage_limit", sa.Integer(), nullable=True),
        *(
            sa.Column(name, sa.BigInteger(), nullable=False)
            for name in ("date_from", "date_to", "created_at", "updated_at")
        ),
        sa.ForeignKeyConstraint(["affiliate_id"], ["affiliate.id"], name=op.f("fk_promo_code_affiliate_id")),
        sa.ForeignKeyConstraint(["offer_id"], ["offer.id"], name=op.f("fk_promo_code_offer_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_promo_code")),
        sa.UniqueConstraint("folded", name=op.f("uq_promo_code_folded")),
    )
    op.create_index("ix_promo_code_offer_id", "promo_code", ["offer_id"])
    op.create_index("ix_promo_code_affiliate_id", "promo_code", ["affiliate_id"])
    op.add_column("conversion", sa.Column("promo_code", sa.String(length=36), nullable=True))
    named = sa.text("promo_code IS NOT NULL")
    op.create_index(
        "ix_conversion_promo_code", "conversion", ["promo_code"], sqlite_where=named, postgresql_where=named
    )


def downgrade() -> None:
    """Remove the promo codes."""
    op.drop_index("ix_conversion_promo_code", "conversion")
    op.drop_column("conversion", "promo_code")
    op.drop_table("promo_code")
