"""What benches read from the output of other programs, which CI does not run."""

from pathlib import Path
from statistics import mean

import pytest
from prometheus_client import CollectorRegistry, Counter, generate_latest

from bench.browsers import browser_heads, browser_rules, browsers
from bench.edge import SHARES, clicks_by_reason, load_figures, load_lines
from bench.servers import Rate
from bench.steps import TRUSTED, Line, an_edge
from bench.traffic import Sent, read_report
from tests.support.clicks.rules import make_ruleset
from trackyard.base.metrics import ACCEPTED, CLICKS
from trackyard.edge.counters import Counters

WRK = """Running 5s test @ http://127.0.0.1:8000/
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.61ms  310.61us   7.82ms   91.22%
    Req/Sec    39.80k     1.83k   43.15k    70.00%
  Latency Distribution
     50%    1.57ms
     75%    1.68ms
     90%    1.84ms
     99%  912.00us
  198013 requests in 5.00s, 58.16MB read
Requests/sec:  39597.61
Transfer/sec:     11.63MB
"""


def test_report_of_wrk_is_read() -> None:
    assert read_report(WRK, busy=0.5) == Sent(39597.61, 0.5, 1.57, 0.912, 198013)


@pytest.mark.parametrize("line", ["Non-2xx or 3xx responses: 7", "Socket errors: connect 0, read 3, timeout 0"])
def test_report_of_wrk_with_errors_ends_the_bench(line: str) -> None:
    with pytest.raises(SystemExit, match="wrk met errors"):
        read_report(f"{WRK}  {line}\n", busy=0.5)


def test_clicks_are_read_from_the_metric_by_the_reasons_that_the_edge_writes() -> None:
    registry = CollectorRegistry()
    [declared] = CLICKS.describe()
    clicks = Counter(declared.name, declared.documentation, ["reason"], registry=registry)
    clicks.labels(ACCEPTED).inc(9)
    clicks.labels("bot").inc()
    assert clicks_by_reason(generate_latest(registry).decode()) == {ACCEPTED: 9, "bot": 1}


def test_load_has_what_a_click_costs_edge_and_nginx_at_each_share() -> None:
    measured = {("edge", share): Rate(60_000 * share, 20, 0.5) for share in (*SHARES, 1)}
    measured |= {("nginx", share): Rate(60_000 * share, 8, 0.5) for share in (*SHARES, 1)}
    figures = load_figures(measured, {ACCEPTED: 80, "overcap": 20})
    assert list(figures) == ["rejected", "10%", "25%", "50%", "90%", "100%"]
    assert figures["rejected"] == 0.2
    assert figures["25%"] == {"rps": 15_000, "edge_us": 20, "nginx_us": 8, "ratio": 0.4}
    lines = list(load_lines(figures))
    assert lines[0] == "20.0% of the clicks were rejected"
    assert lines[2].split() == ["10%", "6000", "20", "8", "0.4"] and len(lines) == 7


def test_clicks_of_browsers_have_full_headers_of_60_user_agents() -> None:
    assert len({next(line for line in each if line.startswith("User-Agent")) for each in browsers()}) == 60
    made = list(browser_heads(count=2000))
    assert all(12 <= len(lines) - 1 <= 15 for lines in made)
    assert 800 <= mean(sum(len(line) + 2 for line in lines) for lines in made) <= 950


def test_clicks_of_browsers_meet_offers_that_reject_and_that_are_full(tmp_path: Path) -> None:
    made = [
        "\r\n".join([*lines, f"X-Forwarded-For: 81.2.{number % 200}.{number // 200}", "", ""]).encode()
        for number, lines in enumerate(browser_heads(offers=200, count=2000))
    ]
    with an_edge(tmp_path, 1) as edge:
        edge.ruleset = make_ruleset(browser_rules(200))
        counters: Counters = edge._counters
        Line(edge, TRUSTED).send(made)
        counts = {**counters.clicks, ACCEPTED: counters.accepted}
    total = sum(counts.values())
    assert total == 2000 and 0.1 <= 1 - counts[ACCEPTED] / total <= 0.4
    assert {"mistargeting-device", "overcap"} <= set(counts)
