"""A short run of `script/fuzz`; the long one is run by hand and before a release."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fuzz.api import faults_in_log, fuzz, shortened
from tests.support.offer_scenario import OfferScenario, create_offer_scenario
from tests.support.processes.program import KEY, RunningProgram

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OfferScenario]:
    program = RunningProgram(tmp_path_factory.mktemp("fuzz"))
    program.start()
    yield create_offer_scenario(program)
    program.stop()


@pytest.mark.parametrize("caller", ["administrator", "affiliate"])
def test_fuzzed_requests_are_answered_as_documented(story: OfferScenario, caller: str, tmp_path: Path) -> None:
    key = KEY if caller == "administrator" else story.affiliate_key
    done = fuzz(story.program, key, seconds=6, seed=None, directory=tmp_path)
    assert done.returncode == 0, shortened(done.stdout)[-6000:]
    assert not faults_in_log(story.program)
