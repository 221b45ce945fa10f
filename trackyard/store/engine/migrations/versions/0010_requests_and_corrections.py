"""Add payment requests, corrections, and reasons of rejections; balances and statements read one index."""

import sqlalchemy as sa
from alembic import op

from trackyard.store.engine.types import Amount

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_LEDGER_INDEX = "ix_ledger_affiliate_id_currency"
_REASONS = (("ticket", "reason"), ("affiliate", "status_reason"))


def upgrade() -> None:
    """Add the tables and columns. What was rejected before has no reason."""
    for table, column in _REASONS:
        op.add_column(table, sa.Column(column, sa.Text(), nullable=False, server_default=""))
    op.create_table(
        "payment_request",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        *_owner(),
        sa.Column("system_id", sa.Integer(), nullable=True),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("payment_id", sa.Integer(), nullable=True),
        sa.Column("decided_by", sa.String(length=24), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["affiliate_id"], ["affiliate.id"], name="fk_payment_request_affiliate_id"),
        sa.ForeignKeyConstraint(["payment_id"], ["payment.id"], name="fk_payment_request_payment_id"),
        sa.PrimaryKeyConstraint("id", name="pk_payment_request"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_payment_request_affiliate_id", "payment_request", ["affiliate_id", "status"])
    op.create_index("ix_payment_request_status", "payment_request", ["status", "id"])
    is_open = sa.text("status = 'open'")
    op.create_index(
        "uq_payment_request_open",
        "payment_request",
        ["affiliate_id", "currency"],
        unique=True,
        sqlite_where=is_open,
        postgresql_where=is_open,
    )
    op.create_table(
        "correction",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        *_owner(),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("created_by", sa.String(length=24), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["affiliate_id"], ["affiliate.id"], name="fk_correction_affiliate_id"),
        sa.PrimaryKeyConstraint("id", name="pk_correction"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_correction_affiliate_id", "correction", ["affiliate_id", "id"])
    op.create_index("ix_correction_created_at", "correction", ["created_at"])
    _index_ledger("at", "kind", "hold", "available")


def downgrade() -> None:
    """Remove what upgrade added. Entries of corrections stay in the ledger."""
    _index_ledger("hold", "available")
    op.drop_table("correction")
    op.drop_table("payment_request")
    for table, column in _REASONS:
        op.drop_column(table, column)


def _owner() -> list["sa.Column[object]"]:
    """Return the columns of an amount of an affiliate."""
    return [
        sa.Column("affiliate_id", sa.Integer(), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("amount", Amount(), nullable=False),
    ]


def _index_ledger(*more: str) -> None:
    op.drop_index(_LEDGER_INDEX, "ledger")
    op.create_index(_LEDGER_INDEX, "ledger", ["affiliate_id", "currency", *more])
