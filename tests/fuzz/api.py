"""The target `api` of `script/fuzz`: schemathesis against a server, as two callers.

No answer may be a server error or outside the OpenAPI document, whatever is sent. What an operation accepts or
refuses is not judged: existing clients send numbers as text, unknown names and single values for lists.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.support.offer_scenario import create_offer_scenario
from tests.support.processes.program import KEY, RunningProgram

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "unsupported_method",
    "allow_header_conformance",
)
KEY_ENDING = "/partner/api_key$"
"""The operation that ends the key of the run: it runs last, alone."""
OTHERS = ("--exclude-path-regex", KEY_ENDING)
GRACE_S = 120
"""Seconds of a run beyond its time, for the document and the last requests; then it is ended."""
NOTHING = "No test cases were generated"
LAST = ("--include-path-regex", KEY_ENDING)


def fuzz(
    program: RunningProgram,
    key: str,
    *,
    seconds: int,
    seed: int | None,
    directory: Path,
    paths: tuple[str, str] = OTHERS,
) -> subprocess.CompletedProcess[str]:
    """Run schemathesis for `seconds` with one caller's key. paths: OTHERS or LAST."""
    command = [
        *(sys.executable, "-c", "from schemathesis.cli import schemathesis; schemathesis()", "run"),
        f"http://127.0.0.1:{program.api_port}/openapi.json",
        *("--header", f"API-Key: {key}"),
        *("--checks", ",".join(CHECKS)),
        *("--phases", "examples,coverage,fuzzing,stateful"),
        *("--max-time", str(seconds), "--max-examples", "50"),
        *("--workers", "1"),  # several threads parse sources at once, which CPython 3.11 does not bear
        *paths,
        *("--suppress-health-check", "all", "--warnings", "off", "--continue-on-failure"),
        *(("--seed", str(seed)) if seed is not None else ()),
    ]
    most = seconds + GRACE_S
    try:
        return subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=most, check=False)
    except subprocess.TimeoutExpired as late:
        printed = (late.stdout or b"") if isinstance(late.stdout, bytes | None) else late.stdout.encode()
        return subprocess.CompletedProcess(command, 1, printed.decode(errors="replace"), f"not over after {most} s")


def has_failed(done: subprocess.CompletedProcess[str]) -> bool:
    """Return whether a run found something or tested nothing, which schemathesis ends with 0."""
    return done.returncode != 0 or NOTHING in done.stdout


def shortened(text: str) -> str:
    """Return what schemathesis prints, without the middle of its longest lines."""
    return "\n".join(line if len(line) <= 400 else f"{line[:300]} … {line[-80:]}" for line in text.splitlines())


def faults_in_log(program: RunningProgram) -> list[dict[str, object]]:
    """Return the lines of the program's log about unforeseen errors."""
    return [line for line in program.log_lines() if line.get("level") in ("ERROR", "CRITICAL")]


def fuzz_server(seconds: int, seed: int | None) -> bool:
    """Fuzz a server and print what schemathesis prints; return whether anything failed."""
    failed = False
    with tempfile.TemporaryDirectory() as name:
        program = RunningProgram(Path(name))
        program.start()
        story = create_offer_scenario(program)
        half = max(5, seconds // 2)
        runs = (
            ("the administrator", KEY, half, OTHERS),
            ("the affiliate", story.affiliate_key, half, OTHERS),
            ("the administrator, keys of affiliates", KEY, 5, LAST),
            ("the affiliate, its own key", story.affiliate_key, 5, LAST),
        )
        for who, key, length, paths in runs:
            done = fuzz(program, key, seconds=length, seed=seed, directory=Path(name), paths=paths)
            print(f"=== as {who}\n{shortened(done.stdout + done.stderr)}")
            failed |= has_failed(done)
            if NOTHING in done.stdout:
                print(f"=== nothing was tested within {length} s: give more --seconds")
        for line in faults_in_log(program):
            print(f"=== the log: {line}")
            failed = True
        program.stop()
    return failed
