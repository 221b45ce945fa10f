"""Replays outlive a kill."""

from tests.support.processes.program import KEY, HttpAnswer, RunningProgram, poll_until, request


def test_idempotency_key_replay_survives_kill(program: RunningProgram) -> None:
    def add(title: str) -> HttpAnswer:
        headers = {"API-Key": KEY, "Idempotency-Key": "k-1", "Content-Type": "application/x-www-form-urlencoded"}
        body = f"title={title}".encode()
        return request(program.api_port, "POST", "/3.1/admin/advertiser", body=body, headers=headers)

    def total() -> int:
        return int(program.api("GET", "/3.1/admin/advertisers")["pagination"]["total_count"])

    before = total()
    first = add("Shop")
    assert first.status == 200
    program.kill("core")
    poll_until(program.is_ready, seconds=20, what="the API again")
    again = add("Shop")
    assert (again.status, again.body, again.headers["idempotency-replayed"]) == (200, first.body, "true")
    assert add("Other").status == 409
    assert total() == before + 1
