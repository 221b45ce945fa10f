"""People: staff, affiliates, advertisers, their keys. Times are UTC epoch milliseconds."""

from sqlalchemy import Boolean, Column, Index, Integer, String, Table, Text

from trackyard.domain.money.invoices import InvoiceStatus
from trackyard.domain.people.affiliates import AffiliateStatus
from trackyard.domain.people.callers import AccountKind
from trackyard.domain.platform.custom_fields import CustomFieldType
from trackyard.store.engine.types import Amount, Document, Id24, MaybeDocument, Moment, Word
from trackyard.store.tables.schema import metadata

staff = Table(
    "staff",
    metadata,
    Column("id", Id24, primary_key=True),
    Column("email", String(254), nullable=False, unique=True),
    Column("password_hash", String(200), nullable=True),
    Column("first_name", String(200), nullable=False, default=""),
    Column("last_name", String(200), nullable=False, default=""),
    Column("skype", String(200), nullable=False, default=""),
    Column("work_hours", String(200), nullable=False, default=""),
    Column("roles", Document, nullable=False),
    Column("last_login_at", Moment, nullable=True),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    Column("statistics_revenue", String(16), nullable=True),  # domain/statistics/switches.py; NULL = as the platform
    Column("statistics_rows", String(16), nullable=True),
)

affiliate = Table(
    "affiliate",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("email", String(254), nullable=False, unique=True),
    Column("login", String(200), nullable=False),
    Column("password_hash", String(200), nullable=False),
    Column("status", Word(AffiliateStatus), nullable=False),
    Column("name", String(200), nullable=True),
    Column("contact_person", String(200), nullable=True),
    Column("notes", Text, nullable=False, default=""),
    Column("level", Integer, nullable=False, default=0),
    Column("ref_percent", Amount, nullable=True),
    Column("ref", Integer, nullable=True, index=True),
    Column("manager_id", Id24, nullable=True, index=True),
    Column("payment_systems", Document, nullable=False),
    Column("custom_fields", Document, nullable=False),
    Column("tags", Document, nullable=False),
    Column("sub_accounts", Document, nullable=False),
    Column("postback_secret", String(40), nullable=False),
    Column("address_1", Text, nullable=True),
    Column("address_2", Text, nullable=True),
    Column("city", String(200), nullable=True),
    Column("country", String(2), nullable=True),
    Column("zip_code", String(32), nullable=True),
    Column("phone", String(64), nullable=True),
    Column("company", String(200), nullable=True),
    Column("permissions", Document, nullable=False, default=dict),  # "area.feature" → level, where it is its own
    Column("server_clicks", Boolean, nullable=False, default=False),  # whether its servers report clicks of visitors
    Column("server_ip", Document, nullable=False, default=list),  # addresses, networks and ranges of these servers
    Column("last_login_at", Moment, nullable=True),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    Column("statistics_revenue", String(16), nullable=True),  # domain/statistics/switches.py; NULL = as the platform
    Column("statistics_rows", String(16), nullable=True),
    sqlite_autoincrement=True,
)

affiliate_login = Table(  # logins and e-mail addresses of affiliates in lower case: each has one owner
    "affiliate_login",
    metadata,
    Column("name", Text, primary_key=True),
    Column("affiliate_id", Integer, nullable=False, index=True),
)

payment_system = Table(  # ways to be paid, and what must be told of each
    "payment_system",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("lang_label", String(200), nullable=False),
    Column("currency", String(3), nullable=True),
    Column("fields", Document, nullable=False),  # [{id, lang_label, required}]
    Column("last_field", Integer, nullable=False),  # the highest number a field ever had
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    sqlite_autoincrement=True,
)

custom_field = Table(  # what affiliates are asked for when they sign up
    "custom_field",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("required", Boolean, nullable=False),
    Column("field_type", Word(CustomFieldType), nullable=False),
    Column("field_values", MaybeDocument, nullable=True),  # of a select: what may be chosen
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    sqlite_autoincrement=True,
)

api_key = Table(  # hashed for look-up, encrypted to be shown again
    "api_key",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("sealed", Text, nullable=False),
    Column("owner_kind", Word(AccountKind), nullable=False),
    Column("owner_id", String(24), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=True),
    Index("ix_api_key_owner", "owner_kind", "owner_id"),
)

sign_in_failure = Table(  # failed tries to sign in since `since`, by account and by address (digests of both)
    "sign_in_failure",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("failures", Integer, nullable=False),
    Column("since", Moment, nullable=False, index=True),
)

advertiser = Table(
    "advertiser",
    metadata,
    Column("id", Id24, primary_key=True),
    Column("title", String(200), nullable=False),
    Column("contact", String(200), nullable=True),
    Column("email", String(254), nullable=True),
    Column("url", Text, nullable=True),
    Column("skype", String(200), nullable=True),
    Column("note", Text, nullable=True),
    Column("manager_id", Id24, nullable=True, index=True),
    Column("allowed_ip", Document, nullable=False),
    Column("disallowed_ip", Document, nullable=False),
    Column("hash_password", String(200), nullable=True),
    Column("address_1", Text, nullable=True),
    Column("address_2", Text, nullable=True),
    Column("city", String(200), nullable=True),
    Column("country", String(2), nullable=True),
    Column("zip_code", String(32), nullable=True),
    Column("vat_code", String(64), nullable=True),
    Column("sub_accounts", Document, nullable=False),
    Column("consider_personal_targeting_only", Boolean, nullable=False, default=False),
    Column("tags", Document, nullable=False),
    Column("password_hash", String(200), nullable=True),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
)

advertiser_blacklist = Table(  # affiliates whose traffic an advertiser refuses
    "advertiser_blacklist",
    metadata,
    Column("advertiser_id", Id24, primary_key=True),
    Column("affiliate_id", Integer, primary_key=True, index=True),
    Column("created_at", Moment, nullable=False),
)

invoice = Table(  # what advertisers are billed; days are ISO texts in the platform's zone
    "invoice",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("advertiser_id", Id24, nullable=False, index=True),
    Column("status", Word(InvoiceStatus, 8), nullable=False),
    Column("currency", String(3), nullable=False),
    Column("start_date", String(10), nullable=True),
    Column("end_date", String(10), nullable=True),
    Column("comment", Text, nullable=True),
    Column("detail", Document, nullable=False),
    Column("computed", Boolean, nullable=False),  # whether the lines come from statistics
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    sqlite_autoincrement=True,
)
