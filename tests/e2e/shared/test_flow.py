"""A real click becomes a conversion, a statistic and a delivery; the listeners show the state."""

import re
from decimal import Decimal

from tests.deploy.scrape import unanswered, undeclared
from tests.support.offer_scenario import click_id_of, create_offer_scenario, period_around_today
from tests.support.processes.program import KEY, RunningProgram, poll_until, request
from tests.support.processes.receiver import Receiver

QUEUES = {"journal", "inbox", "waiting", "outbox", "deliveries"}


def test_click_to_affiliate_postback_flow_end_to_end(program: RunningProgram, receiver: Receiver) -> None:
    macros = "/pb?click={clickid}&sum={sum}&status={status}&s={sub1}&geo={geo}"
    story = create_offer_scenario(program, receiver.url(macros))
    story.await_rules()

    clicked = story.click(sub1="a b&c", ip="1.1.1.1")
    click_id = click_id_of(clicked)
    assert clicked.headers["location"] == f"https://shop.example/?click={click_id}&s=a%20b%26c&c=AU"
    assert clicked.headers["cache-control"] == "no-store"

    refused = program.track(f"/click?pid={story.affiliate}&offer_id=999999")
    assert refused.status == 404
    stranger = program.track(f"/click?pid=424242&offer_id={story.offer}")
    assert stranger.headers["location"] == f"https://elsewhere.example/?reason=closed&o={story.offer}"

    guessed = story.call(click_id, action_id="order-0", secure="")
    assert (guessed.status, guessed.json) == (200, {"status": 1}), "the answer says nothing of the code"
    called = story.call(click_id, action_id="order-1")
    assert (called.status, called.json) == (200, {"status": 1})
    received = poll_until(lambda: receiver.requests(), seconds=10, what="the affiliate's postback")
    assert received[0].path == f"/pb?click={click_id}&sum=7&status=1&s=a%20b%26c&geo=AU"
    assert "x-trackyard-signature" in received[0].headers

    staff = poll_until(
        lambda: (row := story.figures(KEY)).get("actions", {}).get("total", {}).get("count") and row,
        seconds=10,
        what="a statistic",
    )
    assert staff["traffic"]["raw"] == "2"
    confirmed = staff["actions"]["confirmed"]
    assert (confirmed["count"], confirmed["revenue"], confirmed["charge"], confirmed["earning"]) == (1, 10, 10, 3)
    own = story.figures(story.affiliate_key)["actions"]["confirmed"]
    assert (own["revenue"], own["charge"], own["earning"]) == (7, 0, 0)

    period = period_around_today() | {"offer[]": str(story.offer)}
    conversions = program.api("GET", "/3.0/stats/conversions", period)["conversions"]
    assert [(c["clickid"], c["action_id"], c["status"], c["payouts"]) for c in conversions] == [
        (click_id, "order-1", "confirmed", 7)
    ]
    clicks = program.api("GET", "/3.0/stats/clicks", period)["clicks"]
    assert click_id in {c["id"] for c in clicks}
    assert story.balance() == {"balance": {"USD": 7}, "hold": {"USD": 0}, "available": {"USD": 7}}

    explained = program.command("explain", click_id)
    assert explained.returncode == 0, explained.stderr
    assert f"Click {click_id} of " in explained.stdout
    assert "Decided then: passed" in explained.stdout
    assert f"goes to https://shop.example/?click={click_id}&s=a%20b%26c&c=AU" in explained.stdout
    unknown = program.command("explain", "e" * 24)
    assert (unknown.returncode, "e" * 24 + " was not found" in unknown.stderr) == (1, True)

    trial = {"url": receiver.url("/try?p={pid}")}
    tried = program.api("POST", "/3.1/partner/postback/test", trial, key=story.affiliate_key)
    assert (tried["test"]["http_code"], tried["test"]["body"]) == (200, "ok")
    assert f"/try?p={story.affiliate}" in [call.path for call in receiver.requests()]

    assert story.call(click_id, action_id="order-1").json == {"status": 1}
    assert story.call(click_id, action_id="order-2").json == {"status": 1}
    poll_until(lambda: story.balance()["balance"]["USD"] == 14, seconds=10, what="the second order")
    assert len(program.api("GET", "/3.0/stats/conversions", period)["conversions"]) == 2

    def responses() -> list[str]:
        asked = period_around_today() | {"click_id[]": click_id}
        log = program.api("GET", "/3.0/stats/serverpostbacks", asked)["postbacks"]
        return [row["response"] for row in reversed(log)]

    expected = ["Access denied", "", "Conversion exists", ""]
    poll_until(lambda: len(responses()) == len(expected), seconds=10, what="every postback in the log")
    assert responses() == expected

    def audited() -> bool:
        done = program.command("audit")
        assert "WARNING" not in done.stdout
        return (done.returncode, done.stdout.splitlines()[-1]) == (0, "everything adds up")

    poll_until(audited, seconds=30, what="an audit without differences")


def _reports_lags(port: int) -> bool:
    return set(request(port, "GET", "/readyz").json["lag_seconds"]) >= QUEUES


def test_both_listeners_serve_health_and_documents(program: RunningProgram) -> None:
    for port in (program.api_port, program.tracking_port):
        assert request(port, "GET", "/healthz").json == {"status": 1}
        assert request(port, "GET", "/readyz").json == {"status": 1}
        moved = request(port, "GET", "/metrics")
        assert moved.status == 404 and "TRACKYARD_MONITORING_LISTEN" in moved.json["error"]
        assert request(port, "GET", "/no/such/path").json["status"] == 2
    assert request(program.api_port, "GET", "/openapi.json").json["openapi"].startswith("3.1")
    docs = request(program.api_port, "GET", "/docs").body.decode()
    assert "/stats/getbydate" in docs
    assert not re.search(r"""(src|href|@import|url\()\s*=?\s*["']?(https?:)?//""", docs), "it loads from elsewhere"
    greeting = program.out_file.read_text()
    assert KEY in greeting and "trackyard demo" in greeting


def test_monitoring_listener_serves_lags_and_metrics_of_all_processes(program: RunningProgram) -> None:
    port = program.monitoring_port
    assert request(port, "GET", "/healthz").json == {"status": 1}
    poll_until(lambda: _reports_lags(port), seconds=15, what="the lag of each queue")
    poll_until(lambda: request(port, "GET", "/readyz").status == 200, seconds=15, what="a look at all processes")
    ready = request(port, "GET", "/readyz")
    assert (ready.status, ready.json["reasons"], ready.json["warnings"]) == (200, [], [])
    metrics = request(port, "GET", "/metrics")
    assert metrics.status == 200 and metrics.headers["content-type"].startswith("text/plain")
    assert request(port, "GET", "/3.0/offers").status == 404
    counted = ("trackyard_click_duration_seconds_count", "trackyard_calls_total")
    # The text is kept for some seconds, so the first one may be older than requests of other tests.
    kept = _scrape(program)
    poll_until(lambda: _scrape(program) != kept, seconds=15, what="a text that is newer than this test")
    before = [_value(_scrape(program), name) for name in counted]
    assert program.track("/click?pid=1&offer_id=nothing").status == 404
    assert program.track("/postback?clickid=nothing").status == 200
    # What dashboard and alert rules ask of every process is there, and nothing that docs/metrics.md does not have.
    poll_until(lambda: unanswered(_scrape(program)) == [], seconds=30, what="every metric of dashboard and rules")
    scrape = _scrape(program)
    assert undeclared(scrape) == []
    assert 'trackyard_store_up{store="analytics"} 1.0' in scrape.splitlines()
    after = [value + 1 for value in before]
    poll_until(lambda: [_value(_scrape(program), name) for name in counted] == after, seconds=10, what="the counts")
    assert {f'process_resident_memory_bytes{{role="{role}"}}' for role in ("supervisor", *program.children())} <= {
        line.rpartition(" ")[0] for line in scrape.splitlines()
    }


def _scrape(program: RunningProgram) -> str:
    return request(program.monitoring_port, "GET", "/metrics").body.decode()


def _value(scrape: str, name: str) -> float:
    return sum(float(line.split()[1]) for line in scrape.splitlines() if line.startswith(f"{name} "))


def test_idle_processes_share_at_most_600_mb(idle_megabytes: Decimal) -> None:
    assert idle_megabytes <= 600


def test_second_start_on_same_data_directory_is_rejected(program: RunningProgram) -> None:
    second = RunningProgram(program.directory)
    second.log_file = program.directory / "second.jsonl"
    second.start(ready=False)
    assert second.process is not None and second.process.wait(20) == 78
    assert "TRACKYARD_DATA_DIR" in second.log_tail()
