"""Address databases of a running edge."""

from pathlib import Path

from tests.support.clicks.edge import running_edge
from tests.support.clicks.mmdb import write_mmdb
from tests.support.clicks.rules import ADVERTISER, HASH, make_offer
from tests.support.waiting import wait_until
from trackyard.decision.visitor.databases import AddressDatabases
from trackyard.domain.tracking.ruleset import RulesetAdvertiser, RulesetAffiliate

ROWS = [
    make_offer(url="https://shop.example/?city={city}"),
    RulesetAffiliate(id=7),
    RulesetAdvertiser(id=ADVERTISER),
]


def city(path: Path, name: str) -> Path:
    record = {"city": {"geoname_id": 5, "names": {"en": name}}, "country": {"iso_code": "EE"}}
    return write_mmdb(path, {"8.8.8.0/24": record}, "GeoLite2-City")


def test_edge_reloads_replaced_address_database(tmp_path: Path) -> None:
    path, new = city(tmp_path / "city.mmdb", "Tallinn"), tmp_path / "new.mmdb"
    with running_edge(tmp_path, ROWS, databases=AddressDatabases(city=path), refresh_s=0.05) as edge:

        def target() -> str:
            return edge.ask(f"/click?pid=7&offer_id={HASH}", "X-Forwarded-For: 8.8.8.8").headers["location"]

        assert target() == "https://shop.example/?city=Tallinn"
        new.write_text("no database")
        new.replace(path)
        city(new, "Tartu").replace(path)
        wait_until(lambda: target() == "https://shop.example/?city=Tartu")
