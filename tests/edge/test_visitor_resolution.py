"""The visitor of a click: addresses, user agents, hints, bots, reporting servers."""

import pytest

from tests.support.clicks.edge_handler import NOW, MemoryJournal, ask
from tests.support.clicks.rules import ADVERTISER, make_offer, make_ruleset
from trackyard.base.clock import ManualClock
from trackyard.decision.target.queries import read_query_params
from trackyard.decision.visitor.visitor import VisitorLookup
from trackyard.domain.tracking.ruleset import RulesetAdvertiser, RulesetAffiliate, RulesetRow
from trackyard.edge.endpoints.handler import EdgeHandler
from trackyard.edge.endpoints.hits import HitFactory
from trackyard.edge.http.client_address import TrustedNetworks
from trackyard.edge.http.request import Request

CHROME = (
    b"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Mobile Safari/537.36"
)
GOOGLEBOT = b"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
CLICK = "/click?pid=7&offer_id=3"
SERVER = RulesetAffiliate(
    id=7, server_networks=("192.0.2.1", "198.51.100.0/28", "203.0.113.5-203.0.113.9", "2001:db8:5::/48")
)
OTHER = RulesetAffiliate(id=8)


def ruleset(edge: EdgeHandler, *rows: RulesetRow) -> None:
    edge.ruleset = make_ruleset([make_offer(), RulesetAdvertiser(id=ADVERTISER), *rows])


# --- servers of affiliates --------------------------------------------------------------------------------


@pytest.mark.parametrize("peer", ["192.0.2.1", "198.51.100.7", "203.0.113.5", "203.0.113.9", "2001:db8:5::7"])
def test_server_reported_click_uses_sent_ip_and_agent(edge: EdgeHandler, journal: MemoryJournal, peer: str) -> None:
    ruleset(edge, SERVER)
    ask(
        edge,
        CLICK + "&ip=8.8.8.8&ua=" + CHROME.decode().replace(" ", "+").replace(";", "%3B"),
        peer=peer,
        user_agent=b"curl/8",
    )
    assert (journal.click.ip, journal.click.country, journal.click.ua) == ("8.8.8.8", "US", CHROME.decode())
    assert journal.click.device == "mobile"


@pytest.mark.parametrize(
    ("peer", "pid"),
    [
        ("192.0.2.2", "7"),  # not on the list
        ("198.51.100.16", "7"),
        ("203.0.113.4", "7"),
        ("2001:db8:6::7", "7"),
        ("192.0.2.1", "8"),  # another affiliate's server
        ("192.0.2.1", "99"),
        ("192.0.2.1", ""),
    ],
)
def test_server_reported_click_from_unlisted_address_is_ignored(
    edge: EdgeHandler, journal: MemoryJournal, peer: str, pid: str
) -> None:
    ruleset(edge, SERVER, OTHER)
    ask(edge, f"/click?pid={pid}&offer_id=3&ip=8.8.8.8&ua=other", peer=peer, user_agent=CHROME)
    assert (journal.click.ip, journal.click.ua) == (peer, CHROME.decode())


def test_server_reported_click_of_affiliate_without_servers_is_ignored(
    edge: EdgeHandler, journal: MemoryJournal
) -> None:
    ruleset(edge, OTHER)
    ask(edge, "/click?pid=8&offer_id=3&ip=8.8.8.8", peer="192.0.2.1")
    assert journal.click.ip == "192.0.2.1"


@pytest.mark.parametrize(
    ("forwarded", "ip"),
    [
        (b"192.0.2.1", "8.8.8.8"),  # the proxy reports the server's address
        (b"10.1.1.1, 192.0.2.1", "8.8.8.8"),
        (b"192.0.2.1, 203.0.113.77", "203.0.113.77"),  # a stranger says that it forwards for the server
        (b"203.0.113.77", "203.0.113.77"),
        (b"192.0.2.1, nonsense", "127.0.0.1"),
        (b"", "127.0.0.1"),
    ],
)
def test_server_reported_click_behind_trusted_proxy_is_accepted(
    edge: EdgeHandler, journal: MemoryJournal, forwarded: bytes, ip: str
) -> None:
    ruleset(edge, SERVER)
    ask(edge, CLICK + "&ip=8.8.8.8", peer="127.0.0.1", x_forwarded_for=forwarded)
    assert journal.click.ip == ip


def test_forwarded_header_from_untrusted_peer_is_ignored(edge: EdgeHandler, journal: MemoryJournal) -> None:
    ruleset(edge, SERVER)
    ask(edge, CLICK + "&ip=8.8.8.8", peer="203.0.113.77", x_forwarded_for=b"192.0.2.1")
    assert journal.click.ip == "203.0.113.77"


@pytest.mark.parametrize("reported", ["", "nonsense", "8.8.8.8, 9.9.9.9", "%00", "999.1.1.1"])
def test_server_reported_click_without_ip_uses_peer(edge: EdgeHandler, journal: MemoryJournal, reported: str) -> None:
    ruleset(edge, SERVER)
    ask(edge, f"{CLICK}&ip={reported}", peer="192.0.2.1")
    assert journal.click.ip == "192.0.2.1"


def test_server_reported_mapped_ipv6_address_is_normalised(edge: EdgeHandler, journal: MemoryJournal) -> None:
    ruleset(edge, SERVER)
    ask(edge, CLICK + "&ip=::ffff:8.8.8.8", peer="192.0.2.1")
    assert journal.click.ip == "8.8.8.8"


# --- bots and prefetches ----------------------------------------------------------------------------------


def is_bot(
    visitors: VisitorLookup, query: bytes = b"pid=8&offer_id=3", *, peer: str = "192.0.2.1", **headers: bytes
) -> bool:
    hits = HitFactory(9, ManualClock(NOW), visitors, TrustedNetworks([]))
    named = {name.replace("_", "-").encode(): value for name, value in headers.items()}
    made = make_ruleset([make_offer(), RulesetAdvertiser(id=ADVERTISER), SERVER, OTHER])
    return hits.make(made, Request("GET", "/click", query, named, peer, False), read_query_params(query)[0]).bot


@pytest.mark.parametrize(
    ("headers", "bot"),
    [
        ({"user_agent": GOOGLEBOT}, True),
        ({"user_agent": CHROME}, False),
        ({"user_agent": b"curl/8.5.0"}, False),
        ({}, False),
        ({"user_agent": CHROME, "purpose": b"prefetch"}, True),
        ({"user_agent": CHROME, "sec_purpose": b"prefetch;prerender"}, True),
        ({"user_agent": CHROME, "sec_purpose": b"Prefetch"}, True),
        ({"user_agent": CHROME, "x_moz": b"prefetch"}, True),
        ({"user_agent": CHROME, "x_purpose": b"preview"}, True),
        ({"user_agent": CHROME, "purpose": b"navigate"}, False),
    ],
)
def test_bots_and_prefetches_are_detected(visitors: VisitorLookup, headers: dict[str, bytes], bot: bool) -> None:
    assert is_bot(visitors, **headers) is bot


def test_server_reported_click_ignores_agent_of_server(visitors: VisitorLookup) -> None:
    """A server that reports clicks may call itself as it likes; a visitor that is a bot stays one."""
    person, bot = b"pid=7&offer_id=3&ip=8.8.8.8&ua=Mozilla/5.0", b"pid=7&offer_id=3&ip=8.8.8.8&ua=Googlebot/2.1"
    assert not is_bot(visitors, person, user_agent=GOOGLEBOT, purpose=b"prefetch")
    assert is_bot(visitors, bot, user_agent=CHROME)
    assert is_bot(visitors, person, peer="203.0.113.77", user_agent=GOOGLEBOT)


# --- client hints -----------------------------------------------------------------------------------------

HINTS = {
    "sec_ch_ua": b'"Chromium";v="124", "Google Chrome";v="124", "Not-A.Brand";v="99"',
    "sec_ch_ua_mobile": b"?1",
    "sec_ch_ua_platform": b'"Android"',
}
MORE = {"sec_ch_ua_platform_version": b'"14.0.0"', "sec_ch_ua_model": b'"Pixel 7"'}


def test_client_hints_are_recorded_in_click(edge: EdgeHandler, journal: MemoryJournal) -> None:
    ruleset(edge, OTHER)
    ask(edge, "/click?pid=8&offer_id=3", user_agent=CHROME, **HINTS, **MORE)
    click = journal.click
    assert (click.os, click.os_version, click.brand, click.device_model) == ("Android", "14", "Google", "Pixel 7")
    assert click.ua == CHROME.decode()


def test_client_hints_of_reporting_server_are_ignored(edge: EdgeHandler, journal: MemoryJournal) -> None:
    ruleset(edge, SERVER)
    ask(edge, CLICK + "&ua=" + CHROME.decode().replace(" ", "+").replace(";", "%3B"), peer="192.0.2.1", **HINTS, **MORE)
    assert (journal.click.os_version, journal.click.device_model) == ("10", "")


def test_client_hints_are_requested_from_supporting_browsers(edge: EdgeHandler) -> None:
    ruleset(edge, OTHER)
    asked = [b"Accept-CH: " in ask(edge, "/click?pid=8&offer_id=3", user_agent=CHROME, **headers).headers
             for headers in ({}, HINTS, HINTS | MORE)]  # fmt: skip
    assert asked == [False, True, False]
