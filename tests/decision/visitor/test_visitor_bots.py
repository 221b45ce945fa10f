"""Who is a bot, and who fetches ahead."""

import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from crawleruseragents import CRAWLER_USER_AGENTS_DATA

from trackyard.decision.visitor.bots import is_prefetch
from trackyard.decision.visitor.visitor import BOT, VisitorLookup

ROOT: Final = Path(__file__).parents[3]
_CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0"

BOTS = [
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/119.0.0.0 "
    "Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
    "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
    "WhatsApp/2.23.20.0",
    "TelegramBot (like TwitterBot)",
    "Twitterbot/1.0",
    "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
    "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
    "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
    "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
    f"Mozilla/5.0 (X11; Linux x86_64) {_CHROME.replace('Chrome', 'HeadlessChrome')} Safari/537.36",
    # within the part of the device
    f"Mozilla/5.0 (Linux; Android 8.0; Pixel 2 Build/OPD3; Storebot-Google/1.0) {_CHROME} Mobile Safari/537.36",
    # programs that name themselves, link previews and scanners of mails
    "Mozilla/5.0 (compatible; X/1.0; +https://x.example/about)",
    "Mozilla/5.0 (compatible; Sentinel/2; abuse@scanner.example)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Bluesky Cardyb/1.1; +mailto:support@bsky.app) "
    "Chrome/124.0.0.0 Safari/537.36",
    "Bluesky Cardyb/1.1",
    "facebookexternalhit/1.1; kakaotalk-scrap/1.0; +https://devtalk.kakao.com/t/scrap/33984",
    "kakaotalk-scrap/1.0",
    "Mozilla/5.0 (compatible;Audit/1.0;+https://audit.example)",
    "Mozilla/5.0 (compatible, Audit/1.0, +https://audit.example)",
    "Mozilla/5.0 (Audit/1.0; +https://audit.example)",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Safari/537.36 Audit/1.0 "
    "(+https://audit.example)",
    "GoogleMessages/1.0 (link preview)",
    "Rocket.Chat URL preview",
    "My Link Checker 1.0",
    # within the browser of an app, and named
    "Mozilla/5.0 (Linux; Android 14; Pixel 7; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/130.0.0.0 "
    "Mobile Safari/537.36 https://audit.example/bot",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/11A465 "
    "Twitter for iPhone BrandVerity/1.0 (http://www.brandverity.com/why-is-brandverity-visiting-me)",
    "Barracuda Sentinel (EE)",
    "SomeShopCrawler/0.3",
    "WhatsApp/2.19.308 A",
    "Viber",
]
LISTED = [
    line for line in (Path(__file__).with_name("people.txt")).read_text().splitlines() if not line.startswith("#")
]
"""Agents of people that an update of the list of bots must leave people."""

PEOPLE = [
    f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {_CHROME} Safari/537.36",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:125.0) Gecko/20100101 Firefox/125.0",
    f"Mozilla/5.0 (Linux; Android 11; CUBOT X30) {_CHROME} Mobile Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 "
    "[FBAN/FBIOS;FBAV/443.0.0.23.229;FBBV/544;FBDV/iPhone13,2;FBMD/iPhone;FBSN/iOS;FBSV/17.2;FBSS/3;FBLC/en_US;FBOP/5]",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 16_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 "
    "Instagram 300.0.0.0",
    f"Mozilla/5.0 (Linux; Android 13; SM-S901U; wv) {_CHROME} Mobile Safari/537.36 BytedanceWebview/d8a21c6",
    "Opera/9.80 (Android; Opera Mini/36.2/119.132; U; id) Presto/2.12.423 Version/12.16",
    "Mozilla/5.0 (Mobile; Nokia_2720; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5",
    "Mozilla/5.0",
    "",
]

TOOLS = [
    "curl/8.5.0", "Wget/1.21.4", "python-requests/2.31.0", "Python/3.11 aiohttp/3.9.1", "python-httpx/0.27.0",
    "Go-http-client/1.1", "okhttp/4.9.3", "Apache-HttpClient/4.5.13 (Java/17)", "Java/17.0.1", "axios/1.6.2",
    "PostmanRuntime/7.36.1", "HTTPie/3.2.2", "libwww-perl/6.67", "GuzzleHttp/7", "node-fetch/1.0", "Dart/3.2 (dart:io)",
]  # fmt: skip


@pytest.fixture(scope="module")
def visitors() -> Iterator[VisitorLookup]:
    made = VisitorLookup()
    yield made
    made.close()


@pytest.mark.parametrize("ua", BOTS)
def test_bot_user_agent_is_detected(visitors: VisitorLookup, ua: str) -> None:
    assert visitors.agent(ua).device == BOT


@pytest.mark.parametrize("ua", PEOPLE + TOOLS)
def test_browser_and_command_line_user_agents_are_not_bots(visitors: VisitorLookup, ua: str) -> None:
    assert visitors.agent(ua).device != BOT


def test_no_listed_agent_of_people_is_a_bot(visitors: VisitorLookup) -> None:
    assert len(LISTED) > 300
    assert [agent for agent in LISTED if visitors.agent(agent).device == BOT] == []


def test_examples_of_the_list_stay_bots_but_for_entries_left_out(visitors: VisitorLookup) -> None:
    script: Any = runpy.run_path(str(ROOT / "script" / "robots"))
    left_out = {pattern for pattern, (replacement, _) in script["CHANGED"].items() if not replacement}
    chosen = [each for each in CRAWLER_USER_AGENTS_DATA if script["LIBRARY"] not in each["tags"]]
    lost = {each["pattern"] for each in chosen for agent in each["instances"] if visitors.agent(agent).device != BOT}
    assert len(chosen) > 1_400
    assert lost == left_out


def test_patterns_of_bots_are_those_of_the_pinned_list() -> None:
    script: Any = runpy.run_path(str(ROOT / "script" / "robots"))
    made = script["rows"](CRAWLER_USER_AGENTS_DATA)
    assert script["CHANGED"].keys() <= {each["pattern"] for each in CRAWLER_USER_AGENTS_DATA}
    assert "".join(f"{kind}\t{pattern}\n" for kind, pattern in made) == script["OUT"].read_text(), "run script/robots"


@pytest.mark.parametrize(
    ("headers", "prefetch"),
    [
        ({b"purpose": b"prefetch"}, True),
        ({b"sec-purpose": b"prefetch;anonymous-client-ip"}, True),
        ({b"sec-purpose": b"prefetch;prerender"}, True),
        ({b"x-moz": b"prefetch"}, True),
        ({b"x-purpose": b"preview"}, True),
        ({b"purpose": b"", b"sec-purpose": b"PREFETCH"}, True),
        ({b"purpose": b"navigation"}, False),
        ({b"sec-fetch-mode": b"navigate"}, False),
        ({}, False),
    ],
)
def test_prefetch_request_is_detected_by_headers(headers: dict[bytes, bytes], prefetch: bool) -> None:
    assert is_prefetch(headers) is prefetch
