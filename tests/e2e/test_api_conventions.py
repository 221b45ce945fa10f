"""Conventions of the whole program: replays outlive a kill, and rate limits are the configured ones."""

from pathlib import Path

from tests.support.processes.program import KEY, HttpAnswer, RunningProgram, poll_until, request


def test_idempotency_key_replay_survives_kill(tmp_path: Path) -> None:
    program = RunningProgram(tmp_path)
    program.start()

    def add(title: str) -> HttpAnswer:
        headers = {"API-Key": KEY, "Idempotency-Key": "k-1", "Content-Type": "application/x-www-form-urlencoded"}
        body = f"title={title}".encode()
        return request(program.api_port, "POST", "/3.1/admin/advertiser", body=body, headers=headers)

    first = add("Shop")
    assert first.status == 200
    program.kill("core")
    poll_until(program.is_ready, seconds=20, what="the API again")
    again = add("Shop")
    assert (again.status, again.body, again.headers["idempotency-replayed"]) == (200, first.body, "true")
    assert add("Other").status == 409
    assert program.api("GET", "/3.1/admin/advertisers")["pagination"]["total_count"] == 1
    assert program.stop() == 0


def test_api_rate_limit_follows_configuration(tmp_path: Path) -> None:
    program = RunningProgram(tmp_path, api_rate="1", api_burst="3")
    program.start()
    answers = [request(program.api_port, "GET", "/3.1/countries", headers={"API-Key": KEY}) for _ in range(20)]
    assert [answer.status for answer in answers[:3]] == [200] * 3
    assert answers[0].headers["x-ratelimit-limit"] == "3"
    refused = [answer for answer in answers if answer.status == 429]
    assert refused and refused[0].headers["retry-after"] == "1"
    assert program.stop() == 0
