"""Bars on terminals, lines elsewhere."""

import io

import pytest

from trackyard.commands.progress import Progress


class Terminal(io.StringIO):
    """Says that it is one."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_a_bar_and_ends_its_line() -> None:
    out = Terminal()
    with Progress(out, "Loading", 4) as bar:
        for _ in range(2):
            bar.step()
    first, *_, last = out.getvalue().rstrip("\n").split("\r")[1:]
    assert "Loading" in first
    assert "  0%" in first
    assert " 50%" in last
    assert out.getvalue().endswith("\n")


def test_elsewhere_it_is_one_line_without_control_characters() -> None:
    out = io.StringIO()
    with Progress(out, "Loading", 4) as bar:
        bar.to(9)
    line = out.getvalue()
    assert line.startswith("Loading: ")
    assert line.count("\n") == 1
    assert line.rstrip("\n").isprintable()


def test_a_part_that_failed_is_not_told_as_done() -> None:
    out = io.StringIO()
    with pytest.raises(ValueError), Progress(out, "Loading", 4):
        raise ValueError
    assert out.getvalue() == ""
