"""Requests for methods of advertisers, their blacklists and invoices."""

from collections.abc import Callable
from typing import Any

from tests.support.api import Api
from tests.support.client import ApiClient
from trackyard.base.secrets import hash_password
from trackyard.domain.people.callers import AccountKind, StaffCaller
from trackyard.store.people import advertisers

SIGN_IN = {"email": "sign-in@shop.example", "password": "long enough for all"}


def _signed_up(api: Api) -> dict[str, Any]:
    """The e-mail address and the password of an advertiser that may sign in."""
    number = api.add_advertiser(email=SIGN_IN["email"])
    hashed = {"password_hash": hash_password(SIGN_IN["password"])}
    with api.deps.database.write() as conn:
        advertisers.edit_advertiser(conn, number, hashed)
    return SIGN_IN


def good_params(api: Api, advertiser: str, offer: int, pid: int) -> dict[str, dict[str, Any]]:
    """Parameters with which each of these methods succeeds."""
    api.admin.post(f"/3.0/admin/advertiser/{advertiser}", email="sweep@shop.example")
    pair = {"advertisers_id[]": advertiser, "pid": pid}
    supplier = api.admin.get(f"/3.0/offer/{offer}")["offer"]["advertiser"]
    line = {"detail[0][offer_id]": offer, "detail[0][payout_type]": "RPA", "detail[0][amount]": "5"}
    days = {"date_from": "2023-11-01", "date_to": "2023-11-30"}
    return {
        "advertiser.registration": {
            "title": "Shop",
            "email": "{n}@new-shop.example",
            "password": "long enough for all",
        },
        "advertiser.login": _signed_up(api),
        "advertiser.stats": days | {"slice[]": "day"},
        "advertiser.conversions.list": days,
        "advertiser.me.edit": {"contact": "Ada"},
        "admin.advertiser.edit": {"title": "T"},
        "admin.advertiser.enable-affiliate": pair,
        "admin.advertiser.disable-affiliate": pair,
        "admin.advertiser-invoice.add": {"supplier_id": supplier, "currency": "USD"} | line,
        "admin.advertiser-invoice.edit": {"supplier_id": supplier, "status": "paid"} | line,
        "admin.invoices.add": {"supplier_id": supplier, "currency": "USD"} | line,
        "admin.invoices.edit": {"comment": "seen"},
        "admin.billing.edit": {"legal_name": "Sweep Network Ltd"},
    }


def path_subjects(api: Api, advertiser: str) -> dict[str, Callable[[], Any]]:
    """Subjects of the paths of these methods."""
    named = (
        *("admin.advertiser.get", "admin.advertiser.edit", "admin.advertiser.sendpass", "admin.advertiser.look_as"),
        *("admin.advertiser.signing-secret.renew", "admin.advertiser.signing-secret.remove"),
        *(f"admin.advertiser.{act}" for act in ("access", "sign_in_link", "sessions.end", "second_factor.reset")),
    )
    invoice = api.admin.post("/3.0/admin/advertiser-invoice", supplier_id=advertiser, currency="USD")["number"]
    billed = ("admin.advertiser-invoice.get", "admin.advertiser-invoice.edit")
    return (
        {method: lambda: advertiser for method in named}
        | {method: lambda: invoice for method in billed}
        | dict.fromkeys((f"admin.invoices.{act}" for act in ("get", "edit", "remove", "issue")), lambda: draft(api))
        | dict.fromkeys((f"admin.invoices.{act}" for act in ("credit", "document")), lambda: issued(api))
    )


def draft(api: Api, advertiser: str = "", offer: int = 0) -> int:
    """A new draft with a line, which can be issued, and its number.

    advertiser, offer: "" and 0 = a new one.
    """
    api.admin.post("/3.1/admin/billing", legal_name="Sweep Network Ltd")
    advertiser = advertiser or api.add_advertiser()
    offer = offer or api.add_offer(advertiser=advertiser)
    line = {"detail[0][offer_id]": offer, "detail[0][payout_type]": "RPA", "detail[0][amount]": "5"}
    made = api.admin.post("/3.1/admin/invoices", supplier_id=advertiser, currency="USD", **line)
    return int(made["invoice"]["number"])


def issued(api: Api, advertiser: str = "", offer: int = 0) -> int:
    """An issued invoice, and its number."""
    number = draft(api, advertiser, offer)
    api.admin.post(f"/3.1/admin/invoices/{number}/issue")
    return number


def own_subjects(api: Api) -> dict[str, Callable[[ApiClient], Any]]:
    """Subjects of the paths of these methods, which belong to the client."""

    def own(client: ApiClient) -> int:
        caller = api.caller_of(client)
        is_own = not isinstance(caller, StaffCaller) and caller.company.kind is AccountKind.ADVERTISER
        return issued(api, caller.company.id if is_own else "")

    return dict.fromkeys(("advertiser.invoices.get", "advertiser.invoices.document"), own)
