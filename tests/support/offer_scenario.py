"""The people and the offer of the first story, made over the API."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from tests.support.processes.program import HttpAnswer, RunningProgram, poll_until

SHOP = "https://shop.example/"


@dataclass(frozen=True)
class OfferScenario:
    """An offer that pays 7 of the 10 its advertiser is charged, and an affiliate connected to it.

    code: of the advertiser's postbacks, "" = they need none.
    """

    program: RunningProgram
    advertiser: str
    offer: int
    affiliate: int
    affiliate_key: str
    code: str = ""

    def click(self, **parameters: str) -> HttpAnswer:
        """A click of the affiliate on the offer."""
        more = "".join(f"&{name}={quote(value)}" for name, value in parameters.items())
        return self.program.track(f"/click?pid={self.affiliate}&offer_id={self.offer}{more}")

    def await_rules(self) -> None:
        """Clicks until the edge knows the offer: one accepted click."""
        poll_until(lambda: SHOP in self.click().headers.get("location", ""), seconds=10, what="the offer at the edge")

    def call(self, click_id: str, **parameters: str) -> HttpAnswer:
        """The advertiser's call for a click, with its code unless `secure` is given."""
        parameters = ({"secure": self.code} if self.code else {}) | parameters
        more = "".join(f"&{name}={quote(value)}" for name, value in parameters.items())
        return self.program.track(f"/postback?clickid={click_id}{more}")

    def figures(self, key: str) -> dict[str, Any]:
        """The offer's row of statistics as the holder of `key` sees it; {} when there is none.

        Also of the day before: a test may run over midnight.
        """
        filters = {f"filter[{name}]": day for name, day in period_around_today().items()}
        filters["filter[offer][]"] = str(self.offer)
        rows = self.program.api("GET", "/3.0/stats/getbyprogram", filters, key=key)["stats"]
        assert len(rows) <= 1
        return rows[0] if rows else {}

    def balance(self) -> dict[str, Any]:
        """The affiliate's balance."""
        found: dict[str, Any] = self.program.api("GET", "/3.0/balance", key=self.affiliate_key)["balance"]
        return found


def period_around_today() -> dict[str, str]:
    """The period of a list that holds today in every zone."""
    today = datetime.now(UTC).date()
    return {"date_from": str(today - timedelta(days=1)), "date_to": str(today + timedelta(days=1))}


def click_id_of(answer: HttpAnswer) -> str:
    """The click id that the offer's URL carries."""
    assert answer.status == 302, answer
    return parse_qs(urlsplit(answer.headers["location"]).query)["click"][0]


def create_offer_scenario(program: RunningProgram, postback_url: str | None = None) -> OfferScenario:
    """Makes the people and the offer; `postback_url` is where the affiliate wants to be called."""
    made = program.api("POST", "/3.0/admin/advertiser", {"title": "Shop"})["advertiser"]
    advertiser = made["id"]
    offer = program.api(
        "POST",
        "/3.0/admin/offer",
        {
            "title": "Shoes & more",
            "advertiser": advertiser,
            "url": f"{SHOP}?click={{clickid}}&s={{sub1}}&c={{geo}}",
            "trafficback_url": "https://elsewhere.example/?reason=closed&o={offer_id}",
            "status": "active",
            "payments[0][total]": "10",
            "payments[0][revenue]": "7",
        },
    )["offer"]["id"]
    affiliate = program.api(
        "POST", "/3.0/admin/partner", {"email": f"{made['id']}@example.org", "password": "long-enough"}
    )
    pid, key = affiliate["partner"]["id"], affiliate["partner"]["api_key"]
    program.api("POST", "/3.0/offer/enable-affiliate", {"offer_id": offer, "pid": pid, "notice": 0})
    if postback_url:
        program.api("POST", "/3.1/partner/postback", {"pid": pid, "url": postback_url}, key=key)
    return OfferScenario(program, advertiser, offer, pid, key, made["hash_password"] or "")
