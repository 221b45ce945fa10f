"""Client hints of browsers with frozen user agents."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackyard.decision.visitor import client_hints
from trackyard.decision.visitor.client_hints import HEADERS, ClientHints, find_hints, needs_accept_ch
from trackyard.decision.visitor.names import browsers, systems
from trackyard.decision.visitor.visitor import Agent, VisitorLookup

_CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0"
PHONE = f"Mozilla/5.0 (Linux; Android 10; K) {_CHROME} Mobile Safari/537.36"
TABLET = f"Mozilla/5.0 (Linux; Android 10; K) {_CHROME} Safari/537.36"
WINDOWS = f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {_CHROME} Safari/537.36"
MAC = f"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) {_CHROME} Safari/537.36"
EDGE = f"{WINDOWS} Edg/124.0.0.0"
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_2_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.2 "
    "Mobile/15E148 Safari/604.1"
)


@pytest.fixture(scope="module")
def visitors() -> Iterator[VisitorLookup]:
    made = VisitorLookup()
    yield made
    made.close()


def brands(**versions: str) -> str:
    named = {"Not-A.Brand": "99.0.0.0"} | {name.replace("_", " "): version for name, version in versions.items()}
    return ", ".join(f'"{name}";v="{version}"' for name, version in named.items())


def sent(ua: str = brands(Chromium="124", Google_Chrome="124"), **headers: str) -> dict[bytes, bytes]:
    named = {"sec-ch-ua": ua} | {f"sec-ch-ua-{name.replace('_', '-')}": value for name, value in headers.items()}
    return {name.encode(): value.encode() for name, value in named.items()}


def agent_of(visitors: VisitorLookup, ua: str, headers: dict[bytes, bytes]) -> Agent:
    found = [visitors.agent(ua, find_hints(headers)) for _ in range(2)]
    assert found[0] is found[1]
    return found[0]


FULL = brands(Chromium="124.0.6367.82", Google_Chrome="124.0.6367.83")


@pytest.mark.parametrize(
    ("ua", "headers", "agent"),
    [
        (
            PHONE,
            sent(
                platform='"Android"',
                platform_version='"14.0.0"',
                model='"SM-S918B"',
                mobile="?1",
                full_version_list=FULL,
            ),
            Agent("Android", "14", "Chrome Mobile", "124.0.6367.83", "mobile", "Samsung", "SM-S918B"),
        ),
        (
            TABLET,
            sent(platform='"Android"', platform_version='"8.1.0"', model='"SM-T580"', mobile="?0"),
            Agent("Android", "8.1.0", "Chrome", "124.0.0", "tablet", "", "SM-T580"),
        ),
        (  # a phone that asks for the pages of desktops
            TABLET,
            sent(platform='"Android"', mobile="?1"),
            Agent("Android", "10", "Chrome", "124.0.0", "mobile", "", ""),
        ),
        (
            PHONE,
            sent(platform='"Android"', platform_version='"13.0.0"', model='""', mobile="?1"),
            Agent("Android", "13", "Chrome Mobile", "124.0.0", "mobile", "", ""),
        ),
        (
            WINDOWS,
            sent(platform='"Windows"', platform_version='"15.0.0"', model='""', mobile="?0", full_version_list=FULL),
            Agent("Windows", "11", "Chrome", "124.0.6367.83", "desktop", "", ""),
        ),
        (
            MAC,
            sent(platform='"macOS"', platform_version='"14.4.1"', mobile="?0"),
            Agent("Mac OS X", "14.4.1", "Chrome", "124.0.0", "desktop", "Apple", "Mac"),
        ),
        (
            WINDOWS,
            sent(brands(Chromium="124", Brave="124"), platform='"Windows"', mobile="?0"),
            Agent("Windows", "10", "Brave", "124", "desktop", "", ""),
        ),
        (
            EDGE,
            sent(full_version_list=brands(Chromium="124.0.6367.82", Microsoft_Edge="124.0.2478.51")),
            Agent("Windows", "10", "Edge", "124.0.2478.51", "desktop", "", ""),
        ),
    ],
)
def test_client_hints_refine_user_agent(
    visitors: VisitorLookup, ua: str, headers: dict[bytes, bytes], agent: Agent
) -> None:
    assert agent_of(visitors, ua, headers) == agent


@pytest.mark.parametrize(
    ("named", "version"),
    [
        ("15.0.0", "11"), ("13.0.0", "11"), ("10.0.0", "10"), ("1.0.0", "10"), ("0.3.0", "8.1"), ("0.2.0", "8"),
        ("0.1.0", "7"), ("0.0.0", "10"), ("", "10"), ("x", "10"), ("99999999999999999999999999999999999999.0", "10"),
    ],
)  # fmt: skip
def test_client_hints_platform_version_gives_windows_version(visitors: VisitorLookup, named: str, version: str) -> None:
    headers = sent(platform='"Windows"', platform_version=f'"{named}"')
    assert agent_of(visitors, WINDOWS, headers).os_version == version


@pytest.mark.parametrize(
    ("ua", "headers"),
    [
        (IPHONE, sent(platform='"Windows"', platform_version='"15.0.0"', model='"Pixel 7"', full_version_list=FULL)),
        (WINDOWS, sent(platform='"Android"', platform_version='"14.0.0"', model='"Pixel 7"')),
        (WINDOWS, sent(platform='"Plan 9"', platform_version='"4.0.0"')),
        (EDGE, sent(full_version_list=brands(Microsoft_Edge="99.0.1.2"))),
        (EDGE, sent(brands(Opera="110"))),
        (PHONE, sent("rubbish", platform="Android", platform_version='"; DROP', model='"K) Evil/1.0 (\x07"')),
        ("Googlebot/2.1", sent(platform='"Android"', platform_version='"14.0.0"', model='"Pixel 7"', mobile="?1")),
        ("", sent(platform='"Windows"', platform_version='"15.0.0"')),
    ],
)
def test_client_hints_never_contradict_user_agent(
    visitors: VisitorLookup, ua: str, headers: dict[bytes, bytes]
) -> None:
    assert agent_of(visitors, ua, headers) == visitors.agent(ua)


def test_client_hints_missing_or_too_long_are_ignored() -> None:
    assert find_hints({b"user-agent": b"a", b"sec-ch-ua-mobile": b"?1"}) is None
    assert find_hints(sent("x" * 257)) is None, "what is kept in a cache is bounded"
    assert find_hints(sent(model="x" * 5000)) is None


def test_client_hints_are_requested_once() -> None:
    assert [needs_accept_ch({}), needs_accept_ch(sent()), needs_accept_ch(sent(platform_version='""'))] == [
        False,
        True,
        False,
    ]


def test_client_hint_names_are_in_reference_lists() -> None:
    assert {name for names in client_hints._BROWSERS.values() for name in names} <= {
        *browsers(),
        "Chrome Mobile WebView",
    }
    assert set(client_hints._SYSTEMS.values()) <= set(systems())


@given(st.tuples(*[st.none() | st.binary(max_size=256)] * len(HEADERS)))
def test_client_hints_of_any_text_are_parsed(raw: tuple[bytes | None, ...]) -> None:
    read = ClientHints(raw)
    assert all(
        isinstance(text, str) for text in (*read.browser("Chrome", "1.2"), read.with_client_hints(PHONE), read.version)
    )
    assert not set(read.with_client_hints(PHONE)) & set(map(chr, range(32)))
