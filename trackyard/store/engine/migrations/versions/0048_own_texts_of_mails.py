"""Add the texts of mails that staff write."""

import sqlalchemy as sa
from alembic import op

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table. Every mail keeps its default text."""
    op.create_table(
        "mail_text",
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("button", sa.String(length=60), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "language", name=op.f("pk_mail_text")),
    )


def downgrade() -> None:
    """Remove it. Every mail has its default text again."""
    op.drop_table("mail_text")
