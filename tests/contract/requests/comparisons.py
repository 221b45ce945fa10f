"""Good requests of comparisons."""

from collections.abc import Callable
from typing import Any

from tests.support.api import Api
from tests.support.client import ApiClient

PERIOD = {"date_from": "2023-11-14", "date_to": "2023-11-16"}
FILE = "click_id,sum\nffffffffffffffffffffffff,3\n"


def good_params() -> dict[str, dict[str, Any]]:
    """Return parameters by method."""
    compared = PERIOD | {"csv": FILE}
    adding = dict.fromkeys(("comparison.advertiser.add", "comparison.affiliate.add"), compared)
    return adding | {"comparison.accept": {"classes": "other_sum,other_status,missing_there", "apply": "1"}}


def add_own_comparison(api: Api, client: ApiClient) -> str:
    """Return a comparison that a caller made of an affiliate in its scope, or else the administrator."""
    listed = api.admin.get("/3.1/admin/partners", limit=100)["partners"]
    for caller in (client, api.admin):
        for each in listed:
            path = f"/3.1/admin/partner/{each['id']}/comparisons"
            made = caller.call("POST", path, data=PERIOD | {"csv": FILE})
            if made.status_code == 403:
                break
            if made.status_code == 200:
                return str(made.json()["comparison"]["id"])
    raise LookupError("no affiliate is in scope")


def own_subjects(api: Api) -> dict[str, Callable[[ApiClient], Any]]:
    """Return what the path of each method names, made by its caller."""
    return dict.fromkeys(("comparison.get", "comparison.accept"), lambda client: add_own_comparison(api, client))


def path_subjects(advertiser: str, pid: int) -> dict[str, Callable[[], Any]]:
    """Return what the path of each method names."""
    return {
        **dict.fromkeys(("comparison.advertiser.add", "comparison.advertiser.list"), lambda: advertiser),
        **dict.fromkeys(("comparison.affiliate.add", "comparison.affiliate.list"), lambda: pid),
    }
