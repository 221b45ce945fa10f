"""Add levels and messengers of staff users, and presets."""

import sqlalchemy as sa
from alembic import op

from trackyard.store.engine.types import Document

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

_MESSENGERS = ("whatsapp", "telegram", "viber", "facebook", "wechat", "internal_telegram_username")


def upgrade() -> None:
    """Add the columns and the presets. Staff users that exist have no levels of their own."""
    for name in _MESSENGERS:
        op.add_column("staff", sa.Column(name, sa.String(length=200), nullable=False, server_default=""))
    op.add_column("staff", sa.Column("permissions", Document, nullable=False, server_default=sa.text("'{}'")))
    op.create_table(
        "preset",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("permissions", Document, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_preset")),
    )


def downgrade() -> None:
    """Remove them."""
    op.drop_table("preset")
    for name in ("permissions", *_MESSENGERS):
        op.drop_column("staff", name)
