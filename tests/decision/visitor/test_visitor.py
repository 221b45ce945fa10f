"""Countries and user agents."""

from collections.abc import Iterator

import pytest

from trackyard.decision.visitor.cache import BoundedCache
from trackyard.decision.visitor.visitor import Agent, VisitorLookup


@pytest.fixture(scope="module")
def visitors() -> Iterator[VisitorLookup]:
    made = VisitorLookup()
    yield made
    made.close()


@pytest.mark.parametrize(
    ("ip", "country"),
    [("8.8.8.8", "US"), ("1.1.1.1", "AU"), ("2001:4860:4860::8888", "US"), ("127.0.0.1", ""), ("", "")],
)
def test_visitor_country_follows_ip_address(visitors: VisitorLookup, ip: str, country: str) -> None:
    assert [visitors.place(ip).country, visitors.place(ip).country] == [country, country]


@pytest.mark.parametrize(
    ("ua", "agent"),
    [
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_2_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
            "Version/17.2 Mobile/15E148 Safari/604.1",
            Agent("iOS", "17.2.1", "Mobile Safari", "17.2", "mobile", "Apple", "iPhone"),
        ),
        (
            "Mozilla/5.0 (iPad; CPU OS 16_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.5 "
            "Mobile/15E148 Safari/604.1",
            Agent("iOS", "16.5", "Mobile Safari", "16.5", "tablet", "Apple", "iPad"),
        ),
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 "
            "Safari/537.36",
            Agent("Windows", "10", "Chrome", "120.0.0", "desktop", "", ""),
        ),
        (
            "Mozilla/5.0 (Linux; Android 13; SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/112.0.0.0 "
            "Mobile Safari/537.36",
            Agent("Android", "13", "Chrome Mobile", "112.0.0", "mobile", "Samsung", "SM-S918B"),
        ),
        (
            "Mozilla/5.0 (Linux; Android 12; SM-T870) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/112.0.0.0 "
            "Safari/537.36",
            Agent("Android", "12", "Chrome", "112.0.0", "tablet", "", "SM-T870"),
        ),
        (
            "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Mobile "
            "Safari/537.36",
            Agent("Android", "10", "Chrome Mobile", "124.0.0", "mobile", "", ""),
        ),
        (
            "Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/79.0.3945.79 "
            "Safari/537.36 WebAppManager",
            Agent("Web0S", "", "Chrome", "79.0.3945", "tv", "LG", "Web0S SmartTV"),
        ),
        (
            "Mozilla/5.0 (PlayStation; PlayStation 5/2.26) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.0 "
            "Safari/605.1.15",
            Agent("", "", "Safari", "13.0", "console", "Sony", "PlayStation 5"),
        ),
        (
            "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
            Agent("", "", "Googlebot", "2.1", "bot", "", ""),
        ),
        ("curl/8.5.0", Agent("", "", "curl", "8.5.0", "", "", "")),
        ("", Agent()),
        ("\ufffd" * 500, Agent()),
    ],
)
def test_visitor_agent_follows_user_agent(visitors: VisitorLookup, ua: str, agent: Agent) -> None:
    assert [visitors.agent(ua), visitors.agent(ua)] == [agent, agent]


def test_recently_used_cache_is_bounded_and_keeps_used_entries() -> None:
    cache: BoundedCache[int, str] = BoundedCache(10)
    for number in range(1000):
        cache.add(number, str(number))
        assert cache.find(0) == "0"
        assert len(cache) <= 20
    assert cache.find(1) is None
