"""Add the newer fields of offers, and bodies of deliveries."""

import sqlalchemy as sa
from alembic import op

from trackyard.store.engine.types import Document

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def _text(name: str, length: int, default: str) -> sa.Column[str]:
    return sa.Column(name, sa.String(length=length), nullable=False, server_default=default)


_TEXTS = (
    ("cross_postback_method", 4, "get"),
    ("hold_type", 8, "days"),
    ("host_uniqueness_type", 8, "cookie"),
    ("freshness", 16, "default"),
    ("sign_clicks_integration", 16, "no_sign"),
    ("skad_app_id", 500, ""),
    ("redirect_param", 500, ""),
    ("product_feed_id", 500, ""),
)
_FLAGS = ("is_impression_overcap", "hosts_only")
_DOCUMENTS = (
    ("additional_impression_destination_urls", "'[]'"),
    ("managers", "'[]'"),
    ("macros_replacement", "'{}'"),
    ("macros_replacement_enabled", "'[]'"),
)


def upgrade() -> None:
    """Give offers that exist the values that they had in effect."""
    for name, length, default in _TEXTS:
        op.add_column("offer", _text(name, length, default))
    for name in _FLAGS:
        op.add_column("offer", sa.Column(name, sa.Boolean(), nullable=False, server_default=sa.false()))
    for name, empty in _DOCUMENTS:
        op.add_column("offer", sa.Column(name, Document, nullable=False, server_default=sa.text(empty)))
    op.add_column(
        "offer", sa.Column("duplicate_clicks_threshold", sa.Integer(), nullable=False, server_default=sa.text("0"))
    )
    op.add_column("offer", sa.Column("cross_postback_body", sa.Text(), nullable=True))
    op.add_column("offer", sa.Column("privacy_level", sa.Integer(), nullable=True))
    op.add_column("delivery", sa.Column("body", sa.Text(), nullable=True))


def downgrade() -> None:
    """Remove the fields."""
    op.drop_column("delivery", "body")
    names = ("privacy_level", "cross_postback_body", "duplicate_clicks_threshold")
    for name in (*names, *(each[0] for each in _DOCUMENTS), *_FLAGS, *(each[0] for each in _TEXTS)):
        op.drop_column("offer", name)
