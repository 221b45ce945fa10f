"""Add product feeds and their products."""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

_TEXTS = (
    *(("sku", 200), ("brand", 200), ("brand_sku", 200), ("category", 200), ("subcategory", 200), ("name", 500)),
    *(("url", None), ("image_url", None), ("description", None), ("price", 30), ("currency", 3), ("availability", 50)),
)


def upgrade() -> None:
    """Add the feeds and their products. Values of product_feed_id that name no feed stay as they are."""
    op.create_table(
        "product_feed",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("items", sa.Integer(), nullable=False),
        sa.Column("items_at", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_product_feed")),
    )
    op.create_table(
        "product_item",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("feed_id", sa.String(length=24), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        *(
            sa.Column(name, sa.Text() if length is None else sa.String(length=length), nullable=False)
            for name, length in _TEXTS
        ),
        sa.ForeignKeyConstraint(["feed_id"], ["product_feed.id"], name=op.f("fk_product_item_feed_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_product_item")),
    )
    op.create_index("ix_product_item_feed_id_place", "product_item", ["feed_id", "place"], unique=True)


def downgrade() -> None:
    """Remove both."""
    op.drop_table("product_item")
    op.drop_table("product_feed")
