"""Columns that decide who gets in, and columns with secrets (docs/spec/callers.md#credentials).

Methods that write the first need a key without limits; the audit log masks the second.
"""

from typing import Final

CREDENTIAL_COLUMNS: Final = {
    "staff": frozenset({"email", "password_hash"}),
    "affiliate": frozenset({"email", "login", "password_hash", "postback_secret"}),
    "advertiser": frozenset({"email", "password_hash", "hash_password", "signing_secret"}),
    "person": frozenset({"email", "password_hash"}),
    "offer": frozenset({"hash_password"}),
    "setting": frozenset({"smtp_url", "mail_from", "hash_password"}),  # the values of these names
    **dict.fromkeys(
        ("api_key", "session", "second_factor", "recovery_code", "sign_in_link", "email_confirmation", "member"),
        frozenset({"*"}),
    ),
}
"""By table; * is every column. Who writes one decides who signs in, or which reports count."""

SECRET_COLUMNS: Final = {
    "staff": frozenset({"password_hash"}),
    "affiliate": frozenset({"password_hash", "postback_secret"}),
    "advertiser": frozenset({"password_hash", "hash_password", "signing_secret", "subs_key"}),
    "person": frozenset({"password_hash"}),
    "offer": frozenset({"hash_password", "pixel_code"}),
    "api_key": frozenset({"digest", "sealed"}),
    "second_factor": frozenset({"sealed"}),
    "session": frozenset({"digest"}),
    "recovery_code": frozenset({"digest"}),
    "sign_in_link": frozenset({"digest"}),
    "email_confirmation": frozenset({"digest"}),
    "first_answer": frozenset({"sealed"}),
    "mail": frozenset({"server"}),
    "chat": frozenset({"sealed"}),
    "held_change": frozenset({"asked", "before"}),  # they have accounts of affiliates
}
"""By table: secrets, in clear or encrypted, and digests by which one can be looked up or guessed."""
SECRET_SETTINGS: Final = frozenset({"hash_password", "smtp_url"})
"""Names of settings with secret values."""
