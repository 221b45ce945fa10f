"""What the sweep needs of advertisers, their blacklists and invoices."""

from collections.abc import Callable
from typing import Any

from tests.support.api import Api


def good_params(api: Api, advertiser: str, pid: int) -> dict[str, dict[str, Any]]:
    """Parameters with which each of these methods succeeds."""
    api.admin.post(f"/3.0/admin/advertiser/{advertiser}", email="sweep@shop.example")
    pair = {"advertisers_id[]": advertiser, "pid": pid}
    return {
        "admin.advertiser.edit": {"title": "T"},
        "admin.advertiser.enable-affiliate": pair,
        "admin.advertiser.disable-affiliate": pair,
    }


def path_subjects(api: Api, advertiser: str) -> dict[str, Callable[[], Any]]:
    """What the ids in these methods' paths name."""
    named = ("admin.advertiser.get", "admin.advertiser.edit", "admin.advertiser.sendpass")
    return {method: lambda: advertiser for method in named}
