"""The links of an API answer, requested at an edge with the rules of the same database."""

from collections.abc import Iterator
from ipaddress import ip_network
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import pytest

from tests.support.api import Api, api
from tests.support.clicks.edge import recorded
from tests.support.offers import store_offer
from tests.support.stores.analytics import analytics
from trackyard.decision.routes import Ruleset
from trackyard.decision.visitor.visitor import VisitorLookup
from trackyard.domain.offers.offers import Landing
from trackyard.edge.counters import Counters
from trackyard.edge.endpoints.handler import EdgeHandler
from trackyard.edge.http.client_address import TrustedNetworks
from trackyard.edge.http.request import Request, Response
from trackyard.edge.state.click_state import EdgeState, StateOptions
from trackyard.journal.records import Click
from trackyard.journal.writer import JournalWriter
from trackyard.store.tracking import rulesets

__all__ = ["analytics", "api"]


@pytest.fixture
def edge(api: Api, tmp_path: Path) -> Iterator[EdgeHandler]:
    """An edge without rules, its journal in the directory `journal`."""
    visitors = VisitorLookup()
    journal = JournalWriter(tmp_path / "journal", 1, api.clock)
    options = StateOptions(tmp_path / "state", tmp_path / "journal", tmp_path / "rules", 1, size=64 * 1024)
    state = EdgeState(options, journal.end_position, api.clock.now_ms() // 1000)
    yield EdgeHandler(
        number=1,
        clock=api.clock,
        journal=journal,
        visitors=visitors,
        state=state,
        trusted=TrustedNetworks([ip_network("127.0.0.0/8")]),
        counters=Counters(),
    )
    state.close()
    journal.close()
    visitors.close()


def request(edge: EdgeHandler, url: str) -> Response:
    parts = urlsplit(url)
    answer = edge.handle(Request("GET", parts.path, parts.query.encode(), {}, "192.0.2.1", trusted=False))
    assert edge.commit()
    return answer


def test_offer_links_in_api_answer_redirect(api: Api, edge: EdgeHandler, tmp_path: Path) -> None:
    pid, affiliate = api.add_affiliate()
    landing = Landing(id=2, title="Summer", url="https://land.example/", url_preview="https://land.example/p")
    made = store_offer(api, privacy="private", url="https://shop.example/?p={pid}", landings=(landing,))
    api.admin.post("/3.0/offer/enable-affiliate", offer_id=made.id, pid=pid)
    with api.deps.database.write() as conn:
        rulesets.touch(conn, "offer", made.id)
        entries = [(kind, key, msgspec.msgpack.encode(row)) for kind, key, row in rulesets.each_row(conn)]
    edge.ruleset = Ruleset.of(entries)
    [shown] = affiliate.get("/3.1/partner/live-offers")["offers"]
    targets = {}
    for link in shown["links"]:
        base = link["url"].partition("/click")[0]
        targets[link["id"]] = [request(edge, url).location for url in (link["url"], f"{base}/{link['hash']}")]
    assert targets == {
        None: [f"https://shop.example/?p={pid}".encode()] * 2,
        "2": [b"https://land.example/"] * 2,
    }
    assert request(edge, shown["link"]).status == 302
    clicks = [item for item in recorded(tmp_path / "journal") if isinstance(item, Click)]
    assert [(click.offer, click.affiliate, click.landing, click.reason) for click in clicks] == [
        (made.id, pid, landing_id, "") for landing_id in (0, 0, 2, 2, 0)
    ]
