"""Add links with which accounts get a password."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the links."""
    op.create_table(
        "sign_in_link",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("owner", sa.String(length=40), nullable=False),
        sa.Column("mail_id", sa.String(length=24), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_sign_in_link")),
    )
    for name in ("owner", "mail_id", "expires_at"):
        op.create_index(op.f(f"ix_sign_in_link_{name}"), "sign_in_link", [name])


def downgrade() -> None:
    """Remove the links."""
    op.drop_table("sign_in_link")
