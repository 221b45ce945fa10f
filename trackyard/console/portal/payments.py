"""The money of an affiliate: its balance and the payments to it (docs/spec/console.md#portal)."""

from collections import defaultdict
from decimal import Decimal
from typing import Any, Final

from trackyard.console.frame import shown
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.portal.lists import FilterChoice, chosen_value, page_number, set_filters

pages = Pages()

PER_PAGE: Final = 30
STATUSES: Final = {"created": "Being paid", "paid": "Paid", "cancelled": "Cancelled"}
_KINDS: Final = {"created": "pending", "paid": "confirmed", "cancelled": "declined"}
"""Status of a payment to the class of its mark."""
_STATUS: Final = FilterChoice("status", "Status", tuple(STATUSES.items()), is_fixed=True)
_MOST_CREATED: Final = 1000


@pages.get("/portal/payments", audience="affiliate", needs=("balance.get", "partner.payments.list"))
def payments(request: PageRequest) -> PageAnswer:
    """Show what is available, on hold and being paid, and the payments."""
    calls, address = request.calls, request.address
    sent = [("status[]", value) for value in (chosen_value(address, _STATUS),) if value]
    paging = [("limit", str(PER_PAGE)), ("page", str(page_number(address)))]
    answer = calls.call("partner.payments.list", [*sent, *paging])
    total, page = answer["pagination"]["total_count"], answer["pagination"]["page"]
    return request.page(
        "portal/payments.html",
        balances=_balances(request),
        rows=answer["payments"],
        statuses=STATUSES,
        kinds=_KINDS,
        chips=set_filters(address, (_STATUS,)),
        total=total,
        page=page,
        first=(page - 1) * PER_PAGE + 1,
        account=calls.call("partner.me.get")["user"]["pay_acc"],
        api_request_path=calls.address("partner.payments.list", sent),
    )


def requested_sums(request: PageRequest) -> dict[str, Decimal]:
    """Return what payments that are not executed yet pay, by currency."""
    asked = [("status[]", "created"), ("limit", str(_MOST_CREATED))]
    sums = defaultdict[str, Decimal](Decimal)
    for each in request.calls.call("partner.payments.list", asked)["payments"]:
        sums[each["currency"]] += Decimal(str(each["amount"]))
    return dict(sums)


def _balances(request: PageRequest) -> list[dict[str, str]]:
    """Return the sums of each currency, that of the platform first."""
    balance = request.calls.call("balance.get")["balance"]
    requested = requested_sums(request)
    sums: dict[str, Any] = {"available": balance["available"], "hold": balance["hold"], "requested": requested}
    platform = request.deps.currency
    found = {code for each in sums.values() for code, value in each.items() if value} | {platform}
    codes = sorted(found, key=lambda code: (code != platform, code))
    return [{name: shown.money(Decimal(str(each.get(code, 0))), code) for name, each in sums.items()} for code in codes]
