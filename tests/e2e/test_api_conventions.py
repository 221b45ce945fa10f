"""Rate limits of the whole program are the configured ones."""

from pathlib import Path

from tests.support.processes.program import KEY, RunningProgram, poll_until, request


def test_api_rate_limit_follows_configuration(tmp_path: Path) -> None:
    program = RunningProgram(tmp_path, api_rate="1", api_burst="3", roles="api")
    program.start(ready=False)
    poll_until(lambda: "Trackyard is ready" in program.out_file.read_text(), seconds=40, what="the greeting")
    answers = [request(program.api_port, "GET", "/3.1/countries", headers={"API-Key": KEY}) for _ in range(20)]
    assert [answer.status for answer in answers[:3]] == [200] * 3
    assert answers[0].headers["x-ratelimit-limit"] == "3"
    refused = [answer for answer in answers if answer.status == 429]
    assert refused and refused[0].headers["retry-after"] == "1"
    assert program.stop() == 0
