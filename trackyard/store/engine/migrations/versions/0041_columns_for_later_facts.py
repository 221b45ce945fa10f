"""Add the columns of facts that are recorded from now on.

They are empty until they are filled: the goal as it is compared, what was forgiven, refunds, how long a mailed
password works, the key that acted, the server of a mail and
its last answer, and what each machine runs.
"""

import logging
import unicodedata

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

_FILL = """
    UPDATE conversion
    SET goal_key = (SELECT folded FROM goal_spelling WHERE goal_spelling.goal = conversion.goal)
    WHERE goal IN (SELECT goal FROM goal_spelling)
"""
_SPELLED = sa.text("goal_key <> ''")
_COUNTER = sa.table(
    "counter",
    *(
        sa.column(name)
        for name in ("name", "offer_id", "limit_id", "start", "until", "goal", "affiliate_id", "country")
    ),
    *(sa.column(name) for name in ("conversions", "budget", "notified")),
)
_OFFER = sa.table("offer", sa.column("id"), sa.column("caps", sa.JSON), sa.column("commission_tiers", sa.JSON))

log = logging.getLogger("trackyard.migrations")


def upgrade() -> None:
    """Add the columns."""
    op.add_column("conversion", sa.Column("goal_key", sa.String(255), nullable=False, server_default=""))
    op.create_index(
        "ix_conversion_goal_key", "conversion", ["goal_key", "goal"], sqlite_where=_SPELLED, postgresql_where=_SPELLED
    )
    _fold_goals()
    op.add_column("conversion", sa.Column("forgiven", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("conversion_event", sa.Column("refund_id", sa.String(255), nullable=False, server_default=""))
    for name in _ACCOUNTS:
        op.add_column(name, sa.Column("password_until", sa.BigInteger(), nullable=True))
    op.add_column("audit", sa.Column("key_id", sa.String(24), nullable=False, server_default=""))
    op.add_column("audit", sa.Column("key_name", sa.String(100), nullable=False, server_default=""))
    for name in ("server", "failure"):
        op.add_column("mail", sa.Column(name, sa.Text(), nullable=False, server_default=""))
    op.add_column("mail", sa.Column("failed_at", sa.BigInteger(), nullable=False, server_default="0"))
    op.add_column("machine", sa.Column("version", sa.String(32), nullable=False, server_default=""))
    op.add_column("machine", sa.Column("schema", sa.String(16), nullable=False, server_default=""))
    for name in ("analytic_step", "wire_form"):
        op.add_column("machine", sa.Column(name, sa.Integer(), nullable=False, server_default="0"))
    _log_other_states()


def _fold_goals() -> None:
    """Fill the keys of goals that are not their own, and let counters of caps and tiers count by the key."""
    connection = op.get_bind()
    used: dict[int, set[str]] = {}
    for offer_id, goal in connection.execute(sa.text("SELECT DISTINCT offer_id, goal FROM conversion")):
        used.setdefault(offer_id, set()).add(goal)
    _fill_keys({goal for goals in used.values() for goal in goals})
    _rename_counters()
    _remove_counters_of_spellings(used)


def _key(goal: str) -> str:
    return unicodedata.normalize("NFC", goal).strip().casefold()[:255]


def _fill_keys(goals: set[str]) -> None:
    """Fill `goal_key` in one pass over the conversions."""
    keys = [{"goal": goal, "key": _key(goal)} for goal in sorted(goals) if _key(goal) != goal]
    if not keys:
        return
    connection = op.get_bind()
    for statement, values in (
        ("CREATE TEMPORARY TABLE goal_spelling (goal VARCHAR(255) PRIMARY KEY, folded VARCHAR(255))", None),
        ("INSERT INTO goal_spelling VALUES (:goal, :key)", keys),
        (_FILL, None),
        ("DROP TABLE goal_spelling", None),
    ):
        connection.execute(sa.text(statement), values)


def _rename_counters() -> None:
    """Give counters of one goal the name with its key; several become one with their sum."""
    connection = op.get_bind()
    rows = connection.execute(sa.select(_COUNTER).where(_COUNTER.c.goal.is_not(None)).order_by(_COUNTER.c.name)).all()
    by_name = {row.name: [row] for row in rows if _key(row.goal) == row.goal}
    for row in rows:
        if row.name not in by_name:
            values = (row.affiliate_id, row.country, _key(row.goal))
            parts = ("" if value is None else f"{len(str(value))}:{value}" for value in values)
            name = "/".join((f"{row.offer_id}/{row.limit_id}/{row.start}", *parts))
            by_name.setdefault(name, []).append(row)
    for name, held in by_name.items():
        if [row.name for row in held] == [name]:
            continue
        connection.execute(sa.delete(_COUNTER).where(_COUNTER.c.name.in_([row.name for row in held])))
        sums = {each: sum(getattr(row, each) for row in held) for each in ("conversions", "budget")}
        connection.execute(sa.insert(_COUNTER).values(held[0]._asdict() | sums | {"name": name}))


def _remove_counters_of_spellings(used: dict[int, set[str]]) -> None:
    """Remove counters of limits that count other spellings now: they are computed again."""
    connection = op.get_bind()
    for offer_id, caps, tiers in connection.execute(sa.select(_OFFER.c.id, _OFFER.c.caps, _OFFER.c.commission_tiers)):
        for limit in (*(caps or ()), *(tiers or ())):
            named = set(limit.get("goals") or ())
            keys = {_key(goal) for goal in named}
            if any(_key(goal) in keys for goal in used.get(offer_id, set()) - named):
                own = (_COUNTER.c.offer_id == offer_id, _COUNTER.c.limit_id == limit["id"])
                connection.execute(sa.delete(_COUNTER).where(*own))


def _log_other_states() -> None:
    """Log how many conversions have another state of payment now that it follows from what payments pay."""
    number = op.get_bind().execute(_OTHER_STATES).scalar_one()
    if number:
        log.info("the state of payment of some conversions is another one now", extra={"conversions": number})


def downgrade() -> None:
    """Remove them."""
    for name in ("wire_form", "analytic_step", "schema", "version"):
        op.drop_column("machine", name)
    for name in ("failed_at", "failure", "server"):
        op.drop_column("mail", name)
    for name in ("key_name", "key_id"):
        op.drop_column("audit", name)
    for name in _ACCOUNTS:
        op.drop_column(name, "password_until")
    op.drop_column("conversion_event", "refund_id")
    op.drop_index("ix_conversion_goal_key", "conversion")
    for name in ("forgiven", "goal_key"):
        op.drop_column("conversion", name)
