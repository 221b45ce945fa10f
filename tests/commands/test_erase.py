"""`trackyard erase`: what it asks the API, and what it says."""

from pathlib import Path
from typing import Any

import pytest

from trackyard.commands import main
from trackyard.commands.frame.options import Invocation

NOTHING = {"clicks": 0, "views": 0, "conversions": 0}


class FakeApi:
    """Answers of the API, and the erasures that it was asked for."""

    def __init__(self, counts: dict[str, int]) -> None:
        self._counts = counts
        self.erased: list[tuple[str, str]] = []

    def post(self, _path: str, params: dict[str, Any]) -> dict[str, Any]:
        """Count, or store an erasure."""
        if not params.get("dry_run"):
            self.erased.append((params["subject"], params["id"]))
        return {"named": self._counts, "erasure": {"id": 7}}

    def get(self, _path: str) -> dict[str, Any]:
        """Return an erasure that is done."""
        return {"erasure": {"done": True}}


def run(monkeypatch: pytest.MonkeyPatch, directory: Path, api: FakeApi, *words: str) -> int:
    """Return the exit status of the command."""
    monkeypatch.setattr(Invocation, "api", lambda _self: api)
    monkeypatch.setenv("TRACKYARD_DATA_DIR", str(directory))
    try:
        main.main(["erase", *words])
    except SystemExit as end:
        return int(end.code or 0)
    return 0


@pytest.mark.parametrize(("subject", "label"), [("user", "user id"), ("click", "click id")])
def test_erase_of_unknown_person_exits_1_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], subject: str, label: str
) -> None:
    api = FakeApi(NOTHING)
    assert run(monkeypatch, tmp_path, api, subject, "ann", "--yes") == 1
    printed = capsys.readouterr()
    assert printed.out == "" and api.erased == []
    assert printed.err == f"trackyard: no click, view or conversion has the {label} ann: nothing was erased.\n"


@pytest.mark.parametrize(
    ("words", "counts"), [(("user", "ann"), NOTHING | {"views": 1}), (("affiliate", "12"), NOTHING)]
)
def test_erase_of_known_person_is_done(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, str],
    counts: dict[str, int],
) -> None:
    api = FakeApi(counts)
    assert run(monkeypatch, tmp_path, api, *words, "--yes") == 0
    assert api.erased == [words]
    assert capsys.readouterr().out.startswith("Erased (number 7).")
