"""What benches read from the output of other programs, which CI does not run."""

import pytest
from prometheus_client import CollectorRegistry, Counter, generate_latest

from bench.edge import clicks_by_reason
from bench.traffic import Sent, read_report
from trackyard.base.metrics import ACCEPTED, CLICKS

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
