"""Add people of affiliates and advertisers besides the owner, and who of them acted."""

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables and the column. Each account that exists is the owner of its company."""
    op.create_table(
        "person",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("password_hash", sa.String(length=200), nullable=True),
        sa.Column("password_until", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_person")),
        sa.UniqueConstraint("email", name=op.f("uq_person_email")),
    )
    op.create_table(
        "member",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("signer", sa.String(length=40), nullable=False),
        sa.Column("company", sa.String(length=40), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("last_login_at", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_member")),
    )
    op.create_index(op.f("ix_member_signer"), "member", ["signer"])
    op.create_index("ix_member_company", "member", ["company", "signer"], unique=True)
    op.add_column("audit", sa.Column("member_id", sa.String(length=24), nullable=False, server_default=""))


def downgrade() -> None:
    """Remove them. The people lose their access; owners keep theirs."""
    op.drop_column("audit", "member_id")
    op.drop_table("member")
    op.drop_table("person")
    for table, column in (("session", "owner_kind"), ("api_key", "owner_kind")):
        op.execute(f"DELETE FROM {table} WHERE {column} IN ('member', 'person')")
