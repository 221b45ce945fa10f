"""Add the columns of facts that are recorded from now on.

They are empty until they are filled: the goal as it is compared, what was forgiven, refunds, how long a mailed
password works, the key that acted, the server of a mail, and what each machine runs.
"""

import logging

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None

_ACCOUNTS = ("staff", "affiliate", "advertiser")
_OTHER_STATES = sa.text(  # before, a payment paid each conversion that one of its entries named
    """
    SELECT count(*) FROM (
        SELECT conversion.payout AS payout,
            max(CASE WHEN payment.status = 'paid' THEN 2 ELSE 1 END) AS named,
            sum(CASE WHEN payment.status = 'paid' AND ledger.currency = conversion.currency THEN ledger.available
                ELSE 0 END) AS paid,
            sum(CASE WHEN ledger.currency = conversion.currency THEN ledger.available ELSE 0 END) AS covered
        FROM payment_entry
        JOIN payment ON payment.id = payment_entry.payment_id
        JOIN ledger ON ledger.kind = payment_entry.kind AND ledger.source_id = payment_entry.source_id
            AND ledger.version = payment_entry.version
        JOIN conversion ON conversion.id = payment_entry.source_id
        WHERE payment_entry.kind IN ('conversion', 'change', 'relabel')
        GROUP BY conversion.id, conversion.payout
    ) AS each
    WHERE named <> CASE WHEN payout = 0 THEN 0 WHEN paid = payout THEN 2 WHEN covered = payout THEN 1 ELSE 0 END
    """
)

log = logging.getLogger("trackyard.migrations")


def upgrade() -> None:
    """Add the columns."""
    op.add_column("conversion", sa.Column("goal_key", sa.String(255), nullable=False, server_default=""))
    op.add_column("conversion", sa.Column("forgiven", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("conversion_event", sa.Column("refund_id", sa.String(255), nullable=False, server_default=""))
    for name in _ACCOUNTS:
        op.add_column(name, sa.Column("password_until", sa.BigInteger(), nullable=True))
    op.add_column("audit", sa.Column("key_id", sa.String(24), nullable=False, server_default=""))
    op.add_column("audit", sa.Column("key_name", sa.String(100), nullable=False, server_default=""))
    op.add_column("mail", sa.Column("server", sa.Text(), nullable=False, server_default=""))
    op.add_column("machine", sa.Column("version", sa.String(32), nullable=False, server_default=""))
    op.add_column("machine", sa.Column("schema", sa.String(16), nullable=False, server_default=""))
    for name in ("analytic_step", "wire_form"):
        op.add_column("machine", sa.Column(name, sa.Integer(), nullable=False, server_default="0"))
    _log_other_states()


def _log_other_states() -> None:
    """Log how many conversions have another state of payment now that it follows from what payments pay."""
    number = op.get_bind().execute(_OTHER_STATES).scalar_one()
    if number:
        log.info("the state of payment of some conversions is another one now", extra={"conversions": number})


def downgrade() -> None:
    """Remove them."""
    for name in ("wire_form", "analytic_step", "schema", "version"):
        op.drop_column("machine", name)
    op.drop_column("mail", "server")
    for name in ("key_name", "key_id"):
        op.drop_column("audit", name)
    for name in _ACCOUNTS:
        op.drop_column(name, "password_until")
    op.drop_column("conversion_event", "refund_id")
    for name in ("forgiven", "goal_key"):
        op.drop_column("conversion", name)
