"""People: staff, affiliates, advertisers, their keys. Times are UTC epoch milliseconds."""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, String, Text, false, text

from trackyard.domain.money.documents import DocumentKind
from trackyard.domain.money.invoices import InvoiceStatus
from trackyard.domain.people.advertiser_fields import ADVERTISER_FIELDS
from trackyard.domain.people.advertisers import AdvertiserStatus
from trackyard.domain.people.affiliate_fields import AFFILIATE_FIELDS
from trackyard.domain.people.affiliates import AffiliateStatus, EmailState
from trackyard.domain.people.callers import AccountKind
from trackyard.domain.people.companies import CompanyRole
from trackyard.domain.people.staff import MESSENGERS, StaffStatus
from trackyard.domain.platform.custom_fields import CustomFieldType
from trackyard.store.engine.types import Amount, Document, Id24, MaybeDocument, Moment, Word
from trackyard.store.tables.plain_columns import add_plain_columns
from trackyard.store.tables.schema import columns, table

staff = table(
    "staff",
    Column("id", Id24, primary_key=True),
    Column("email", String(254), nullable=False, unique=True),
    Column("password_hash", String(200), nullable=True),
    *columns(String(200), "first_name", "last_name", "skype", "work_hours", nullable=False, default=""),
    Column("roles", Document, nullable=False),
    Column("status", Word(StaffStatus), nullable=False, default=StaffStatus.ACTIVE),
    Column("last_login_at", Moment, nullable=True),
    *columns(Moment, "created_at", "updated_at", nullable=False),
    Column("statistics_revenue", String(16), nullable=True),  # domain/statistics/switches.py; NULL = as the platform
    Column("statistics_rows", String(16), nullable=True),
    *columns(String(200), *MESSENGERS, nullable=False, server_default=""),
    Column("permissions", Document, nullable=False, server_default=text("'{}'")),  # feature → level, below the roles'
    Column("password_until", Moment, nullable=True),  # when a mailed password ends; NULL = the person chose it
)

preset = table(  # levels that staff users get by one name
    "preset",
    Column("id", Id24, primary_key=True),
    Column("name", String(200), nullable=False),
    Column("kind", String(32), nullable=False),  # domain/people/presets.py
    Column("permissions", Document, nullable=False),  # "area.feature" → level
    *columns(Moment, "created_at", "updated_at", nullable=False),
)

affiliate = table(
    "affiliate",
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("email", String(254), nullable=False, unique=True),
    *columns(String(200), "login", "password_hash", nullable=False),
    Column("status", Word(AffiliateStatus), nullable=False),
    Column("status_reason", Text, nullable=False, server_default=""),  # why it is not active, for the affiliate
    Column("decision_words", Text, nullable=False, server_default=""),  # went with the last decision about its status
    Column("email_state", Word(EmailState), nullable=False, default=EmailState.NOT_ASKED),
    *columns(String(200), "name", "contact_person", nullable=True),
    Column("notes", Text, nullable=False, default=""),
    Column("level", Integer, nullable=False, default=0),
    Column("ref_percent", Amount, nullable=True),
    Column("ref", Integer, nullable=True, index=True),
    Column("manager_id", Id24, nullable=True, index=True),
    *columns(Document, "payment_systems", "custom_fields", "tags", "sub_accounts", nullable=False),
    Column("postback_secret", String(40), nullable=False),
    *columns(Text, "address_1", "address_2", nullable=True),
    Column("city", String(200), nullable=True),
    Column("country", String(2), nullable=True),
    Column("zip_code", String(32), nullable=True),
    Column("phone", String(64), nullable=True),
    Column("company", String(200), nullable=True),
    Column(
        "permissions", Document, nullable=False, default=dict
    ),  # "area.feature" → level, where it differs from the platform
    Column("server_clicks", Boolean, nullable=False, default=False),  # whether its servers send the clicks of visitors
    Column("server_ip", Document, nullable=False, default=list),  # addresses, networks and ranges of these servers
    Column("last_login_at", Moment, nullable=True),
    *columns(Moment, "created_at", "updated_at", nullable=False),
    Column("statistics_revenue", String(16), nullable=True),  # domain/statistics/switches.py; NULL = as the platform
    Column("statistics_rows", String(16), nullable=True),
    Column("password_until", Moment, nullable=True),  # when a mailed password ends; NULL = the person chose it
    Column("payee_changed_at", Moment, nullable=True),  # when its payment systems changed last; NULL = never
)

add_plain_columns(affiliate, AFFILIATE_FIELDS)

affiliate_login = table(  # logins and e-mail addresses of affiliates in lower case: each has one owner
    "affiliate_login",
    Column("name", Text, primary_key=True),
    Column("affiliate_id", Integer, nullable=False, index=True),
)

terms_acceptance = table(  # which terms an affiliate accepted, and when
    "terms_acceptance",
    Column("affiliate_id", Integer, primary_key=True, autoincrement=False),
    Column("version", String(16), primary_key=True),  # domain/platform/network.py
    Column("accepted_at", Moment, nullable=False),
)

email_confirmation = table(  # links that confirm e-mail addresses; each is removed by its use
    "email_confirmation",
    Column("digest", String(64), primary_key=True),
    Column("affiliate_id", Integer, nullable=False, index=True),
    Column("email", String(254), nullable=False),  # the affiliate's, or the one that it asks for
    Column("mail_id", Id24, nullable=False, index=True),  # of the mail with the link; "" before migration 0007
    Column("expires_at", Moment, nullable=False, index=True),  # put off when the mail is sent
)

payment_system = table(  # ways to pay affiliates, and the fields that each needs
    "payment_system",
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("lang_label", String(200), nullable=False),
    Column("currency", String(3), nullable=True),
    Column("fields", Document, nullable=False),  # [{id, lang_label, required}]
    Column("last_field", Integer, nullable=False),  # the highest number a field ever had
    *columns(Moment, "created_at", "updated_at", nullable=False),
)

custom_field = table(  # what affiliates are asked for when they sign up
    "custom_field",
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("required", Boolean, nullable=False),
    Column("field_type", Word(CustomFieldType), nullable=False),
    Column("field_values", MaybeDocument, nullable=True),  # of a select: what may be chosen
    *columns(Moment, "created_at", "updated_at", nullable=False),
)

person = table(  # people of companies who own none
    "person",
    Column("id", Id24, primary_key=True),
    Column("email", String(254), nullable=False, unique=True),  # in lower case
    Column("name", String(200), nullable=False),
    Column("password_hash", String(200), nullable=True),  # NULL = not chosen yet
    Column("password_until", Moment, nullable=True),  # when a mailed password ends; NULL = the person chose it
    *columns(Moment, "created_at", "updated_at", nullable=False),
)

member = table(  # the places of people in companies; the owner of a company is its own row
    "member",
    Column("id", Id24, primary_key=True),
    Column("signer", String(40), nullable=False, index=True),  # with the password: person:<id>, or another company
    Column("company", String(40), nullable=False),  # affiliate:<id>, advertiser:<id>
    Column("role", Word(CompanyRole), nullable=False),
    Column("name", String(200), nullable=False),  # as the company calls the person
    Column("last_login_at", Moment, nullable=True),
    Column("created_at", Moment, nullable=False),
    Index("ix_member_company", "company", "signer", unique=True),
)

api_key = table(  # hashed for look-up; first keys are encrypted to be shown again
    "api_key",
    Column("digest", String(64), primary_key=True),
    Column("id", Id24, nullable=False),
    Column("sealed", Text, nullable=False),  # "" = shown no more
    Column("is_first", Boolean, nullable=False),  # the key of the specification, without limits
    Column("name", String(100), nullable=False),
    *columns(Document, "scopes", "networks", nullable=False),  # domain/people/key_limits.py
    Column("owner_kind", Word(AccountKind), nullable=False),
    Column("owner_id", String(24), nullable=False),
    Column("created_at", Moment, nullable=False),
    *columns(Moment, "expires_at", "last_used_at", nullable=True),
    Column("successor_id", String(24), nullable=False),  # "" = none
    *columns(String(16), "statistics_revenue", "statistics_rows", nullable=True),  # NULL = as its owner
    Index("ix_api_key_owner", "owner_kind", "owner_id"),
    Index("ix_api_key_id", "id", unique=True),
)

session = table(  # what passwords give: keys that end
    "session",
    Column("id", Id24, primary_key=True),
    Column("digest", String(64), nullable=False, unique=True),
    Column("owner_kind", Word(AccountKind), nullable=False),
    Column("owner_id", String(24), nullable=False),
    *columns(Moment, "created_at", "last_used_at", nullable=False),
    *columns(Moment, "idle_until", "expires_at", nullable=False, index=True),  # it ends at the first of the two
    Column("address", String(64), nullable=False),
    Column("user_agent", String(300), nullable=False),
    Column("second_factor", Boolean, nullable=False),  # whether the sign-in had one
    Index("ix_session_owner", "owner_kind", "owner_id"),
)

second_factor = table(  # secrets of authenticator apps; one that is not confirmed does not count
    "second_factor",
    Column("owner", String(40), primary_key=True),  # staff:<id>, affiliate:<id>
    Column("sealed", Text, nullable=False),
    Column("last_step", BigInteger, nullable=False),  # of the last code that was used
    Column("created_at", Moment, nullable=False),
    Column("confirmed_at", Moment, nullable=True),
)

recovery_code = table(  # each replaces one code of a second factor, once
    "recovery_code",
    Column("digest", String(64), primary_key=True),
    Column("owner", String(40), nullable=False, index=True),
)

preference = table(  # what people chose for their own pages
    "preference",
    Column("owner", String(40), primary_key=True),  # staff:<id>, affiliate:<id>
    Column("timezone", String(64), nullable=False),  # "" = the platform's
    Column("language", String(8), nullable=False),  # "" = as the browser asks
    Column("single_keys", Boolean, nullable=False),
    Column("pages", Document, nullable=False),  # name of a page to what the person chose to see there
)

saved_report = table(  # reports of the page Reports that people saved
    "saved_report",
    Column("id", Id24, primary_key=True),
    Column("owner", String(40), nullable=False, index=True),  # staff:<id>, affiliate:<id>
    Column("name", String(100), nullable=False),
    Column("query", Text, nullable=False),  # of the page's address
    Column("shared", Boolean, nullable=False),  # with all staff
    *columns(Moment, "created_at", "updated_at", nullable=False),
    Index("ix_saved_report_shared", "name", sqlite_where=text("shared"), postgresql_where=text("shared")),
)

report_mail = table(  # saved reports that people get by mail
    "report_mail",
    Column("id", Id24, primary_key=True),
    Column("report_id", Id24, nullable=False, index=True),
    Column("owner", String(40), nullable=False),  # staff:<id>, affiliate:<id>
    Column("every", String(8), nullable=False),  # domain/statistics/report_mails.py
    *columns(Integer, "weekday", "hour", nullable=False),
    Column("files", String(8), nullable=False, server_default="csv"),  # csv, pdf, both
    Column("next_at", Moment, nullable=False, index=True),
    *columns(Moment, "created_at", "updated_at", nullable=False),
    Index("ix_report_mail_owner", "owner", "report_id", unique=True),
)

sign_in_link = table(  # links with which an account gets a password; each is removed by its use
    "sign_in_link",
    Column("digest", String(64), primary_key=True),
    Column("owner", String(40), nullable=False, index=True),  # staff:<id>, affiliate:<id>
    Column("mail_id", Id24, nullable=False, index=True),  # of the mail with the link, "" = it was not mailed
    Column("expires_at", Moment, nullable=False, index=True),  # put off when the mail is sent
)

# Failed tries to sign in since `since`, by account and by address; and marks of an account and a network from which it
# signed in, until `since`. Names are digests.
sign_in_failure = table(
    "sign_in_failure",
    Column("name", String(64), primary_key=True),
    Column("failures", Integer, nullable=False),
    Column("since", Moment, nullable=False, index=True),
)

advertiser = table(
    "advertiser",
    Column("id", Id24, primary_key=True),
    Column("title", String(200), nullable=False),
    Column("contact", String(200), nullable=True),
    Column("email", String(254), nullable=True),
    Column("url", Text, nullable=True),
    Column("skype", String(200), nullable=True),
    Column("note", Text, nullable=True),
    Column("manager_id", Id24, nullable=True, index=True),
    *columns(Document, "allowed_ip", "disallowed_ip", nullable=False),
    Column("hash_password", String(200), nullable=True),
    Column("signing_secret", Text, nullable=True),  # of its inbound postbacks, encrypted; NULL = they need no signature
    *columns(Text, "address_1", "address_2", nullable=True),
    Column("city", String(200), nullable=True),
    Column("country", String(2), nullable=True),
    Column("zip_code", String(32), nullable=True),
    Column("vat_code", String(64), nullable=True),
    Column("sub_accounts", Document, nullable=False),
    Column("consider_personal_targeting_only", Boolean, nullable=False, default=False),
    Column("tags", Document, nullable=False),
    Column("password_hash", String(200), nullable=True),
    *columns(Moment, "created_at", "updated_at", nullable=False),
    Column("status", Word(AdvertiserStatus), nullable=False, server_default=AdvertiserStatus.ACTIVE),
    Column("decision_words", Text, nullable=False, server_default=""),  # went with the last decision about its status
    Column("sees_affiliates", Boolean, nullable=False, server_default=false()),
    Column("last_login_at", Moment, nullable=True),
    Column("hide_conversion_status", Boolean, nullable=False, server_default=false()),
    Column("custom_fields", Document, nullable=False, server_default=text("'{}'")),  # field id → answer
    *columns(Integer, "host_uniqueness_number_unique_clicks", "host_uniqueness_time_frame", nullable=True),
    Column("subaccounts_encryption", Boolean, nullable=False, server_default=false()),
    Column("subs_key", String(32), nullable=True),  # of the codes that it gets instead of subs, in hex
    Column("password_until", Moment, nullable=True),  # when a mailed password ends; NULL = the person chose it
)

add_plain_columns(advertiser, ADVERTISER_FIELDS)

advertiser_blacklist = table(  # affiliates that an advertiser rejects, or, enabled, that alone may use its offers
    "advertiser_blacklist",
    Column("advertiser_id", Id24, primary_key=True),
    Column("affiliate_id", Integer, primary_key=True, index=True),
    Column("created_at", Moment, nullable=False),
    Column("enabled", Boolean, nullable=False, server_default=false()),
)

invoice = table(  # what advertisers are billed; days are ISO texts in the platform's zone
    "invoice",
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("advertiser_id", Id24, nullable=False, index=True),
    Column("status", Word(InvoiceStatus, 8), nullable=False),
    Column("currency", String(3), nullable=False),
    *columns(String(10), "start_date", "end_date", nullable=True),
    Column("comment", Text, nullable=True),
    Column("detail", Document, nullable=False),
    Column("computed", Boolean, nullable=False),  # whether the lines come from statistics
    Column("is_draft", Boolean, nullable=False, server_default=false()),  # only staff see it
    Column("document_number", String(60), nullable=True, unique=True, index=True),  # given when it is issued
    Column("issued_at", Moment, nullable=True),
    Column("due_date", String(10), nullable=True),
    Column("taxes", Document, nullable=False, server_default="[]"),
    Column("notes", Text, nullable=False, server_default=""),
    Column("credits", Integer, nullable=True, unique=True, index=True),  # the invoice that this credit note takes back
    Column("overdue_at", Moment, nullable=True),  # when it was found unpaid after its due date
    *columns(Moment, "created_at", "updated_at", nullable=False),
)

document_series = table(  # the last document number of each prefix
    "document_series",
    Column("prefix", String(40), primary_key=True),
    Column("last", Integer, nullable=False),
)

document = table(  # documents about money; only what draws their files changes (docs/spec/documents.md)
    "document",
    Column("id", Id24, primary_key=True),
    Column("kind", Word(DocumentKind), nullable=False),
    Column("subject", String(60), nullable=False),
    Column("company", String(40), nullable=False),  # the name of the account that it is for
    Column("number", String(80), nullable=False),
    Column("content", Text, nullable=False),  # as documents/content.py wrote it
    Column("file", String(32), nullable=False, server_default=""),  # its PDF file, "" until it is drawn
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("next_at", Moment, nullable=True, index=True),  # when it is drawn; NULL = it is, or was given up
    Column("created_at", Moment, nullable=False),
    Index("ix_document_kind_subject", "kind", "subject"),
)
