"""When URLs of offers are checked, and visits of hosts, on both engines."""

from tests.support.stores import seeds
from trackyard.domain.statistics.url_checks import UrlCheck, UrlHop
from trackyard.store.engine.database import Database
from trackyard.store.statistics import url_checks

FOUND = UrlCheck(7, (UrlHop("https://a.example/", 200, 12),), "", True)


def test_host_is_claimed_once_in_its_pause(database: Database) -> None:
    with database.write() as conn:
        assert url_checks.claim_host(conn, "a.example", 1000, 500) is None
        assert url_checks.claim_host(conn, "a.example", 1499, 500) == 1500
        assert url_checks.claim_host(conn, "b.example", 1499, 500) is None
        assert url_checks.claim_host(conn, "a.example", 1500, 500) is None
        url_checks.forget_hosts(conn, 1500)
        assert url_checks.claim_host(conn, "b.example", 1501, 500) is None


def test_active_offers_are_due_in_their_order(database: Database) -> None:
    with database.write() as conn:
        advertiser = seeds.add_advertiser(conn)
        first, second = (seeds.add_offer(conn, advertiser, url="https://a.example/") for _ in range(2))
        seeds.add_offer(conn, advertiser, url="https://a.example/", status="stopped")
        assert url_checks.has_missing(conn)
        assert (url_checks.add_missing(conn, 10, 9), url_checks.has_missing(conn)) == (2, False)
        assert (url_checks.has_due(conn, 9), url_checks.find_due(conn, 9)) == (False, None)
        due = url_checks.find_due(conn, 10)
        assert due is not None and (due.offer_id, due.url) == (first, "https://a.example/")
        url_checks.set_due(conn, first, 20)
        due = url_checks.find_due(conn, 10)
        assert due is not None and due.offer_id == second
        assert url_checks.find_check(conn, first) is None and url_checks.list_checks(conn) == {}
        url_checks.set_result(conn, first, FOUND)
        assert url_checks.find_check(conn, first) == FOUND and url_checks.list_checks(conn) == {first: FOUND}
        url_checks.forget(conn, second)
        assert url_checks.find_due(conn, 10) is None
