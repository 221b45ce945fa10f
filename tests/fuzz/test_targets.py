"""Every stored input of `script/fuzz`, and some random changes of them; the long run is `script/fuzz`."""

from random import Random

import pytest

from tests.fuzz.mutations import mutated
from tests.fuzz.targets import CORPUS, TARGETS, corpus_of

CHANGED = 300
"""Random inputs of each target."""


def test_fuzz_corpus_has_a_folder_for_each_target() -> None:
    assert sorted(path.name for path in CORPUS.iterdir()) == sorted(TARGETS)


@pytest.mark.parametrize("target", TARGETS)
def test_fuzz_target_bears_stored_inputs(target: str) -> None:
    for path in corpus_of(target):
        TARGETS[target](path.read_bytes())


@pytest.mark.parametrize("target", TARGETS)
def test_fuzz_target_bears_changed_inputs(target: str, request: pytest.FixtureRequest) -> None:
    random, stored = Random(request.config.getoption("randomly_seed")), [p.read_bytes() for p in corpus_of(target)]
    for _ in range(CHANGED):
        data = mutated(random, stored)
        try:
            TARGETS[target](data)
        except Exception as fault:
            raise AssertionError(f"{target} fails for {data!r}") from fault
