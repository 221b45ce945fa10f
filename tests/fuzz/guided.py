"""One target in a process of its own, with inputs that atheris guides by coverage.

Without atheris they are random changes of stored ones.

usage: python -m tests.fuzz.guided TARGET SECONDS SEED
"""

import os
import sys
import tempfile
import time
from importlib.util import find_spec
from random import Random

INSTRUMENTED = ["trackyard", "qs_codec", "python_multipart", "starlette.formparsers", "uvicorn.protocols"]
PACE = 10
"""Seconds of one input, after which it counts as endless."""
MEMORY_MB = 3000


def guided(target: str, seconds: int, seed: int) -> None:
    """Fuzz with atheris, which ends the process; an input that fails is written to the corpus."""
    import atheris

    import trackyard  # noqa: F401 (it puts the finder of plain modules first, so that the next one is before it)

    with atheris.instrument_imports(include=INSTRUMENTED):
        from tests.fuzz.targets import CORPUS, TARGETS

    with tempfile.TemporaryDirectory() as found:
        limits = [f"-max_total_time={seconds}", f"-timeout={PACE}", f"-rss_limit_mb={MEMORY_MB}", "-max_len=20000"]
        options = [f"-artifact_prefix={CORPUS / target}/", f"-seed={seed or 0}", "-print_final_stats=1"]
        atheris.Setup([sys.argv[0], *limits, *options, found, str(CORPUS / target)], TARGETS[target])
        atheris.Fuzz()


def unguided(target: str, seconds: int, seed: int) -> None:
    """Fuzz with random changes; print the number of inputs as atheris does."""
    from tests.fuzz.mutations import mutated
    from tests.fuzz.targets import CORPUS, TARGETS, corpus_of

    random, stored = Random(seed), [path.read_bytes() for path in corpus_of(target)]
    until, tried = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        data = mutated(random, stored)
        tried += 1
        try:
            TARGETS[target](data)
        except BaseException:
            (CORPUS / target / f"crash-{random.getrandbits(64):016x}").write_bytes(data)
            raise
    sys.stderr.write(f"stat::number_of_executed_units: {tried}\n")


if __name__ == "__main__":
    os.environ["TRACKYARD_PURE"] = "1"  # compiled modules cannot be guided; script/test tries both forms
    _, name, length, start = sys.argv
    (guided if find_spec("atheris") else unguided)(name, int(length), int(start))
