"""The registry of findings: each kind has texts that can be filled, and a check that finds it."""

from pathlib import Path
from string import Formatter

import pytest

import trackyard
from trackyard.domain.platform.findings import Finding, FindingKind, Severity

PACKAGE = Path(trackyard.__file__).parent


@pytest.mark.parametrize("kind", FindingKind)
def test_finding_kind_has_whole_sentences_and_is_found_somewhere(kind: FindingKind) -> None:
    texts = (kind.sentence, kind.advice)
    assert kind.sentence == "{reason}" or all(text.endswith(".") for text in texts)
    assert kind.value == kind.name.lower() and isinstance(kind.severity, Severity)
    named = {name for text in texts for _, name, _, _ in Formatter().parse(text) if name}
    evidence = {name: f"<{name}>" for name in named - {"subject"}}
    finding = Finding(kind, "<subject>", evidence)
    assert all(f"<{name}>" in finding.sentence + finding.advice for name in named)
    places = ("runtime/**/*.py", "actions/**/*.py", "commands/**/*.py", "domain/platform/*.py")
    sources = [path for place in places for path in PACKAGE.glob(place)]
    assert any(f"FindingKind.{kind.name}" in path.read_text() for path in sources)


def test_finding_answer_has_everything_for_programs() -> None:
    finding = Finding(FindingKind.DIRECTORY_OPEN, "/srv/{x}", {"mode": "755"})
    assert finding.answer() == {
        "kind": "directory_open",
        "severity": "warning",
        "subject": "/srv/{x}",
        "sentence": "Other users may enter the data directory /srv/{x} (mode 755), which has keys and personal data.",
        "evidence": {"mode": "755"},
        "advice": "Run chmod 700 /srv/{x}, and chmod -R go= /srv/{x} for files that an earlier version made.",
    }
