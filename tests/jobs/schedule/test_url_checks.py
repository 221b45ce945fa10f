"""Checks of the URLs of offers: redirects, lost click ids, and a pause for each host."""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.counted import counted
from tests.support.pages import staff_visitor
from trackyard.actions.statistics.health import health_sentence
from trackyard.domain.statistics.health import Health, find_health_findings
from trackyard.domain.statistics.url_checks import HOUR_MS, UrlCheck, UrlHop, loses_click, next_hop, probe_url
from trackyard.jobs.schedule import url_checks
from trackyard.jobs.schedule.url_checks import UrlChecker
from trackyard.outbound.client import OutboundClient
from trackyard.outbound.results import ProbeResult

MINUTE_MS = 60_000

OUTCOMES = ("reached", "failed", "lost_click")


class FakeSites:
    """Answers by host and path, and the hosts that were asked."""

    def __init__(self, answers: Mapping[str, ProbeResult]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    async def probe(self, _client: Any, url: str) -> ProbeResult:
        self.asked.append(url)
        return next((each for start, each in self.answers.items() if url.startswith(start)), ProbeResult(200, "", 5))


@pytest.fixture
def sites(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeSites]:
    found = FakeSites({
        "https://keeps.test/": ProbeResult(302, "https://shop.test/?c=x", 7),
        "https://down.test/": ProbeResult(0, error="refused"),
    })  # fmt: skip
    monkeypatch.setattr(url_checks.OutboundClient, "probe", lambda client, url: found.probe(client, url))
    yield found


def checked(api: Api, checker: UrlChecker, ahead_ms: int = 11 * MINUTE_MS) -> None:
    checker.note_new()
    api.clock.advance(ahead_ms)
    while checker.check_one():
        pass


def test_urls_are_checked_and_a_host_is_visited_once_an_hour(api: Api, sites: FakeSites) -> None:
    lost = api.add_offer(url="https://keeps.test/?click={clickid}&p={pid}")
    down, twin = api.add_offer(url="https://down.test/"), api.add_offer(url="https://down.test/other")
    checker = UrlChecker(api.deps.database, api.clock)
    before = {outcome: counted("trackyard_url_checks_total", outcome=outcome) for outcome in OUTCOMES}
    checked(api, checker)
    done = {outcome: counted("trackyard_url_checks_total", outcome=outcome) - before[outcome] for outcome in OUTCOMES}
    assert done == {"reached": 0, "failed": 1, "lost_click": 1}
    hosts = [url.split("/")[2] for url in sites.asked]
    assert sorted(hosts) == ["down.test", "keeps.test", "shop.test"]
    found = api.admin.get(f"/3.1/admin/offer/{lost}/health")["health"]
    assert [(each["status"], each["milliseconds"], each["encrypted"]) for each in found["offer_url"]["hops"]] == [
        (302, 7, True), (200, 5, True),
    ]  # fmt: skip
    assert "p=test" in found["offer_url"]["hops"][0]["url"]
    assert "url_loses_click" in [each["kind"] for each in found["findings"]]
    broken = api.admin.get(f"/3.1/admin/offer/{down}/health")["health"]
    assert (broken["verdict"], broken["offer_url"]["error"]) == ("broken", "refused")
    assert api.admin.get(f"/3.1/admin/offer/{twin}/health")["health"]["offer_url"] is None
    parts = {each["check"]: each["findings"] for each in api.admin.get("/3.1/admin/findings")["checks"]}
    assert sorted((each["kind"], each["subject"]) for each in parts["urls"]) == [
        ("offer_url_fails", str(down)), ("offer_url_loses_click", str(lost)),
    ]  # fmt: skip
    assert "down.test" in staff_visitor(api).read(f"/console/offers/{down}/health").text
    checked(api, checker, HOUR_MS - 1)
    assert len(sites.asked) == 3
    checked(api, checker, 1)
    assert sites.asked[3:] == ["https://down.test/other"]


def test_redirect_to_a_host_that_was_visited_within_the_hour_is_not_followed(api: Api, sites: FakeSites) -> None:
    api.add_offer(url="https://shop.test/direct")
    api.add_offer(url="https://SHOP.test:8443/other")
    followed = api.add_offer(url="https://keeps.test/?click={clickid}")
    checker = UrlChecker(api.deps.database, api.clock)
    checked(api, checker)
    assert sorted(url.split("/")[2].lower() for url in sites.asked) == ["keeps.test", "shop.test"]
    found = api.admin.get(f"/3.1/admin/offer/{followed}/health")["health"]
    assert [each["status"] for each in found["offer_url"]["hops"]] == [302]
    assert "url_loses_click" not in [each["kind"] for each in found["findings"]], "the rest of the way is not known"


def test_url_of_an_example_is_not_called_and_its_offer_is_not_broken(api: Api, sites: FakeSites) -> None:
    offer = api.add_offer(url="https://shop.example/?click={clickid}")
    checked(api, UrlChecker(api.deps.database, api.clock))
    assert sites.asked == []
    health = api.admin.get(f"/3.1/admin/offer/{offer}/health")["health"]
    assert [each["kind"] for each in health["findings"]] == ["no_traffic"]
    assert "lead nowhere" in health["offer_url"]["error"]
    assert "lead nowhere" in staff_visitor(api).read(f"/console/offers/{offer}/health").text


@pytest.mark.parametrize("error", ["a.test has no IP address that may be called", "refused"])
def test_sentence_about_a_url_names_its_host_once(error: str) -> None:
    seen = Health(
        since=0, until=1, clicks=1, last_click_at=1, url=UrlCheck(1, [UrlHop("https://a.test/", 0, 0)], error)
    )
    [finding] = find_health_findings(seen)
    assert health_sentence(finding).count("a.test") == 1


def test_offer_that_is_stopped_is_not_checked(api: Api, sites: FakeSites) -> None:
    offer = api.add_offer(url="https://down.test/")
    checker = UrlChecker(api.deps.database, api.clock)
    checker.note_new()
    api.admin.post(f"/3.1/admin/offer/{offer}", status="stopped")
    checked(api, checker)
    assert sites.asked == []


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/b?c=1", "https://a.test/b?c=1"), ("//b.test/", "https://b.test/"), ("", ""),
        ("javascript:alert(1)", ""), ("ftp://b.test/", ""), ("https://[", ""),
    ],
)  # fmt: skip
def test_redirect_leads_to_web_addresses_alone(location: str, target: str) -> None:
    assert next_hop("https://a.test/x", 302, location) == target
    assert next_hop("https://a.test/x", 200, location) == ""


def test_click_id_is_lost_when_the_last_address_lacks_it() -> None:
    template = "https://a.test/?c={clickid}&g={goal}"
    url = probe_url(template, "abc")
    assert url == "https://a.test/?c=abc&g=test"
    first = UrlHop(url, 302, 1)
    assert not loses_click(template, [first], "abc")
    assert loses_click(template, [first, UrlHop("https://b.test/", 200, 1)], "abc")
    assert not loses_click(template, [first, UrlHop("https://b.test/?x=abc", 200, 1)], "abc")
    assert not loses_click("https://a.test/", [first, UrlHop("https://b.test/", 200, 1)], "abc")


def test_probe_of_private_address_is_refused() -> None:
    async def probe() -> ProbeResult:
        async with OutboundClient() as client:
            return await client.probe("http://127.0.0.1:9/")

    found = asyncio.run(probe())
    assert found.status == 0 and "no IP address that may be called" in found.error
