"""Store documents about money, and let invoices have drafts, document numbers, taxes and credit notes."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0055"
down_revision = "0054"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables and columns; invoices that exist are open ones without a document."""
    op.create_table(
        "document",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("subject", sa.String(length=60), nullable=False),
        sa.Column("company", sa.String(length=40), nullable=False),
        sa.Column("number", sa.String(length=80), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("file", sa.String(length=32), nullable=False, server_default=""),
        sa.Column("attempts", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("next_at", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_document")),
    )
    op.create_index(op.f("ix_document_next_at"), "document", ["next_at"])
    op.create_index("ix_document_kind_subject", "document", ["kind", "subject"])
    op.create_table(
        "document_series",
        sa.Column("prefix", sa.String(length=40), nullable=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("prefix", name=op.f("pk_document_series")),
    )
    op.add_column("invoice", sa.Column("is_draft", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("invoice", sa.Column("document_number", sa.String(length=60), nullable=True))
    op.add_column("invoice", sa.Column("issued_at", sa.BigInteger(), nullable=True))
    op.add_column("invoice", sa.Column("due_date", sa.String(length=10), nullable=True))
    op.add_column("invoice", sa.Column("notes", sa.Text(), nullable=False, server_default=""))
    op.add_column("invoice", sa.Column("credits", sa.Integer(), nullable=True))
    op.add_column("invoice", sa.Column("overdue_at", sa.BigInteger(), nullable=True))
    taxes = sa.JSON().with_variant(JSONB(), "postgresql")
    op.add_column("invoice", sa.Column("taxes", taxes, nullable=False, server_default="[]"))
    op.create_index(op.f("ix_invoice_document_number"), "invoice", ["document_number"], unique=True)
    op.create_index(op.f("ix_invoice_credits"), "invoice", ["credits"], unique=True)
    op.add_column("mail", sa.Column("document_id", sa.String(length=24), nullable=False, server_default=""))


def downgrade() -> None:
    """Remove the tables and columns."""
    op.drop_column("mail", "document_id")
    op.drop_index(op.f("ix_invoice_credits"), table_name="invoice")
    op.drop_index(op.f("ix_invoice_document_number"), table_name="invoice")
    for name in ("taxes", "overdue_at", "credits", "notes", "due_date", "issued_at", "document_number", "is_draft"):
        op.drop_column("invoice", name)
    op.drop_table("document_series")
    op.drop_index("ix_document_kind_subject", table_name="document")
    op.drop_index(op.f("ix_document_next_at"), table_name="document")
    op.drop_table("document")
