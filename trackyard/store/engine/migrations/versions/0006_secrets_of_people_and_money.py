"""Add what security needs: codes of offers, sessions and keys, second factors, the sign-in log.

Each subject has a function of its own. Rows that exist keep their behaviour.
"""

import secrets
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_DOCUMENT = sa.JSON().with_variant(JSONB(), "postgresql")


def upgrade() -> None:
    """Add the columns and tables of each subject."""
    _list_hidden_payments()
    _add_sessions()
    _add_staff_status()
    _name_actors()
    _add_security_log()
    _limit_keys()
    _add_second_factors()
    _add_repeats_of_conversions()
    _add_pixels_of_offers()
    op.add_column("advertiser", sa.Column("signing_secret", sa.Text(), nullable=True))
    _index_destinations()
    op.add_column(
        "conversion", sa.Column("from_click_address", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    _add_email_confirmations()


def downgrade() -> None:
    """Remove what upgrade added, in the opposite order."""
    op.drop_column("conversion", "from_click_address")
    _forget_sealed_requests()
    _index_hosts()
    _remove_email_confirmations()
    op.drop_column("advertiser", "signing_secret")
    _remove_pixels_of_offers()
    _remove_repeats_of_conversions()
    _remove_second_factors()
    _keep_first_keys()
    _remove_security_log()
    _forget_actors()
    _remove_staff_status()
    _remove_sessions()
    _unlist_hidden_payments()
    _merge_lanes_of_inbox()


def _forget_sealed_requests() -> None:
    """Remove answers with encrypted digests of requests, which earlier versions cannot compare."""
    op.execute("DELETE FROM first_answer WHERE asked = ''")


def _merge_lanes_of_inbox() -> None:
    """Give postbacks without a click the one state of postbacks to decide."""
    op.execute("UPDATE inbox SET state = 'ready' WHERE state = 'no_click'")


def _index_destinations() -> None:
    """Let deliveries be selected by affiliate and host."""
    op.drop_index("ix_delivery_host_next_at", "delivery")
    op.create_index("ix_delivery_destination", "delivery", ["affiliate_id", "host", "next_at"])


def _index_hosts() -> None:
    op.drop_index("ix_delivery_destination", "delivery")
    op.create_index("ix_delivery_host_next_at", "delivery", ["host", "next_at"])


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


_OPEN = "owner_kind, owner_id, created_at, expires_at"


def _add_sessions() -> None:
    """Move sessions out of the keys; those that are open stay so until they were to end."""
    op.create_table(
        "session",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("owner_kind", sa.String(length=16), nullable=False),
        sa.Column("owner_id", sa.String(length=24), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("last_used_at", sa.BigInteger(), nullable=False),
        sa.Column("idle_until", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.Column("user_agent", sa.String(length=300), nullable=False),
        sa.Column("second_factor", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_session")),
        sa.UniqueConstraint("digest", name=op.f("uq_session_digest")),
    )
    op.create_index("ix_session_owner", "session", ["owner_kind", "owner_id"])
    op.create_index(op.f("ix_session_idle_until"), "session", ["idle_until"])
    op.create_index(op.f("ix_session_expires_at"), "session", ["expires_at"])
    op.execute(
        f"INSERT INTO session (id, digest, {_OPEN}, last_used_at, idle_until, address, user_agent, second_factor) "
        f"SELECT substr(digest, 1, 24), digest, {_OPEN}, created_at, expires_at, '', '', false "
        "FROM api_key WHERE expires_at IS NOT NULL"
    )
    op.execute("DELETE FROM api_key WHERE expires_at IS NOT NULL")


def _remove_sessions() -> None:
    op.execute(f"INSERT INTO api_key (digest, sealed, {_OPEN}) SELECT digest, '', {_OPEN} FROM session")
    op.drop_table("session")


def _add_staff_status() -> None:
    op.add_column("staff", sa.Column("status", sa.String(length=16), nullable=False, server_default="active"))


def _remove_staff_status() -> None:
    op.drop_column("staff", "status")


def _name_actors() -> None:
    """Let the audit log name affiliates too, with addresses and the caller's own ids of requests."""
    op.add_column("audit", sa.Column("affiliate_id", sa.Integer(), nullable=True))
    op.add_column("audit", sa.Column("client_request_id", sa.String(64), nullable=False, server_default=""))
    op.add_column("audit", sa.Column("address", sa.String(45), nullable=False, server_default=""))
    op.create_index("ix_audit_affiliate_id_at", "audit", ["affiliate_id", "at"])
    op.create_index("ix_audit_client_request_id", "audit", ["client_request_id"])


def _forget_actors() -> None:
    op.drop_index("ix_audit_client_request_id", "audit")
    op.drop_index("ix_audit_affiliate_id_at", "audit")
    op.execute("DELETE FROM audit WHERE affiliate_id IS NOT NULL")
    for name in ("address", "client_request_id", "affiliate_id"):
        op.drop_column("audit", name)


def _add_security_log() -> None:
    words = [sa.Column(name, sa.String(16), nullable=False) for name in ("event", "outcome", "actor_kind")]
    ids = [sa.Column(name, sa.String(64), nullable=False) for name in ("request_id", "client_request_id")]
    op.create_table(
        "security_log",
        sa.Column("id", sa.String(24), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        *words,
        sa.Column("actor_id", sa.String(24), nullable=False),
        sa.Column("subject", sa.String(200), nullable=False),
        sa.Column("address", sa.String(45), nullable=False),
        sa.Column("user_agent", sa.String(300), nullable=False),
        *ids,
        sa.PrimaryKeyConstraint("id", name="pk_security_log"),
    )
    op.create_index("ix_security_log_at", "security_log", ["at"])
    op.create_index("ix_security_log_actor_id_at", "security_log", ["actor_id", "at"])
    op.create_index("ix_security_log_address_at", "security_log", ["address", "at"])


def _remove_security_log() -> None:
    op.drop_table("security_log")


def _limit_keys() -> None:
    """Let an account have several keys; those that exist are the first ones, without limits."""
    empty_list = sa.text("'[]'")
    added: list[sa.Column[Any]] = [
        sa.Column("id", sa.String(24), nullable=False, server_default=""),
        sa.Column("is_first", sa.Boolean(), nullable=False, server_default=sa.true()),
        sa.Column("name", sa.String(100), nullable=False, server_default=""),
        *(sa.Column(name, _DOCUMENT, nullable=False, server_default=empty_list) for name in ("scopes", "networks")),
        sa.Column("last_used_at", sa.BigInteger(), nullable=True),
        sa.Column("successor_id", sa.String(24), nullable=False, server_default=""),
        *(sa.Column(name, sa.String(16), nullable=True) for name in ("statistics_revenue", "statistics_rows")),
    ]
    for column in added:
        op.add_column("api_key", column)
    op.execute("UPDATE api_key SET id = substr(digest, 1, 24)")
    op.create_index("ix_api_key_id", "api_key", ["id"], unique=True)


_KEY_COLUMNS = ("statistics_rows", "statistics_revenue", "successor_id", "last_used_at", "networks", "scopes", "name")


def _keep_first_keys() -> None:
    """Remove keys with limits, which earlier versions would not keep to."""
    op.drop_index("ix_api_key_id", "api_key")
    op.execute("DELETE FROM api_key WHERE NOT is_first")
    for name in (*_KEY_COLUMNS, "is_first", "id"):
        op.drop_column("api_key", name)


def _add_second_factors() -> None:
    op.create_table(
        "second_factor",
        sa.Column("owner", sa.String(length=40), nullable=False),
        sa.Column("sealed", sa.Text(), nullable=False),
        sa.Column("last_step", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("confirmed_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("owner", name=op.f("pk_second_factor")),
    )
    op.create_table(
        "recovery_code",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("owner", sa.String(length=40), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_recovery_code")),
    )
    op.create_index(op.f("ix_recovery_code_owner"), "recovery_code", ["owner"])


def _remove_second_factors() -> None:
    op.drop_table("recovery_code")
    op.drop_table("second_factor")


def _add_repeats_of_conversions() -> None:
    """Add whether a click of an offer converts once a goal, and which conversions were declined for it."""
    op.add_column(
        "offer", sa.Column("one_conversion_per_click", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    op.add_column("conversion", sa.Column("repeated", sa.Boolean(), nullable=False, server_default=sa.false()))


def _remove_repeats_of_conversions() -> None:
    op.drop_column("conversion", "repeated")
    op.drop_column("offer", "one_conversion_per_click")


def _add_pixels_of_offers() -> None:
    """Add whether pixels of an offer report, from which pages, and a code of its own for each offer."""
    op.add_column("offer", sa.Column("pixels", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.add_column("offer", sa.Column("pixel_pages", _DOCUMENT, nullable=False, server_default=sa.text("'[]'")))
    op.add_column("offer", sa.Column("pixel_code", sa.String(length=40), nullable=False, server_default=""))
    offer = sa.table("offer", sa.column("id", sa.Integer()), sa.column("pixel_code", sa.String()))
    conn = op.get_bind()
    codes = [{"key": each, "code": secrets.token_hex(20)} for each in conn.execute(sa.select(offer.c.id)).scalars()]
    if codes:
        chosen = sa.update(offer).where(offer.c.id == sa.bindparam("key"))
        conn.execute(chosen.values(pixel_code=sa.bindparam("code")), codes)


def _remove_pixels_of_offers() -> None:
    for name in ("pixel_code", "pixel_pages", "pixels"):
        op.drop_column("offer", name)


def _add_email_confirmations() -> None:
    """Add links that confirm e-mail addresses. Affiliates that exist were never asked."""
    state = sa.Column("email_state", sa.String(length=16), nullable=False, server_default="not asked")
    op.add_column("affiliate", state)
    op.create_table(
        "email_confirmation",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("affiliate_id", sa.Integer(), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_email_confirmation")),
    )
    for name in ("affiliate_id", "expires_at"):
        op.create_index(op.f(f"ix_email_confirmation_{name}"), "email_confirmation", [name])


def _remove_email_confirmations() -> None:
    op.drop_table("email_confirmation")
    op.drop_column("affiliate", "email_state")
