"""Add the columns of facts that are recorded from now on.

They are empty until they are filled: the goal as it is compared, what was forgiven, refunds, how long a mailed
password works, the key that acted, and what each machine runs.
"""

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None

_ACCOUNTS = ("staff", "affiliate", "advertiser")


def upgrade() -> None:
    """Add the columns."""
    op.add_column("conversion", sa.Column("goal_key", sa.String(255), nullable=False, server_default=""))
    op.add_column("conversion", sa.Column("forgiven", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("conversion_event", sa.Column("refund_id", sa.String(255), nullable=False, server_default=""))
    for name in _ACCOUNTS:
        op.add_column(name, sa.Column("password_until", sa.BigInteger(), nullable=True))
    op.add_column("audit", sa.Column("key_id", sa.String(24), nullable=False, server_default=""))
    op.add_column("audit", sa.Column("key_name", sa.String(100), nullable=False, server_default=""))
    op.add_column("machine", sa.Column("version", sa.String(32), nullable=False, server_default=""))
    op.add_column("machine", sa.Column("schema", sa.String(16), nullable=False, server_default=""))
    for name in ("analytic_step", "wire_form"):
        op.add_column("machine", sa.Column(name, sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    """Remove them."""
    for name in ("wire_form", "analytic_step", "schema", "version"):
        op.drop_column("machine", name)
    for name in ("key_name", "key_id"):
        op.drop_column("audit", name)
    for name in _ACCOUNTS:
        op.drop_column(name, "password_until")
    op.drop_column("conversion_event", "refund_id")
    for name in ("forgiven", "goal_key"):
        op.drop_column("conversion", name)
