"""A short run of `script/fuzz`: the long one is run by hand and before a release."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fuzz.__main__ import faults_in_log, fuzz, shortened
from tests.support.program import KEY, Program
from tests.support.story import Story, begin


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    program = Program(tmp_path_factory.mktemp("fuzz"))
    program.start()
    yield begin(program)
    program.stop()


@pytest.mark.parametrize("caller", ["administrator", "affiliate"])
def test_whatever_is_sent_the_answer_is_of_the_document(story: Story, caller: str, tmp_path: Path) -> None:
    key = KEY if caller == "administrator" else story.affiliate_key
    done = fuzz(story.program, key, seconds=10, seed=None, directory=tmp_path)
    assert done.returncode == 0, shortened(done.stdout)[-6000:]
    assert not faults_in_log(story.program)
