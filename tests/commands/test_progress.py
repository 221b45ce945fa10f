"""Bars on terminals, lines elsewhere."""

import io

import pytest

from trackyard.commands.progress import ProgressBar


class FakeTerminal(io.StringIO):
    """Return that it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_progress_on_terminal_is_a_bar() -> None:
    out = FakeTerminal()
    with ProgressBar(out, "Loading", 4) as bar:
        for _ in range(2):
            bar.step()
    first, *_, last = out.getvalue().rstrip("\n").split("\r")[1:]
    assert "Loading" in first
    assert "  0%" in first
    assert " 50%" in last
    assert out.getvalue().endswith("\n")


def test_progress_without_terminal_is_one_line() -> None:
    out = io.StringIO()
    with ProgressBar(out, "Loading", 4) as bar:
        bar.to(9)
    line = out.getvalue()
    assert line.startswith("Loading: ")
    assert line.count("\n") == 1
    assert line.rstrip("\n").isprintable()


def test_progress_of_failed_part_prints_nothing() -> None:
    out = io.StringIO()
    with pytest.raises(ValueError), ProgressBar(out, "Loading", 4):
        raise ValueError
    assert out.getvalue() == ""
