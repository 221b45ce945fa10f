"""Add saved reports that are sent by mail, and mails with HTML and files."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables and the column. Mails that are queued have no HTML."""
    op.create_table(
        "report_mail",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("report_id", sa.String(length=24), nullable=False),
        sa.Column("owner", sa.String(length=40), nullable=False),
        sa.Column("every", sa.String(length=8), nullable=False),
        sa.Column("weekday", sa.Integer(), nullable=False),
        sa.Column("hour", sa.Integer(), nullable=False),
        sa.Column("next_at", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_report_mail")),
    )
    op.create_index("ix_report_mail_owner", "report_mail", ["owner", "report_id"], unique=True)
    op.create_index("ix_report_mail_report_id", "report_mail", ["report_id"])
    op.create_index("ix_report_mail_next_at", "report_mail", ["next_at"])
    op.add_column("mail", sa.Column("html", sa.Text(), nullable=False, server_default=""))
    op.create_table(
        "mail_attachment",
        sa.Column("mail_id", sa.String(length=24), nullable=False),
        sa.Column("place", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=100), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("mail_id", "place", name=op.f("pk_mail_attachment")),
    )


def downgrade() -> None:
    """Remove what upgrade added."""
    op.drop_table("mail_attachment")
    op.drop_column("mail", "html")
    op.drop_table("report_mail")
