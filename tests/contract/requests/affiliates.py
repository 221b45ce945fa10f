"""Requests for methods of affiliates, their permissions, payment systems and custom fields."""

from collections.abc import Callable
from decimal import Decimal
from itertools import count
from typing import Any

from tests.contract.requests.money import earner
from tests.support.api import Api
from trackyard.base.ids import new_api_key, new_id
from trackyard.base.money import ZERO
from trackyard.domain.money.ledger import LedgerEntry
from trackyard.store.money import ledger
from trackyard.store.people import email_confirmations
from trackyard.store.people.email_confirmations import EmailConfirmation

_numbers = count(1)


def good_params(api: Api, pid: int) -> dict[str, dict[str, Any]]:
    """Parameters with which each of these methods succeeds."""
    asked = _asked(api)
    levels = {"permissions[stats][slice-day][level]": "read"}
    return {
        "admin.partner.add": {"email": "{n}@sweep.example", "password": "long-enough"},
        "admin.partner.edit": {"notes": "seen"},
        "admin.partner.locale": {"lang": "es", "timezone": "Europe/Berlin"},
        "admin.partners.mass-update": {"id": [pid], "status": "active"},
        "partner.add": {
            "email": "{n}@sign-up.example",
            "password": "long enough for all",
            "accept_terms": "1",
            f"custom_fields[{asked}]": "blue",
        },
        "partner.email.change": {"email": "{n}@sign-up.example"},
        "partner.email.confirm": {"token": lambda: _sent_token(api)},
        "partner.email.resend": {"email": "{n}@sign-up.example"},
        "user.permissions.default": levels,
        "user.permissions.edit": levels,
        "admin.payment_system.add": {"lang_label": "Wire"},
        "admin.payment_system.edit": {"lang_label": "Wire"},
        "admin.custom_field.add": {"name": "Field {n}"},
        "admin.custom_field.edit": {"name": "Other {n}"},
        "admin.payment.edit": {"comment": "by hand"},
        "payment.add-exact": {"aid": lambda: earner(api, api.admin), "sum": "3", "currency": "840"},
    }


def path_subjects(api: Api, pid: int) -> dict[str, Callable[[], Any]]:
    """Subjects of the paths of these methods."""

    def payment_system() -> int:
        made = api.admin.post("/3.1/admin/payment_systems", lang_label="Wire")
        return int(made["payment_system"]["id"])

    def custom_field() -> int:
        return int(api.admin.post("/3.1/admin/custom_fields", name=f"Path {next(_numbers)}")["field"]["id"])

    def payment() -> int:
        payee, _ = api.add_affiliate()
        entry = LedgerEntry(
            payee, "conversion", new_id(api.clock.now_ms()), 1, "USD", ZERO, Decimal(5), api.clock.now_ms()
        )
        with api.deps.database.write() as conn:
            ledger.add_entries(conn, [entry])
        made = api.admin.post("/3.1/admin/payments", **{"pid[]": payee})["payments"]
        return int(made[0]["id"])

    def paid() -> int:
        number = payment()
        api.admin.post(f"/3.1/admin/payments/{number}", status="paid")
        return number

    asked = _asked(api)
    affiliates = ("get", "edit", "locale", "password", "referrals", "second_factor.reset", "look_as")
    affiliates += ("access", "sign_in_link", "sessions.end")
    return {f"admin.partner.{name}": lambda: pid for name in affiliates} | {
        "user.permissions.edit": lambda: pid,
        "admin.payment_system.edit": payment_system,
        "admin.payment_system.remove": payment_system,
        "admin.custom_field.edit": lambda: asked,
        "admin.custom_field.remove": custom_field,
        "admin.payment.edit": payment,
        "admin.payment.entries": payment,
        "admin.payment.document": paid,
    }


def _sent_token(api: Api) -> str:
    """The token of a link to a new affiliate."""
    pid, _ = api.add_affiliate()
    token, now = new_api_key(), api.clock.now_ms()
    wanted = EmailConfirmation(pid, f"{token}@sweep.example")
    with api.deps.database.write() as conn:
        email_confirmations.add_token(conn, token, wanted, now, now + 1)
    return token


def _asked(api: Api) -> int:
    """The first custom field, which the requests change so that signing up needs it."""
    found = api.admin.get("/3.0/admin/custom_fields")["fields"]
    made = found[0] if found else api.admin.post("/3.1/admin/custom_fields", name="Asked")["field"]
    return int(made["id"])
