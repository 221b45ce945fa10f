"""Requests for methods of offers, conversions and statistics."""

from collections.abc import Callable
from itertools import count
from typing import Any

from tests.contract.requests.people import filled_smartlink
from tests.support.api import Api
from trackyard.api.catalogue import CATALOGUE

_numbers = count(1)


def good_params(api: Api, advertiser: str, offer: int, pid: int) -> dict[str, dict[str, Any]]:
    """Parameters with which each of these methods succeeds."""
    day = {"filter[date_from]": "2023-11-15", "filter[date_to]": "2023-11-15"}
    payments = {"payments[0][total]": "10", "payments[0][revenue]": "7"}
    statistics = [endpoint for endpoint in CATALOGUE if endpoint.id.startswith("stats.")]
    good: dict[str, dict[str, Any]] = {
        endpoint.id: day if "filter" in endpoint.params.model_fields else {} for endpoint in statistics
    }
    return good | {
        "stats.getbysub": day | {"filter[offer]": offer},
        "stats.custom": day | {"slice[]": "day"},
        "stats.conversions": {"date_from": "2023-11-15", "date_to": "2023-11-15"},
        "stats.caps": {"offer_id": offer, "fields": ["stats", "stats_merged", "descr"]},
        "stats.caps31": {"offer_id": offer},
        "stats.find-subs": {},
        "stats.retentionrate": {
            "date_from": "2023-11-15",
            "date_to": "2023-11-15",
            "offer": offer,
            "base_event": "install",
            "events": "install,sale",
        },
        "stats.getreferralpayments": {"date_from": "15-11-2023", "date_to": "15-11-2023"},
        "stats.time-to-action": {
            "date_from": "2023-11-15",
            "date_to": "2023-11-15",
            "offer_id": offer,
            "timezone": "Europe/Berlin",
        },
        "offer.promo-codes.add": {
            "promocodes[0][type]": "manual",
            "promocodes[0][code]": "code.{n}",
            "promocodes[0][offer_id]": offer,
            "promocodes[0][affiliate_id]": pid,
            "promocodes[0][date_from]": "2023-11-01T00:00:00Z",
            "promocodes[0][date_to]": "2023-11-30T23:59:59Z",
        },
        "offer.promo-code.edit": {"usage_limit": "5"},
        **{f"admin.product-feed.{act}": {"name": "Shoes", "csv": PRODUCTS} for act in ("add", "edit")},
        "admin.product-feed.check": {"csv": PRODUCTS},
        "product-feed.items.list": {"affiliate_id": pid, "offer_id": offer},
        "adcosts.list": {"offer_id": offer},
        "adcosts.set": {**_cost(offer, pid), "date": "2023-11-15", "costs": "12.5"},
        "adcosts.remove": {**_cost(offer, pid), "date": lambda: _entered_cost(api, offer, pid)},
        "stats.clicks": {"date_from": "2023-11-15", "date_to": "2023-11-15"},
        "admin.advertiser.add": {"title": "T"},
        "admin.offer.add": {"title": "T", "advertiser": advertiser, "url": "https://a.example"} | payments,
        "admin.offer.delete": {"offer_id": api.add_offer},
        "admin.offer.mass-update": {"offer_id": offer, "status": "active"},
        "admin.offers.counts": {"by": "categories"},
        "admin.offers.affiliates": {"offer_id[]": [offer]},
        "admin.offer.tracking-link": {"affiliate_id": pid, "sub1": "banner"},
        "balance.get": {"pid": pid},
        "stats.serverpostbacks": {"date_from": "2023-11-15", "date_to": "2023-11-15"},
        "stats.affiliatepostbacks": {"date_from": "2023-11-15", "date_to": "2023-11-15"},
        "stats.conversion.history": {},
        "stats.conversionsbyid": {"id": f"{1:024x}"},
        "admin.conversions.release-held": {"offer": offer},
        "admin.conversion.edit": {"ids[]": f"{1:024x}", "comment": "by hand"},
        "admin.conversion.edit-by-advertiser": {
            "ids[]": f"{1:024x}",
            "advertiser_id": advertiser,
            "comment": "by hand",
        },
        "admin.conversion.import": {"offer": offer, "pid": pid},
        "admin.conversions.import": {"list[0][offer]": offer, "list[0][pid]": pid, "list[0][status]": "pending"},
        "admin.conversions.import.check": {"list[0][offer]": offer, "list[0][pid]": pid, "list[0][status]": "pending"},
        "admin.offer.remove-creative": {"creatives[]": "1"},
        "admin.offer.creative.html.set": HTML,
        "affiliate.conversion.import": {"offer": offer},
        "affiliate.refused-imports.list": {"date_from": "2023-11-15", "date_to": "2023-11-15"},
        "partner.activation.smartlink": {
            "smartlink_id": lambda: filled_smartlink(api, offer),
            "pid": pid,
            "comment": "Search traffic",
        },
        "affiliate.conversions.import": {"list[0][offer]": offer},
        "cities.list": {"country": "EE"},
        "offers.list": {},
        "offers.count": {},
        "offer.get": {},
        "partner.offers.list": {"pid": pid},
        "partner.live-offers.list": {"pid": pid},
    }


HTML: dict[str, Any] = {"code": "<b>Shoes</b>", "name": "Banner", "width": "300", "height": "250"}
HTML_KEY = "3f2b8c1e-5d4a-4e6f-9a7b-0c1d2e3f4a5b"
"""The second variable of the paths of HTML creatives."""


def html_subjects(api: Api, offer: int) -> dict[str, Callable[[], Any]]:
    """Subjects of the paths of methods of HTML creatives."""

    def stored() -> int:
        api.admin.post(f"/3.1/admin/offer/{offer}/creative/html/{HTML_KEY}", **HTML)
        return offer

    return {"admin.offer.creative.html.set": lambda: offer, "admin.offer.creative.html.remove": stored}


PRODUCTS = "sku,name,url,price\n1,Boot,https://shop.example/boot,12.50\n"
"""The file of a product feed."""


def feed_subjects(api: Api, offer: int, pid: int) -> dict[str, Callable[[], Any]]:
    """Subjects of the paths of methods of product feeds."""

    def feed() -> str:
        made = api.admin.post("/3.1/admin/product-feed", name=f"Feed {next(_numbers)}", csv=PRODUCTS)
        return str(made["product_feed"]["id"])

    def read_feed() -> str:
        made = api.admin.post(
            "/3.1/admin/product-feed", name=f"Feed {next(_numbers)}", url="https://shop.example/p.csv"
        )
        return str(made["product_feed"]["id"])

    def named() -> str:
        found = feed()
        api.admin.post(f"/3.1/admin/offer/{offer}", product_feed_id=found)
        # another test may have disconnected the affiliate, or blocked it for the advertiser
        api.admin.post("/3.0/offer/enable-affiliate", offer_id=offer, pid=pid, notice=0)
        advertiser = api.admin.get(f"/3.0/offer/{offer}")["offer"]["advertiser"]
        api.admin.post("/3.0/admin/advertiser/enable-affiliate", pid=pid, **{"advertisers_id[]": advertiser})
        return found

    changed = dict.fromkeys((f"admin.product-feed.{act}" for act in ("get", "edit", "remove")), feed)
    changed["admin.product-feed.read"] = read_feed
    return changed | {"product-feed.items.list": named}


def _cost(offer: int, pid: int) -> dict[str, Any]:
    return {"offer_id": offer, "affiliate_id": pid, "sub8": "banner"}


def _entered_cost(api: Api, offer: int, pid: int) -> str:
    """Enter a cost and return its day."""
    api.admin.post("/3.1/adcosts", **_cost(offer, pid), date="2023-11-16", costs="3")
    return "2023-11-16"


def path_subjects(api: Api, offer: int, pid: int) -> dict[str, Callable[[], Any]]:
    """Subjects of the paths of these methods, made for each request."""

    def code() -> str:
        sent = {"type": "manual", "code": f"subject.{next(_numbers)}", "offer_id": offer, "affiliate_id": pid}
        sent |= {"date_from": "2023-11-01T00:00:00Z", "date_to": "2023-11-30T23:59:59Z"}
        params = {f"promocodes[0][{name}]": value for name, value in sent.items()}
        return str(api.admin.post("/3.1/offers/promocodes/bulk", **params)["data"]["promocodes"][0]["id"])

    return {"offer.promo-code.edit": code} | html_subjects(api, offer) | feed_subjects(api, offer, pid)
