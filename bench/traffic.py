"""Typical clicks: the rules, the visitors, and wrk that sends them.

9,000 offers (or as many as asked) of 500 advertisers, 4,000 affiliates, 2,000 user agents, 1 million addresses through
X-Forwarded-For, sub parameters, a browser's usual headers. Offers are asked for as things on the web are: the k-th most
popular one 1/k as often as the first. Every URL has five macros; a third of the offers have targeting (countries,
systems, devices, subs), a fifth a cap of clicks, half take connected affiliates only. A few clicks are refused by a
country, as in life; all of them are redirected.
"""

import random
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from trackyard.domain.offers.offers import AllowDeny, AllowDenySubs, OsVersion, TargetingGroup
from trackyard.domain.tracking.ruleset import (
    ClickCap,
    Restrictions,
    RulesetAdvertiser,
    RulesetAffiliate,
    RulesetConnections,
    RulesetOffer,
    RulesetPlatform,
    RulesetRow,
)

OFFERS: Final = 9_000
CAPPED: Final = 5
"""One offer in so many has a cap of clicks."""
AFFILIATES: Final = 4_000
ADVERTISERS: Final = 500
USER_AGENTS: Final = 2_000
ADDRESSES: Final = 1_000_000
CONNECTIONS: Final = 64

_HEADS: Final = 20_000
"""The number of requests apart from addresses; they are made in advance to spare wrk work."""

SCRIPT: Final = """
local heads, prefix, suffix = {}, {}, {}
for line in io.lines(%(heads)r) do
  heads[#heads + 1] = line:gsub("|", "\\r\\n") .. "\\r\\nX-Forwarded-For: "
end
for n = 0, 65535 do
  prefix[n] = string.format("%%d.%%d.", math.floor(n / 256) %% 223 + 1, n %% 256)
  suffix[n] = string.format("%%d.%%d\\r\\n\\r\\n", math.floor(n / 256), n %% 254 + 1)
end
local random, floor, count = math.random, math.floor, #heads
math.randomseed(%(seed)d)
request = function()
  local address = random(0, %(addresses)d - 1) * 2654435761 %% 4294967296
  local high = floor(address / 65536)
  return heads[random(1, count)] .. prefix[high] .. suffix[address - high * 65536]
end
if %(delay_ms)g > 0 then delay = function() return random() * 2 * %(delay_ms)g end end
"""


def rules(offers: int = OFFERS) -> list[RulesetRow]:
    """Return the rules of an installation with a number of offers."""
    rows: list[RulesetRow] = [RulesetPlatform(trafficback_url="https://elsewhere.example/?from={offer_id}")]
    rows += [RulesetAdvertiser(id=_advertiser(number)) for number in range(ADVERTISERS)]
    rows += [RulesetAffiliate(id=number, name=f"Affiliate {number}") for number in range(1, AFFILIATES + 1)]
    for number in range(1, offers + 1):
        rows.append(_offer(number))
        if number % 2:
            connected = sorted((number * 7 + step * 20) % AFFILIATES + 1 for step in range(200))
            rows.append(RulesetConnections(offer=number, affiliates=tuple(connected)))
    return rows


def _offer(number: int) -> RulesetOffer:
    cap = ClickCap(id=f"{number:024x}", period="day", value=1_000_000_000)
    return RulesetOffer(
        id=number,
        hash=f"{number:024x}",
        title=f"Offer {number}",
        advertiser=_advertiser(number % ADVERTISERS),
        url=f"https://shop{number}.example/landing?click={{clickid}}&aff={{pid}}&src={{sub1}}&geo={{geo}}&os={{os}}",
        active=True,
        open=number % 2 == 0,
        click_caps=(cap,) if number % CAPPED == 0 else (),
        restrictions=msgspec.msgpack.encode(_restrictions(number)) if number % 3 == 0 else b"",
    )


def _restrictions(number: int) -> Restrictions:
    keeps_out = TargetingGroup(
        country=AllowDeny(deny=("KP", "CU", "SY", "AQ")),
        os=tuple(OsVersion(name=name) for name in ("Android", "iOS", "Windows")),
    )
    if number % 2:
        return Restrictions(groups=(keeps_out,))
    lets_in = TargetingGroup(country=AllowDeny(deny=("VA",)), sub=AllowDenySubs(), device_type=("mobile", "desktop"))
    return Restrictions(devices=("mobile", "tablet", "desktop"), groups=(keeps_out, lets_in))


def _advertiser(number: int) -> str:
    return f"ad{number:022x}"


def user_agents() -> list[str]:
    """Return different user agents in the proportions of phones and desktops."""
    choose = random.Random(1)
    webkit = "AppleWebKit/537.36 (KHTML, like Gecko)"
    phone = f"Mozilla/5.0 (Linux; Android {{}}; SM-G{{}}) {webkit} Chrome/{{}}.0.{{}}.{{}} Mobile Safari/537.36"
    apple = (
        "Mozilla/5.0 (iPhone; CPU iPhone OS {}_{}_{} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
        "Version/{}.{} Mobile/15E148 Safari/604.1"
    )
    windows = f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {webkit} Chrome/{{}}.0.{{}}.{{}} Safari/537.36"
    made: set[str] = set()
    while len(made) < USER_AGENTS:
        numbers = [choose.randint(9, 14), choose.randint(900, 999), choose.randint(90, 130), choose.randint(4000, 6000)]
        kind = choose.random()
        if kind < 0.5:
            made.add(phone.format(*numbers, choose.randint(0, 200)))
        elif kind < 0.75:
            major, minor = choose.randint(13, 17), choose.randint(0, 6)
            made.add(apple.format(major, minor, choose.randint(0, 9), choose.randint(major, 26), minor))
        else:
            made.add(windows.format(*numbers[2:], choose.randint(0, 200)))
    return sorted(made)


def heads(offers: int = OFFERS, count: int = _HEADS, *, capped: bool = False) -> Iterator[list[str]]:
    """Yield requests as lines, without the address. capped: only of offers with a cap of clicks."""
    choose = random.Random(2)
    agents = user_agents()
    while count:
        count -= 1
        offer = min(offers, int((offers + 1) ** choose.random()))
        if capped:
            offer = max(CAPPED, offer // CAPPED * CAPPED)
        affiliate = choose.randint(1, AFFILIATES)
        if offer % 2:
            affiliate = (offer * 7 + choose.randint(0, 199) * 20) % AFFILIATES + 1
        sub1, sub2 = choose.randint(1, 500), choose.getrandbits(31)
        yield [
            f"GET /click?pid={affiliate}&offer_id={offer}&sub1=campaign-{sub1}&sub2={sub2:x} HTTP/1.1",
            "Host: t.example",
            f"User-Agent: {choose.choice(agents)}",
            "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
            "Accept-Language: en-GB,en;q=0.7",
            "Accept-Encoding: gzip, deflate, br",
            f"Referer: https://site{choose.randint(1, 300)}.example/",
        ]


def requests(count: int, offers: int = OFFERS) -> list[bytes]:
    """Return whole requests for measurements without sockets."""
    choose = random.Random(3)
    made = []
    for lines in heads(offers, count):
        number = choose.randrange(ADDRESSES) * 2654435761 % 2**32
        first, second, third, fourth = number.to_bytes(4, "big")
        address = f"{first % 223 + 1}.{second}.{third}.{fourth % 254 + 1}"
        made.append("\r\n".join([*lines, f"X-Forwarded-For: {address}", "", ""]).encode())
    return made


def find_program(name: str) -> str | None:
    """Return the path of a program, also from the folders of the administrator."""
    return shutil.which(name, path="/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin")


def need(*names: str) -> None:
    """Exit with a sentence when a program is missing."""
    missing = [name for name in names if find_program(name) is None]
    if missing:
        sys.exit(f"this measurement needs {' and '.join(missing)}: apt-get install {' '.join(missing)}")


def write_script(directory: Path, offers: int = OFFERS, delay_ms: float = 0, *, capped: bool = False) -> Path:
    """Write a script for wrk; return its path.

    delay_ms: what each connection waits between answer and next click, at random around it. capped: as for `heads`.
    """
    name = f"{offers}-capped" if capped else f"{offers}"
    listed = directory / f"heads-{name}.txt"
    if not listed.exists():
        listed.write_text("\n".join("|".join(lines) for lines in heads(offers, capped=capped)) + "\n")
    script = directory / f"clicks-{name}-{delay_ms:g}.lua"
    script.write_text(SCRIPT % {"heads": str(listed), "seed": 1, "addresses": ADDRESSES, "delay_ms": delay_ms})
    return script


@dataclass(frozen=True)
class Sent:
    """The report of wrk.

    rate: answers a second · busy: share of the time that its thread computed; near 1 it is wrk that was measured ·
    p50_ms, p99_ms: from sending to answer.
    """

    rate: float
    busy: float
    p50_ms: float
    p99_ms: float
    requests: int


def send(script: Path, port: int, seconds: float, connections: int = CONNECTIONS, core: int | None = None) -> Sent:
    """Run wrk with one thread on a core.

    Errors: SystemExit when an answer is not a redirect.
    """
    pinned = ["taskset", "-c", str(core)] if core is not None else []
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    whole = max(1, round(seconds))
    options = ["-t1", f"-c{connections}", f"-d{whole}s", "--latency", "-s", str(script)]
    command = [*pinned, str(find_program("wrk")), *options, f"http://127.0.0.1:{port}/"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return read_report(done.stdout, busy=spent / whole)


def read_report(report: str, *, busy: float) -> Sent:
    """Read what wrk printed.

    Errors: SystemExit when an answer is not a redirect.
    """
    if "Non-2xx" in report or "Socket errors" in report:
        sys.exit(f"wrk met errors:\n{report}")
    (rate,) = re.findall(r"Requests/sec:\s+([\d.]+)", report)
    (count,) = re.findall(r"(\d+) requests in", report)
    return Sent(float(rate), busy, _latency(report, 50), _latency(report, 99), int(count))


def _latency(report: str, percent: int) -> float:
    ((number, unit),) = re.findall(rf"{percent}%\s+([\d.]+)(us|ms|s)", report)
    return round(float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit], 3)
