"""The first tables: configuration, people, offers, conversions, ledger, queues."""

from collections.abc import Callable

import sqlalchemy as sa
from alembic import op

from trackyard.store.engine.types import Amount, Document, Rate

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def _setting() -> None:
    op.create_table(
        "setting",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("value", Document, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_setting")),
    )


def _edge() -> None:
    op.create_table(
        "edge",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("directory_id", sa.String(length=24), nullable=False),
        sa.Column("slot", sa.Integer(), nullable=False),
        sa.Column("claimed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_edge")),
        sa.UniqueConstraint("directory_id", "slot", name=op.f("uq_edge_directory_id_slot")),
    )


def _rule_clock() -> None:
    op.create_table(
        "rule_clock",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rule_clock")),
    )

    op.execute(sa.text("INSERT INTO rule_clock (id, version) VALUES (1, 0)"))


def _rule_change() -> None:
    op.create_table(
        "rule_change",
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("key", sa.String(length=24), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "key", name=op.f("pk_rule_change")),
    )
    op.create_index(op.f("ix_rule_change_version"), "rule_change", ["version"], unique=False)


def _currency_rate() -> None:
    op.create_table(
        "currency_rate",
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("from_at", sa.BigInteger(), nullable=False),
        sa.Column("rate", Rate(), nullable=False),
        sa.Column("source", sa.String(length=8), nullable=False),
        sa.PrimaryKeyConstraint("currency", "from_at", name=op.f("pk_currency_rate")),
    )


def _staff() -> None:
    op.create_table(
        "staff",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("password_hash", sa.String(length=200), nullable=True),
        sa.Column("first_name", sa.String(length=200), nullable=False),
        sa.Column("last_name", sa.String(length=200), nullable=False),
        sa.Column("skype", sa.String(length=200), nullable=False),
        sa.Column("work_hours", sa.String(length=200), nullable=False),
        sa.Column("roles", Document, nullable=False),
        sa.Column("last_login_at", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_staff")),
        sa.UniqueConstraint("email", name=op.f("uq_staff_email")),
    )


def _affiliate() -> None:
    op.create_table(
        "affiliate",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("login", sa.String(length=200), nullable=False),
        sa.Column("password_hash", sa.String(length=200), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=True),
        sa.Column("contact_person", sa.String(length=200), nullable=True),
        sa.Column("notes", sa.Text(), nullable=False),
        sa.Column("level", sa.Integer(), nullable=False),
        sa.Column("ref_percent", Amount(), nullable=True),
        sa.Column("ref", sa.Integer(), nullable=True),
        sa.Column("manager_id", sa.String(length=24), nullable=True),
        sa.Column("payment_systems", Document, nullable=False),
        sa.Column("custom_fields", Document, nullable=False),
        sa.Column("tags", Document, nullable=False),
        sa.Column("sub_accounts", Document, nullable=False),
        sa.Column("postback_secret", sa.String(length=40), nullable=False),
        sa.Column("address_1", sa.Text(), nullable=True),
        sa.Column("address_2", sa.Text(), nullable=True),
        sa.Column("city", sa.String(length=200), nullable=True),
        sa.Column("country", sa.String(length=2), nullable=True),
        sa.Column("zip_code", sa.String(length=32), nullable=True),
        sa.Column("phone", sa.String(length=64), nullable=True),
        sa.Column("company", sa.String(length=200), nullable=True),
        sa.Column("permissions", Document, nullable=False),
        sa.Column("server_clicks", sa.Boolean(), nullable=False),
        sa.Column("server_ip", Document, nullable=False),
        sa.Column("last_login_at", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_affiliate")),
        sa.UniqueConstraint("email", name=op.f("uq_affiliate_email")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_affiliate_manager_id"), "affiliate", ["manager_id"], unique=False)
    op.create_index(op.f("ix_affiliate_ref"), "affiliate", ["ref"], unique=False)


def _api_key() -> None:
    op.create_table(
        "api_key",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("sealed", sa.Text(), nullable=False),
        sa.Column("owner_kind", sa.String(length=16), nullable=False),
        sa.Column("owner_id", sa.String(length=24), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_api_key")),
    )
    op.create_index("ix_api_key_owner", "api_key", ["owner_kind", "owner_id"], unique=False)


def _advertiser() -> None:
    op.create_table(
        "advertiser",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("contact", sa.String(length=200), nullable=True),
        sa.Column("email", sa.String(length=254), nullable=True),
        sa.Column("url", sa.Text(), nullable=True),
        sa.Column("skype", sa.String(length=200), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("manager_id", sa.String(length=24), nullable=True),
        sa.Column("allowed_ip", Document, nullable=False),
        sa.Column("disallowed_ip", Document, nullable=False),
        sa.Column("hash_password", sa.String(length=200), nullable=True),
        sa.Column("address_1", sa.Text(), nullable=True),
        sa.Column("address_2", sa.Text(), nullable=True),
        sa.Column("city", sa.String(length=200), nullable=True),
        sa.Column("country", sa.String(length=2), nullable=True),
        sa.Column("zip_code", sa.String(length=32), nullable=True),
        sa.Column("vat_code", sa.String(length=64), nullable=True),
        sa.Column("sub_accounts", Document, nullable=False),
        sa.Column("consider_personal_targeting_only", sa.Boolean(), nullable=False),
        sa.Column("tags", Document, nullable=False),
        sa.Column("password_hash", sa.String(length=200), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_advertiser")),
    )
    op.create_index(op.f("ix_advertiser_manager_id"), "advertiser", ["manager_id"], unique=False)


def _source() -> None:
    op.create_table(
        "source",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("title_lang", Document, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_source")),
    )


def _category() -> None:
    op.create_table(
        "category",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_category")),
    )


def _domain() -> None:
    op.create_table(
        "domain",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("url", sa.String(length=255), nullable=False),
        sa.Column("use_https", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_domain")),
        sa.UniqueConstraint("url", name=op.f("uq_domain_url")),
        sqlite_autoincrement=True,
    )


def _smartlink_category() -> None:
    op.create_table(
        "smartlink_category",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("domain_id", sa.Integer(), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["domain_id"], ["domain.id"], name=op.f("fk_smartlink_category_domain_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_smartlink_category")),
    )


def _file() -> None:
    op.create_table(
        "file",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("mime", sa.String(length=64), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_file")),
    )


def _offer() -> None:
    op.create_table(
        "offer",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("hash", sa.String(length=24), nullable=False),
        sa.Column("advertiser_id", sa.String(length=24), nullable=False),
        sa.Column("title", sa.String(length=500), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("privacy", sa.String(length=16), nullable=False),
        sa.Column("is_top", sa.Boolean(), nullable=False),
        sa.Column("bundle_id", sa.String(length=200), nullable=False),
        sa.Column("external_offer_id", sa.String(length=200), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("url_preview", sa.Text(), nullable=True),
        sa.Column("trafficback_url", sa.Text(), nullable=True),
        sa.Column("macro_url", sa.Text(), nullable=True),
        sa.Column("cross_postback_url", sa.Text(), nullable=True),
        sa.Column("parallel_tracking_url", sa.Text(), nullable=True),
        sa.Column("impressions_url", sa.Text(), nullable=True),
        sa.Column("domain_id", sa.Integer(), nullable=True),
        sa.Column("redirect_type", sa.String(length=16), nullable=False),
        sa.Column("allow_deeplink", sa.Boolean(), nullable=False),
        sa.Column("allow_impressions", sa.Boolean(), nullable=False),
        sa.Column("landings", Document, nullable=False),
        sa.Column("last_number", sa.Integer(), nullable=False),
        sa.Column("payments", Document, nullable=False),
        sa.Column("partner_payments", Document, nullable=False),
        sa.Column("hide_payments", sa.Boolean(), nullable=False),
        sa.Column("enabled_commission_tiers", sa.Boolean(), nullable=False),
        sa.Column("commission_tiers", Document, nullable=False),
        sa.Column("hold_period", sa.Integer(), nullable=False),
        sa.Column("is_cpi", sa.Boolean(), nullable=False),
        sa.Column("caps", Document, nullable=False),
        sa.Column("personal_limits", Document, nullable=False),
        sa.Column("caps_status", Document, nullable=False),
        sa.Column("caps_timezone", sa.String(length=64), nullable=True),
        sa.Column("caps_goal_overcap", sa.String(length=255), nullable=False),
        sa.Column("hide_caps", sa.Boolean(), nullable=False),
        sa.Column("is_redirect_overcap", sa.Boolean(), nullable=False),
        sa.Column("notice_percent_overcap", sa.Integer(), nullable=True),
        sa.Column("schedule", Document, nullable=True),
        sa.Column("targeting", Document, nullable=False),
        sa.Column("consider_personal_targeting_only", sa.Boolean(), nullable=False),
        sa.Column("countries", Document, nullable=False),
        sa.Column("strictly_country", sa.Boolean(), nullable=False),
        sa.Column("restriction_os", Document, nullable=False),
        sa.Column("restriction_isp", Document, nullable=False),
        sa.Column("strictly_brands", Document, nullable=False),
        sa.Column("strictly_devices", Document, nullable=False),
        sa.Column("strictly_connection_type", sa.String(length=16), nullable=False),
        sa.Column("sub_restrictions", Document, nullable=False),
        sa.Column("sub_accounts", Document, nullable=False),
        sa.Column("search_empty_sub", sa.Integer(), nullable=True),
        sa.Column("uniq_ip_only", sa.Boolean(), nullable=False),
        sa.Column("reject_not_uniq_ip", sa.Boolean(), nullable=False),
        sa.Column("allowed_ip", sa.Text(), nullable=False),
        sa.Column("disallowed_ip", sa.Text(), nullable=False),
        sa.Column("hash_password", sa.String(length=200), nullable=True),
        sa.Column("click_session", sa.String(length=64), nullable=False),
        sa.Column("minimal_click_session", sa.String(length=64), nullable=False),
        sa.Column("auto_offer_connect", sa.Boolean(), nullable=False),
        sa.Column("description_lang", Document, nullable=False),
        sa.Column("kpi", Document, nullable=False),
        sa.Column("notes", sa.Text(), nullable=True),
        sa.Column("note_aff", sa.Text(), nullable=True),
        sa.Column("note_sales", sa.Text(), nullable=True),
        sa.Column("sources", Document, nullable=False),
        sa.Column("categories", Document, nullable=False),
        sa.Column("smartlink_categories", Document, nullable=False),
        sa.Column("tags", Document, nullable=False),
        sa.Column("logo", sa.String(length=32), nullable=True),
        sa.Column("logo_source", sa.Text(), nullable=True),
        sa.Column("creatives", Document, nullable=False),
        sa.Column("creatives_zip", sa.String(length=32), nullable=True),
        sa.Column("send_emails", sa.Boolean(), nullable=False),
        sa.Column("start_at", sa.BigInteger(), nullable=True),
        sa.Column("stop_at", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("top_payout", Amount(), nullable=False),
        sa.Column("day_cap", sa.Integer(), nullable=True),
        sa.Column("total_cap", sa.Integer(), nullable=True),
        sa.Column("cr", Amount(), nullable=False),
        sa.Column("epc", Amount(), nullable=False),
        sa.Column("week_epc", Amount(), nullable=False),
        sa.Column("removed_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["advertiser_id"], ["advertiser.id"], name=op.f("fk_offer_advertiser_id")),
        sa.ForeignKeyConstraint(["domain_id"], ["domain.id"], name=op.f("fk_offer_domain_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_offer")),
        sa.UniqueConstraint("hash", name=op.f("uq_offer_hash")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_offer_advertiser_id"), "offer", ["advertiser_id"], unique=False)
    listed = ["removed_at", "status", "id", "privacy", "advertiser_id", "is_top", "created_at", "updated_at"]
    listed += ["start_at", "stop_at", "cr", "epc", "top_payout", "day_cap", "total_cap", "hide_caps", "title"]
    op.create_index("ix_offer_listed", "offer", listed, unique=False)
    op.create_index("ix_offer_title", "offer", ["removed_at", "status", "title", "id", "privacy"], unique=False)
    op.create_index("ix_offer_bundle_id", "offer", ["bundle_id"], unique=False)
    op.create_index("ix_offer_click_session", "offer", ["click_session"], unique=False)
    scheduled = sa.text("schedule IS NOT NULL")
    op.create_index("ix_offer_schedule", "offer", ["id"], sqlite_where=scheduled, postgresql_where=scheduled)
    parallel = sa.text("parallel_tracking_url IS NOT NULL")
    op.create_index("ix_offer_parallel", "offer", ["id"], sqlite_where=parallel, postgresql_where=parallel)


def _offer_label() -> None:
    op.create_table(
        "offer_label",
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("value", sa.String(length=200), nullable=False),
        sa.Column("offer_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["offer_id"], ["offer.id"], name=op.f("fk_offer_label_offer_id")),
        sa.PrimaryKeyConstraint("kind", "value", "offer_id", name=op.f("pk_offer_label")),
    )
    op.create_index(op.f("ix_offer_label_offer_id"), "offer_label", ["offer_id"], unique=False)


def _ticket() -> None:
    op.create_table(
        "ticket",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("status", sa.String(length=8), nullable=False),
        sa.Column("decision", sa.String(length=8), nullable=True),
        sa.Column("decided_by", sa.String(length=24), nullable=True),
        sa.Column("affiliate_id", sa.Integer(), nullable=False),
        sa.Column("offer_id", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(length=600), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["affiliate_id"], ["affiliate.id"], name=op.f("fk_ticket_affiliate_id")),
        sa.ForeignKeyConstraint(["offer_id"], ["offer.id"], name=op.f("fk_ticket_offer_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ticket")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_ticket_affiliate_id"), "ticket", ["affiliate_id"], unique=False)
    op.create_index(op.f("ix_ticket_offer_id"), "ticket", ["offer_id"], unique=False)


def _connection() -> None:
    op.create_table(
        "connection",
        sa.Column("offer_id", sa.Integer(), nullable=False),
        sa.Column("affiliate_id", sa.Integer(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["affiliate_id"], ["affiliate.id"], name=op.f("fk_connection_affiliate_id")),
        sa.ForeignKeyConstraint(["offer_id"], ["offer.id"], name=op.f("fk_connection_offer_id")),
        sa.PrimaryKeyConstraint("offer_id", "affiliate_id", name=op.f("pk_connection")),
    )
    op.create_index(op.f("ix_connection_affiliate_id"), "connection", ["affiliate_id"], unique=False)


def _affiliate_postback() -> None:
    op.create_table(
        "affiliate_postback",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("affiliate_id", sa.Integer(), nullable=False),
        sa.Column("offer_id", sa.Integer(), nullable=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=True),
        sa.Column("goal", sa.String(length=255), nullable=True),
        sa.Column("forced", sa.Boolean(), nullable=False),
        sa.Column("dead_in_row", sa.Integer(), nullable=False),
        sa.Column("paused_at", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["affiliate_id"], ["affiliate.id"], name=op.f("fk_affiliate_postback_affiliate_id")),
        sa.ForeignKeyConstraint(["offer_id"], ["offer.id"], name=op.f("fk_affiliate_postback_offer_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_affiliate_postback")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_affiliate_postback_affiliate_id"), "affiliate_postback", ["affiliate_id"], unique=False)


def _conversion() -> None:
    op.create_table(
        "conversion",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("offer_id", sa.Integer(), nullable=False),
        sa.Column("goal", sa.String(length=255), nullable=False),
        sa.Column("identity", sa.String(length=258), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("action_id", sa.String(length=255), nullable=False),
        sa.Column("affiliate_id", sa.Integer(), nullable=False),
        sa.Column("advertiser_id", sa.String(length=24), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("sent_status", sa.String(length=16), nullable=False),
        sa.Column("goal_title", sa.String(length=255), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("payment_type", sa.String(length=8), nullable=False),
        sa.Column("payment", Document, nullable=True),
        sa.Column("modifiers", Document, nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("rate", Rate(), nullable=False),
        sa.Column("sum", Amount(), nullable=False),
        sa.Column("charge", Amount(), nullable=False),
        sa.Column("payout", Amount(), nullable=False),
        sa.Column("charge_base", Amount(), nullable=False),
        sa.Column("payout_base", Amount(), nullable=False),
        sa.Column("custom_fields", Document, nullable=False),
        sa.Column("click_id", sa.String(length=24), nullable=False),
        sa.Column("click_time", sa.BigInteger(), nullable=False),
        sa.Column("click", Document, nullable=False),
        sa.Column("country", sa.String(length=2), nullable=False),
        sa.Column("os", sa.String(length=64), nullable=False),
        sa.Column("device", sa.String(length=32), nullable=False),
        sa.Column("browser", sa.String(length=64), nullable=False),
        sa.Column("click_ip", sa.String(length=45), nullable=False),
        sa.Column("call_ip", sa.String(length=45), nullable=False),
        sa.Column("user_id", sa.String(length=255), nullable=False),
        sa.Column("journal", sa.String(length=40), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("hold_until", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("referrer_id", sa.Integer(), nullable=True),
        sa.Column("referral_percent", Amount(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_conversion")),
        sa.UniqueConstraint("offer_id", "goal", "identity", name="uq_conversion_identity"),
    )


def _conversion_indexes() -> None:
    op.create_index("ix_conversion_action_id", "conversion", ["action_id"], unique=False)
    op.create_index(
        "ix_conversion_advertiser_id_created_at", "conversion", ["advertiser_id", "created_at"], unique=False
    )
    op.create_index("ix_conversion_affiliate_id_created_at", "conversion", ["affiliate_id", "created_at"], unique=False)
    op.create_index("ix_conversion_click_id", "conversion", ["click_id"], unique=False)
    address = ["offer_id", "click_ip", "goal", "status"]
    op.create_index("ix_conversion_click_ip", "conversion", address, unique=False)
    counted = ["offer_id", "created_at", "status", "goal", "affiliate_id", "country", "payout_base"]
    op.create_index("ix_conversion_counted", "conversion", counted, unique=False)
    listed = ["created_at", "id", "status", "offer_id", "affiliate_id", "advertiser_id", "goal"]
    listed += ["country", "os", "device", "browser"]
    op.create_index("ix_conversion_listed", "conversion", listed, unique=False)
    op.create_index("ix_conversion_hold_until", "conversion", ["hold_until"], unique=False)
    op.create_index("ix_conversion_updated_at", "conversion", ["updated_at"], unique=False)
    columns, referred = ["referrer_id", "created_at"], sa.text("referrer_id IS NOT NULL")
    op.create_index(
        "ix_conversion_referrer_id_created_at", "conversion", columns, sqlite_where=referred, postgresql_where=referred
    )


def _conversion_event() -> None:
    op.create_table(
        "conversion_event",
        sa.Column("conversion_id", sa.String(length=24), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.String(length=64), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("charge", Amount(), nullable=False),
        sa.Column("payout", Amount(), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["conversion_id"], ["conversion.id"], name=op.f("fk_conversion_event_conversion_id")),
        sa.PrimaryKeyConstraint("conversion_id", "version", name=op.f("pk_conversion_event")),
    )


def _counter() -> None:
    op.create_table(
        "counter",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("offer_id", sa.Integer(), nullable=False),
        sa.Column("limit_id", sa.String(length=24), nullable=False),
        sa.Column("start", sa.BigInteger(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=True),
        sa.Column("goal", sa.String(length=255), nullable=True),
        sa.Column("affiliate_id", sa.Integer(), nullable=True),
        sa.Column("country", sa.String(length=2), nullable=True),
        sa.Column("conversions", sa.BigInteger(), nullable=False),
        sa.Column("budget", Amount(), nullable=False),
        sa.Column("told", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_counter")),
    )
    op.create_index("ix_counter_offer_id_limit_id_start", "counter", ["offer_id", "limit_id", "start"], unique=False)
    op.create_index("ix_counter_until", "counter", ["until"], unique=False)


def _ledger() -> None:
    op.create_table(
        "ledger",
        sa.Column("affiliate_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("source_id", sa.String(length=24), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("hold", Amount(), nullable=False),
        sa.Column("available", Amount(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["affiliate_id"], ["affiliate.id"], name=op.f("fk_ledger_affiliate_id")),
        sa.PrimaryKeyConstraint("kind", "source_id", "version", name=op.f("pk_ledger")),
    )
    op.create_index(
        "ix_ledger_affiliate_id_currency", "ledger", ["affiliate_id", "currency", "hold", "available"], unique=False
    )


def _payment() -> None:
    op.create_table(
        "payment",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("affiliate_id", sa.Integer(), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("amount", Amount(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("created_by", sa.String(length=24), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("paid_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["affiliate_id"], ["affiliate.id"], name=op.f("fk_payment_affiliate_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payment")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_payment_affiliate_id"), "payment", ["affiliate_id"], unique=False)
    op.create_index(op.f("ix_payment_created_at"), "payment", ["created_at"], unique=False)


def _payment_entry() -> None:
    op.create_table(
        "payment_entry",
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("source_id", sa.String(length=24), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("payment_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["payment_id"], ["payment.id"], name=op.f("fk_payment_entry_payment_id")),
        sa.PrimaryKeyConstraint("kind", "source_id", "version", name=op.f("pk_payment_entry")),
    )
    op.create_index(op.f("ix_payment_entry_payment_id"), "payment_entry", ["payment_id"], unique=False)
    op.create_index("ix_payment_entry_source_id", "payment_entry", ["source_id", "payment_id"], unique=False)


def _edge_progress() -> None:
    op.create_table(
        "edge_progress",
        sa.Column("edge", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("journal", sa.String(length=40), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("loaded_until", sa.BigInteger(), nullable=False),
        sa.Column("begun_until", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("edge", name=op.f("pk_edge_progress")),
    )


def _rebuild() -> None:
    op.create_table(
        "rebuild",
        sa.Column("number", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("owner", sa.String(length=24), nullable=False),
        sa.Column("stage", sa.String(length=16), nullable=False),
        sa.Column("begun_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_rebuild")),
        sqlite_autoincrement=True,
    )


def _inbox() -> None:
    op.create_table(
        "inbox",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("journal", sa.String(length=40), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("call", sa.LargeBinary(), nullable=False),
        sa.Column("click", sa.LargeBinary(), nullable=True),
        sa.Column("click_id", sa.String(length=24), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("logged", sa.Boolean(), nullable=False),
        sa.Column("received_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inbox")),
        sa.UniqueConstraint("journal", "position", name=op.f("uq_inbox_journal_position")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_inbox_state_id", "inbox", ["state", "id"], unique=False)


def _conversion_task() -> None:
    op.create_table(
        "conversion_task",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("actor", sa.String(length=64), nullable=False),
        sa.Column("item", Document, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_conversion_task")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_conversion_task_state_id", "conversion_task", ["state", "id"], unique=False)


def _outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("target", sa.String(length=16), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.Column("row_count", sa.Integer(), nullable=False),
        sa.Column("batch", sa.String(length=24), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_outbox_batch_target_id", "outbox", ["batch", "target", "id"], unique=False)
    if op.get_bind().dialect.name == "postgresql":  # a block lives for a second: compressing it is work for nothing
        op.execute(sa.text("ALTER TABLE outbox ALTER COLUMN payload SET STORAGE EXTERNAL"))


def _delivery() -> None:
    op.create_table(
        "delivery",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("job_id", sa.String(length=24), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("conversion_id", sa.String(length=24), nullable=False),
        sa.Column("postback_id", sa.Integer(), nullable=False),
        sa.Column("affiliate_id", sa.Integer(), nullable=False),
        sa.Column("offer_id", sa.Integer(), nullable=False),
        sa.Column("advertiser_id", sa.String(length=24), nullable=False),
        sa.Column("goal", sa.String(length=255), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("host", sa.String(length=255), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_at", sa.BigInteger(), nullable=False),
        sa.Column("lease_until", sa.BigInteger(), nullable=False),
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("forced", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_delivery")),
        sa.UniqueConstraint(
            "conversion_id",
            "postback_id",
            "number",
            "forced",
            name=op.f("uq_delivery_conversion_id_postback_id_number_forced"),
        ),
    )
    op.create_index("ix_delivery_host_next_at", "delivery", ["host", "next_at"], unique=False)
    op.create_index("ix_delivery_next_at", "delivery", ["next_at", "lease_until"], unique=False)
    op.create_index("ix_delivery_owner", "delivery", ["owner"], unique=False)


def _parallel_call() -> None:
    op.create_table(
        "parallel_call",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("offer_id", sa.Integer(), nullable=False),
        sa.Column("host", sa.String(length=255), nullable=False),
        sa.Column("click", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_parallel_call")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_parallel_call_host_id", "parallel_call", ["host", "id"], unique=False)


def _fetch() -> None:
    op.create_table(
        "fetch",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("offer_id", sa.Integer(), nullable=False),
        sa.Column("creative_id", sa.Integer(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_at", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_fetch")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_fetch_next_at"), "fetch", ["next_at"], unique=False)


def _mail() -> None:
    op.create_table(
        "mail",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("recipient", sa.String(length=254), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_at", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mail")),
    )
    op.create_index(op.f("ix_mail_next_at"), "mail", ["next_at"], unique=False)


def _sign_in_failure() -> None:
    op.create_table(
        "sign_in_failure",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_sign_in_failure")),
    )
    op.create_index(op.f("ix_sign_in_failure_since"), "sign_in_failure", ["since"], unique=False)


def _currency() -> None:
    op.create_table(
        "currency",
        sa.Column("code", sa.String(length=3), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("min_payment", Amount(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("code", name=op.f("pk_currency")),
    )


def _audit() -> None:
    op.create_table(
        "audit",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("staff_id", sa.String(length=24), nullable=False),
        sa.Column("request_id", sa.String(length=64), nullable=False),
        sa.Column("method", sa.String(length=64), nullable=False),
        sa.Column("what", sa.String(length=32), nullable=False),
        sa.Column("key", sa.String(length=200), nullable=False),
        sa.Column("changes", Document, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
    )
    op.create_index(op.f("ix_audit_at"), "audit", ["at"], unique=False)
    op.create_index(op.f("ix_audit_request_id"), "audit", ["request_id"], unique=False)
    op.create_index("ix_audit_staff_id_at", "audit", ["staff_id", "at"], unique=False)
    op.create_index("ix_audit_what_key_at", "audit", ["what", "key", "at"], unique=False)


def _advertiser_blacklist() -> None:
    op.create_table(
        "advertiser_blacklist",
        sa.Column("advertiser_id", sa.String(length=24), nullable=False),
        sa.Column("affiliate_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("advertiser_id", "affiliate_id", name=op.f("pk_advertiser_blacklist")),
    )
    op.create_index(
        op.f("ix_advertiser_blacklist_affiliate_id"), "advertiser_blacklist", ["affiliate_id"], unique=False
    )


def _invoice() -> None:
    op.create_table(
        "invoice",
        sa.Column("number", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("advertiser_id", sa.String(length=24), nullable=False),
        sa.Column("status", sa.String(length=8), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("start_date", sa.String(length=10), nullable=True),
        sa.Column("end_date", sa.String(length=10), nullable=True),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("detail", Document, nullable=False),
        sa.Column("computed", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_invoice")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_invoice_advertiser_id"), "invoice", ["advertiser_id"], unique=False)


def _payment_system() -> None:
    op.create_table(
        "payment_system",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("lang_label", sa.String(length=200), nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=True),
        sa.Column("fields", Document, nullable=False),
        sa.Column("last_field", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payment_system")),
        sqlite_autoincrement=True,
    )


def _custom_field() -> None:
    op.create_table(
        "custom_field",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("required", sa.Boolean(), nullable=False),
        sa.Column("field_type", sa.String(length=16), nullable=False),
        sa.Column("field_values", Document, nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_custom_field")),
        sa.UniqueConstraint("name", name=op.f("uq_custom_field_name")),
        sqlite_autoincrement=True,
    )


def _pixel() -> None:
    op.create_table(
        "pixel",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("affiliate_id", sa.Integer(), nullable=False),
        sa.Column("offer_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("code_type", sa.String(length=16), nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("moderation_status", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["affiliate_id"], ["affiliate.id"], name=op.f("fk_pixel_affiliate_id")),
        sa.ForeignKeyConstraint(["offer_id"], ["offer.id"], name=op.f("fk_pixel_offer_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pixel")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_pixel_affiliate_id_offer_id", "pixel", ["affiliate_id", "offer_id"], unique=False)


def _erasure() -> None:
    op.create_table(
        "erasure",
        sa.Column("number", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("subject", sa.String(length=16), nullable=False),
        sa.Column("value", sa.String(length=255), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("staff_id", sa.String(length=24), nullable=False),
        sa.Column("sql_at", sa.BigInteger(), nullable=True),
        sa.Column("analytics_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_erasure")),
        sqlite_autoincrement=True,
    )


def _news() -> None:
    op.create_table(
        "news",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("published", sa.Boolean(), nullable=False),
        sa.Column("pinned", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_news")),
    )
    op.create_index("ix_news_listed", "news", ["published", "pinned", "created_at", "id"], unique=False)


def _first_answer() -> None:
    op.create_table(
        "first_answer",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("asked", sa.String(length=64), nullable=False),
        sa.Column("sealed", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_first_answer")),
    )
    op.create_index(op.f("ix_first_answer_created_at"), "first_answer", ["created_at"], unique=False)


TABLES: tuple[Callable[[], None], ...] = (
    _setting,
    _edge,
    _rule_clock,
    _rule_change,
    _currency_rate,
    _staff,
    _affiliate,
    _api_key,
    _advertiser,
    _source,
    _category,
    _domain,
    _smartlink_category,
    _file,
    _offer,
    _offer_label,
    _ticket,
    _connection,
    _affiliate_postback,
    _conversion,
    _conversion_indexes,
    _conversion_event,
    _counter,
    _ledger,
    _payment,
    _payment_entry,
    _edge_progress,
    _rebuild,
    _inbox,
    _conversion_task,
    _outbox,
    _delivery,
    _parallel_call,
    _fetch,
    _mail,
    _sign_in_failure,
    _currency,
    _audit,
    _advertiser_blacklist,
    _invoice,
    _payment_system,
    _custom_field,
    _pixel,
    _news,
    _erasure,
    _first_answer,
)


def upgrade() -> None:
    for create in TABLES:
        create()
