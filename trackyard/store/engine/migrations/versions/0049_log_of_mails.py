"""Add the links that stop mails, the log of mails, and addresses that refuse them."""

import sqlalchemy as sa
from alembic import op

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column and the tables. Mails that wait are in the log once they are sent or given up."""
    op.add_column("mail", sa.Column("stop", sa.Text(), nullable=False, server_default=""))
    op.create_table(
        "mail_log",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("recipient", sa.String(length=254), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mail_log")),
    )
    op.create_index("ix_mail_log_created_at", "mail_log", ["created_at"])
    op.create_index("ix_mail_log_recipient", "mail_log", ["recipient"])
    op.create_table(
        "mail_refusal",
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("email", name=op.f("pk_mail_refusal")),
    )


def downgrade() -> None:
    """Remove them."""
    op.drop_table("mail_refusal")
    op.drop_table("mail_log")
    op.drop_column("mail", "stop")
