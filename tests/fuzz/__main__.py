"""`script/fuzz`: one target after the other, a running server or functions of bytes."""

import argparse
import re
import subprocess
import sys

from tests.fuzz import api
from tests.fuzz.targets import TARGETS

_EXECUTED = re.compile(r"number_of_executed_units: *(\d+)")
GRACE_S = 60
"""Seconds of a target beyond its time, for its start and its last input; then it is ended."""
TAIL = 6000
"""Characters of the output of a target that failed."""


def fuzz_target(target: str, seconds: int, seed: int) -> bool:
    """Fuzz a function and print how many inputs were tried; return whether one failed."""
    command = [sys.executable, "-m", "tests.fuzz.guided", target, str(seconds), str(seed)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=seconds + GRACE_S, check=False
        )
    except subprocess.TimeoutExpired:
        print(f"=== {target}: failed, not over {GRACE_S} s after its time", flush=True)
        return True
    output = done.stdout + done.stderr
    tried = _EXECUTED.search(output)
    print(
        f"=== {target}: {seconds} s, {tried[1] if tried else '?'} inputs, {'failed' if done.returncode else 'ok'}",
        flush=True,
    )
    if done.returncode:
        print(output[-TAIL:])
        print(f"The input is in tests/fuzz/corpus/{target}: keep it, and mend what it shows.", flush=True)
    return done.returncode != 0


def main() -> None:
    """Fuzz the named targets; the exit status is 1 on any fault."""
    parser = argparse.ArgumentParser(prog="script/fuzz", description=__doc__)
    parser.add_argument("--seconds", type=int, default=600, help="for each target")
    parser.add_argument("--seed", type=int, help="of the random choices, to repeat a run")
    parser.add_argument("targets", nargs="*", metavar="target", help=f"all, or of: api {' '.join(TARGETS)}")
    options = parser.parse_args()
    unknown = set(options.targets) - {"api", *TARGETS}
    if unknown:
        parser.error(f"no such target: {' '.join(sorted(unknown))}")
    failed = False
    for target in options.targets or ["api", *TARGETS]:
        if target == "api":
            failed |= api.fuzz_server(options.seconds, options.seed)
        else:
            failed |= fuzz_target(target, options.seconds, options.seed or 0)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
