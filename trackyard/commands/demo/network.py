"""The network of the demonstration, made over the API."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from trackyard.base.ids import new_api_key
from trackyard.commands.demo.offers import OFFERS, NetworkIds
from trackyard.commands.local_api import ApiClient

CAREFUL_ADVERTISER: Final = "bank"
"""It has a code of its own wherever it is; other advertisers have the codes that the platform generates, if any."""

_STAFF: Final = (
    ("publishing", "Paula", "Reed", ["ROLE_MANAGER_AFFILIATE"]),
    ("sales", "Sam", "Field", ["ROLE_MANAGER_SALES"]),
)
_ADVERTISERS: Final = (
    ("shop", "Stride Outfitters"),
    ("travel", "Far Journeys"),
    ("play", "Castle Forge Games"),
    ("bank", "Harbour Bank"),
)
_AFFILIATES: Final = (
    # key, name, status, key of the referrer
    ("harbour", "Harbour Media", "active", None),
    ("meadow", "Meadow Reviews", "active", "harbour"),
    ("north", "North Mailings", "active", None),
    ("lantern", "Lantern Apps", "active", "harbour"),
    ("quiet", "Quiet Corner", "not active", None),
    ("gone", "Gone Networks", "banned", None),
)
_CATEGORIES: Final = (("retail", "Retail"), ("travel", "Travel"), ("games", "Games"), ("finance", "Finance"))
_SOURCES: Final = (("social", "Social networks"), ("mail", "Mail"))
_POSTBACKS: Final[tuple[tuple[str, str, dict[str, str]], ...]] = (
    # affiliate, offer ("" = all), which conversions
    ("lantern", "mixed", {"goal": "purchase"}),
    ("harbour", "", {}),
    ("harbour", "percent", {"status": "confirmed"}),
    ("meadow", "", {"status": "by_creating"}),
)
"""All of them, or only the first when the receiver cannot be reached."""
_POSTBACK_QUERY: Final = (
    "?click={clickid}&status={status_name}&goal={goal}&payout={sum}&currency={currency}&geo={geo}&s={sub1}"
)

_FIXED_STEPS: Final = len(_STAFF) + len(_ADVERTISERS) + len(_CATEGORIES) + len(_SOURCES) + 1
BUILD_STEPS: Final = _FIXED_STEPS + len(_AFFILIATES) + len(OFFERS) + sum(len(plan.connected) for plan in OFFERS) + 4
"""The steps of `make`, as it reports them."""


@dataclass(frozen=True, slots=True)
class DemoNetwork:
    """The made records.

    offers, affiliates, advertisers: ids by key.
    keys: API keys of affiliates by key.
    codes: the postback codes by key of the offer; "" = none is needed.
    pixel_codes: the codes of pixels by key of the offer.
    smartlink: the id of the SmartLink category.
    """

    offers: dict[str, int]
    affiliates: dict[str, int]
    advertisers: dict[str, str]
    keys: dict[str, str]
    codes: dict[str, str]
    pixel_codes: dict[str, str]
    smartlink: str


def is_empty(api: ApiClient) -> bool:
    """Return whether the installation has no offer, advertiser, affiliate or conversion yet."""
    every_offer = {"status[]": ["active", "stopped", "suspended"]}
    found = (
        api.get("/3.0/offers", every_offer | {"limit": 1}),
        api.get("/3.0/admin/advertisers", {"limit": 1}),
        api.get("/3.0/admin/partners", {"limit": 1}),
        api.get("/3.0/stats/conversions", {"date_from": "2000-01-01", "limit": 1}),
    )
    return not any(answer["pagination"]["total_count"] for answer in found)


class NetworkBuilder:
    """Make the network over the API. report_step: called after each of BUILD_STEPS."""

    def __init__(self, api: ApiClient, report_step: Callable[[], None]) -> None:
        self._api = api
        self._report_step = report_step
        self._staff: dict[str, str] = {}
        self._keys: dict[str, str] = {}
        self._affiliates: dict[str, int] = {}
        self._codes: dict[str, str] = {}

    def make(self, receiver: str, is_reachable: Callable[[int], bool]) -> DemoNetwork:
        """Make everything.

        receiver: URL of the receiver of postbacks.
        is_reachable: returns whether the server may call it, asked with the id of an affiliate.
        """
        for key, first, last, roles in _STAFF:
            self._staff[key] = self._post("/3.0/admin/user", _person(first, last) | {"roles": roles})["user"]["id"]
        advertisers = {key: self._advertiser(key, title) for key, title in _ADVERTISERS}
        categories = {
            key: self._post("/3.0/admin/category", {"title": title})["category"]["id"] for key, title in _CATEGORIES
        }
        sources = {
            key: self._post("/3.0/admin/offer/source", {"title_lang": {"en": title}})["source"]["id"]
            for key, title in _SOURCES
        }
        smartlink = self._post("/3.0/admin/smartlink/category", {"name": "Best offers"})["category"]["_id"]
        for key, name, status, referrer in _AFFILIATES:
            self._affiliate(key, name, status, referrer)
        is_reachable_now = is_reachable(self._affiliates["harbour"])
        receiver_url = receiver if is_reachable_now else ""
        names = NetworkIds(advertisers, self._affiliates, categories, sources, smartlink, receiver_url)
        forms = {plan.key: plan.form(names) for plan in OFFERS}
        made = {key: self._offer(form) for key, form in forms.items()}
        offers = {key: offer["id"] for key, offer in made.items()}
        pixel_codes = {key: offer["pixel_code"] for key, offer in made.items()}
        codes = {key: self._codes[form["advertiser"]] for key, form in forms.items()}
        for plan in OFFERS:
            for key in plan.connected:
                form = {"offer_id": offers[plan.key], "pid": self._affiliates[key], "notice": 0}
                self._post("/3.0/offer/enable-affiliate", form)
        network = DemoNetwork(offers, self._affiliates, advertisers, self._keys, codes, pixel_codes, smartlink)
        for key, offer, which in _POSTBACKS if is_reachable_now else ():
            own = {"offer_id": offers[offer]} if offer else {}
            url = f"{receiver}/{key}{_POSTBACK_QUERY}"
            self._api.post("/3.1/partner/postback", {"pid": self._affiliates[key], "url": url} | own | which)
        self._report_step()
        self._add_other_records(network)
        return network

    def _post(self, path: str, params: dict[str, Any], api: ApiClient | None = None) -> dict[str, Any]:
        answer = (api or self._api).post(path, params)
        self._report_step()
        return answer

    def _advertiser(self, key: str, title: str) -> str:
        form: dict[str, Any] = {"title": title, "email": f"{key}@{key}.example", "tags": [key]}
        form["manager"] = self._staff["sales"]
        if key == CAREFUL_ADVERTISER:
            form["hash_password"] = new_api_key()
        made = self._post("/3.0/admin/advertiser", form)["advertiser"]
        advertiser_id: str = made["id"]
        self._codes[advertiser_id] = made["hash_password"] or ""
        return advertiser_id

    def _affiliate(self, key: str, name: str, status: str, referrer: str | None) -> None:
        form: dict[str, Any] = {"email": f"{key}@{key}.example", "password": secrets.token_urlsafe(), "login": key}
        form |= {"name": name, "status": status, "manager_id": self._staff["publishing"], "ref_percent": 5}
        form["tags"] = ["direct" if referrer is None else "referred"]
        if referrer is not None:
            form["ref"] = self._affiliates[referrer]
        made = self._post("/3.0/admin/partner", form)["partner"]
        self._affiliates[key], self._keys[key] = made["id"], made["api_key"]

    def _offer(self, form: dict[str, Any]) -> dict[str, Any]:
        made: dict[str, Any] = self._post("/3.1/admin/offer", {"status": "active"} | form)["offer"]
        return made

    def _add_other_records(self, network: DemoNetwork) -> None:
        """Make a pixel, news, and a request to join an offer."""
        code = '<img src="https://harbour.example/seen.gif?c={clickid}" width="1" height="1">'
        pixel = {"pid": network.affiliates["harbour"], "offer_id": network.offers["fixed"], "name": "Seen"}
        self._post("/3.0/partner/pixel", pixel | {"code": code, "code_type": "image", "moderation_status": 1})
        news = {"title": "Welcome", "small_desc": "What you see is made up.", "desc": "Every figure is."}
        self._post("/3.1/admin/news", news)
        join_request = {"offer_id": network.offers["percent"], "comment": "We have readers who travel."}
        self._post("/3.0/partner/activation/offer", join_request, ApiClient(self._api.url, self._keys["lantern"]))


def _person(first: str, last: str) -> dict[str, Any]:
    name = f"{first}.{last}".lower()
    return {
        "email": f"{name}@office.example",
        "password": secrets.token_urlsafe(),
        "first_name": first,
        "last_name": last,
        "work_hours": "Mon-Fri 9-17",
    }
