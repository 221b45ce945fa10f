"""Add changes that wait for a second person, and the mail of each link that confirms an e-mail address.

Links that exist name no mail: they end when they were to end.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_DOCUMENT = sa.JSON().with_variant(JSONB(), "postgresql")


def upgrade() -> None:
    """Add the mails of links, and held changes."""
    mail = sa.Column("mail_id", sa.String(length=24), nullable=False, server_default="")
    op.add_column("email_confirmation", mail)
    op.create_index(op.f("ix_email_confirmation_mail_id"), "email_confirmation", ["mail_id"])
    op.create_table(
        "held_change",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("affiliate_id", sa.Integer(), nullable=False),
        sa.Column("subject_id", sa.Integer(), nullable=False),
        sa.Column("asked", _DOCUMENT, nullable=False),
        sa.Column("before", _DOCUMENT, nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("author_id", sa.String(length=24), nullable=False),
        sa.Column("decided_by", sa.String(length=24), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("decided_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_held_change")),
    )
    for name in ("affiliate_id", "created_at"):
        op.create_index(op.f(f"ix_held_change_{name}"), "held_change", [name])
    op.create_index("ix_held_change_subject", "held_change", ["kind", "subject_id", "state"])


def downgrade() -> None:
    """Remove what upgrade added. What waits is not done."""
    op.drop_table("held_change")
    op.drop_index(op.f("ix_email_confirmation_mail_id"), "email_confirmation")
    op.drop_column("email_confirmation", "mail_id")
