"""Add rules that watch the statistics, what they found, and the subs that they block."""

import sqlalchemy as sa
from alembic import op

from trackyard.store.engine.types import Document

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables. No rule exists yet."""
    _add_rules()
    _add_firings()
    op.create_table(
        "sub_block",
        sa.Column("firing_id", sa.String(length=24), nullable=False),
        sa.Column("offer_id", sa.Integer(), nullable=False),
        sa.Column("affiliate_id", sa.Integer(), nullable=False),
        sa.Column("sub", sa.Integer(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("firing_id", name=op.f("pk_sub_block")),
    )
    op.create_index("ix_sub_block_offer_id", "sub_block", ["offer_id"])


def _add_rules() -> None:
    op.create_table(
        "automation_rule",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("is_on", sa.Boolean(), nullable=False),
        *(
            sa.Column(name, Document, nullable=False)
            for name in ("each", "offers", "affiliates", "advertisers", "countries", "conditions")
        ),
        sa.Column("hours", sa.Integer(), nullable=False),
        sa.Column("minimum", sa.Integer(), nullable=False),
        sa.Column("action", sa.String(length=24), nullable=False),
        sa.Column("new_status", sa.String(length=16), nullable=False),
        sa.Column("first_goal", sa.String(length=255), nullable=False),
        sa.Column("second_goal", sa.String(length=255), nullable=False),
        sa.Column("notify_author", sa.Boolean(), nullable=False),
        sa.Column("notify_manager", sa.Boolean(), nullable=False),
        sa.Column("webhook", sa.Text(), nullable=False),
        sa.Column("created_by", sa.String(length=24), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("removed_at", sa.BigInteger(), nullable=True),
        sa.Column("judged_until", sa.BigInteger(), nullable=False),
        sa.Column("failure", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_automation_rule")),
    )
    op.create_table(
        "automation_change",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("rule_id", sa.String(length=24), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("type", sa.String(length=8), nullable=False),
        sa.Column("by", sa.String(length=40), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("offers", sa.Text(), nullable=False),
        sa.Column("affiliates", sa.Text(), nullable=False),
        sa.Column("rule", Document, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_automation_change")),
    )
    op.create_index("ix_automation_change_rule_id", "automation_change", ["rule_id"])
    op.create_index("ix_automation_change_kind_at", "automation_change", ["kind", "at"])


def _add_firings() -> None:
    op.create_table(
        "automation_firing",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("rule_id", sa.String(length=24), nullable=False),
        sa.Column("fired_at", sa.BigInteger(), nullable=False),
        sa.Column("element", Document, nullable=False),
        sa.Column("element_key", sa.Text(), nullable=False),
        sa.Column("offer_id", sa.Integer(), nullable=True),
        sa.Column("affiliate_id", sa.Integer(), nullable=True),
        sa.Column("advertiser_id", sa.String(length=24), nullable=True),
        sa.Column("sub_index", sa.String(length=4), nullable=False),
        sa.Column("sub_value", sa.Text(), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.Column("met_until", sa.BigInteger(), nullable=False),
        sa.Column("readings", Document, nullable=False),
        sa.Column("action", sa.String(length=24), nullable=False),
        sa.Column("changed", Document, nullable=False),
        sa.Column("undone_at", sa.BigInteger(), nullable=True),
        sa.Column("undone_by", sa.String(length=40), nullable=False),
        sa.Column("webhook_due", sa.BigInteger(), nullable=True),
        sa.Column("webhook_attempts", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_automation_firing")),
    )
    op.create_index("ix_automation_firing_fired_at", "automation_firing", ["fired_at"])
    op.create_index("ix_automation_firing_webhook_due", "automation_firing", ["webhook_due"])
    op.create_index(
        "ix_automation_firing_rule_id_element_key", "automation_firing", ["rule_id", "element_key", "met_until"]
    )


def downgrade() -> None:
    """Remove the tables."""
    for name in ("sub_block", "automation_firing", "automation_change", "automation_rule"):
        op.drop_table(name)
