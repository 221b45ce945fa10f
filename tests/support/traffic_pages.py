"""Clicks, conversions, postbacks and deliveries for the pages of traffic."""

from dataclasses import dataclass
from typing import Any

from tests.support.api import NOW, Api
from tests.support.delivery_attempts import add_attempt
from tests.support.models.events import NOON, new_click
from tests.support.models.history import add_conversion, conversion_of, load_clicks
from trackyard.analytics.load import load
from trackyard.base.ids import new_id
from trackyard.domain.conversions.conversions import Conversion, ConversionChange
from trackyard.domain.statistics.rows import ServerPostbackLog, encode_row
from trackyard.jobs.conversions.edits import ConversionEditor
from trackyard.journal.records import Click
from trackyard.store.conversions import conversions

HOSTILE = '"><script>alert(1)</script>\N{RIGHT-TO-LEFT OVERRIDE}=1+1'
COUNTED = 3_600_000
"""Milliseconds between a click and now."""


@dataclass(frozen=True)
class TrafficDesk:
    """An installation with an offer, its advertiser and an affiliate, an hour after noon."""

    api: Api
    advertiser: str
    offer: int
    pid: int

    @property
    def own(self) -> dict[str, Any]:
        """The parties of a click."""
        return {"offer": self.offer, "affiliate": self.pid, "advertiser": self.advertiser}

    def click(self, number: int, **fields: Any) -> Click:
        """A recorded click; fields by column name."""
        made = new_click(number, **self.own | fields)
        load_clicks(self.api.deps, [made])
        return made

    def conversion(self, number: int, **fields: Any) -> Conversion:
        """A conversion of the offer (charge 10, payout 7 USD); fields by name."""
        parties = {"offer_id": self.offer, "affiliate_id": self.pid, "advertiser_id": self.advertiser}
        return add_conversion(self.api.deps, number, **parties | fields)

    def many_conversions(self, count: int) -> None:
        """Conversions in SQL alone, which lists read."""
        clicks = [new_click(number, **self.own) for number in range(1, count + 1)]
        made = [conversion_of(click, number) for number, click in enumerate(clicks, start=1)]
        with self.api.deps.database.write() as conn:
            conversions.record_changes(conn, [ConversionChange(None, each, "test") for each in made])

    def postback(self, click_id: str, response: str = "", **fields: Any) -> str:
        """An inbound postback in the log; the id of its record."""
        at = fields.get("time", NOON + 1000)
        made = new_id(at)
        values: dict[str, Any] = {
            "id": made, "revision": 1, "time": at, "click_id": click_id, "conversion_id": "", "goal": "1",
            "action_id": "", "status": 1, "method": "GET", "ip": "192.0.2.9", "ua": "curl/8",
            "query": f"clickid={click_id}&secure=***", "body": "", "response": response, "journal": "001-1",
            "position": 1, **self.own,
        }  # fmt: skip
        row = ServerPostbackLog(**values | fields)
        load(self.api.deps.analytics, "server_log", [encode_row(row)], f"log-{made}")
        return made

    def attempt(self, conversion: Conversion, **fields: Any) -> str:
        """An attempt of a delivery to the affiliate; the id of its record."""
        values = {"time": NOON + 2000, "started_at": NOON + 2000, "conversion_id": conversion.id, **self.own}
        return add_attempt(self.api.deps.analytics, **values | fields)

    def apply_edits(self) -> None:
        """Apply queued edits as the worker does."""
        deps = self.api.deps
        editor = ConversionEditor(deps.database, deps.currency, deps.zone, self.api.clock)
        while editor.step():
            pass


def traffic_desk(api: Api, title: str = "Casino deposit", advertiser: str = "Royal Reef", **offer: Any) -> TrafficDesk:
    """Return an installation with one offer, an hour after noon."""
    api.clock.advance(NOON + COUNTED - NOW)
    owner = api.add_advertiser(title=advertiser)
    number = api.add_offer(advertiser=owner, title=title, **offer)
    pid, _ = api.add_affiliate()
    return TrafficDesk(api, owner, number, pid)
