"""Make deliveries rows of outbound events of any kind, and declare a test flag of conversions.

A delivery is known by (kind, subject_id, sequence). Deliveries that wait keep everything: those of an offer's
cross_postback_url become kind "cross", the others "postback". The flag of a
counter that the notice of its period is sent becomes `notified`.
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_OLD_KEY = "uq_delivery_conversion_id_postback_id_number_forced"
_NEW_KEY = "uq_delivery_subject_id_postback_id_sequence_forced_kind"


def upgrade() -> None:
    """Rename the columns, name the kind of what waits, and add the flag."""
    with op.batch_alter_table("delivery") as batch:
        batch.drop_constraint(_OLD_KEY, type_="unique")
        batch.alter_column(
            "conversion_id", new_column_name="subject_id", existing_type=sa.String(24), existing_nullable=False
        )
        batch.alter_column("number", new_column_name="sequence", existing_type=sa.BigInteger(), existing_nullable=False)
        batch.add_column(sa.Column("kind", sa.String(length=16), nullable=False, server_default="postback"))
    op.execute("UPDATE delivery SET kind = 'cross' WHERE postback_id = 0")
    with op.batch_alter_table("delivery") as batch:
        batch.alter_column("kind", existing_type=sa.String(16), existing_nullable=False, server_default=None)
        batch.create_unique_constraint(_NEW_KEY, ["subject_id", "postback_id", "sequence", "forced", "kind"])
    op.add_column("conversion", sa.Column("test", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.execute("ALTER TABLE counter RENAME COLUMN told TO notified")


def downgrade() -> None:
    """Restore the columns; deliveries of other kinds than postbacks are removed."""
    op.execute("ALTER TABLE counter RENAME COLUMN notified TO told")
    op.drop_column("conversion", "test")
    op.execute("DELETE FROM delivery WHERE kind NOT IN ('postback', 'cross')")
    with op.batch_alter_table("delivery") as batch:
        batch.drop_constraint(_NEW_KEY, type_="unique")
        batch.drop_column("kind")
        batch.alter_column(
            "subject_id", new_column_name="conversion_id", existing_type=sa.String(24), existing_nullable=False
        )
        batch.alter_column("sequence", new_column_name="number", existing_type=sa.BigInteger(), existing_nullable=False)
    with op.batch_alter_table("delivery") as batch:
        batch.create_unique_constraint(_OLD_KEY, ["conversion_id", "postback_id", "number", "forced"])
