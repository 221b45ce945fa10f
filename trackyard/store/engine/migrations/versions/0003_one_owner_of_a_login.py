"""Logins and e-mail addresses of affiliates have one owner each.

E-mail addresses were unique before, logins were not. Of several affiliates with one login the first owns it, unless it
is the e-mail address of another. The others keep theirs until they change it: they sign in as before.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_CHUNK = 1000


def upgrade() -> None:
    """Make the table, and fill it from the affiliates that exist."""
    op.create_table(
        "affiliate_login",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("affiliate_id", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_affiliate_login")),
    )
    op.create_index(op.f("ix_affiliate_login_affiliate_id"), "affiliate_login", ["affiliate_id"])
    affiliate = sa.table("affiliate", sa.column("id"), sa.column("email"), sa.column("login"))
    rows = op.get_bind().execute(sa.select(affiliate).order_by(affiliate.c.id)).all()
    owners: dict[str, int] = {row.email.lower(): row.id for row in rows}
    for row in rows:
        owners.setdefault(row.login.lower(), row.id)
    login = sa.table("affiliate_login", sa.column("name"), sa.column("affiliate_id"))
    values = [{"name": name, "affiliate_id": owner} for name, owner in owners.items()]
    for start in range(0, len(values), _CHUNK):
        op.bulk_insert(login, values[start : start + _CHUNK])


def downgrade() -> None:
    """Remove the table."""
    op.drop_table("affiliate_login")
