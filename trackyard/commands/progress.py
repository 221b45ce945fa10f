"""The progress of a command: a bar on a terminal, a line for each part elsewhere."""

import time
from types import TracebackType
from typing import Final, Self, TextIO

_WIDTH: Final = 30
_REFRESH_S: Final = 0.1


class ProgressBar:
    """One part of `total` steps, shown on `out` while its `with` block lasts.

    total: None = steps are bytes of an unknown number.
    """

    def __init__(self, out: TextIO, name: str, total: float | None) -> None:
        self._out = out
        self._name = name
        self._total = total
        self._done = 0.0
        self._is_terminal = out.isatty()
        self._begun_at = self._shown_at = time.monotonic()

    def __enter__(self) -> Self:
        self._show()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_terminal:
            self._show()
            self._out.write("\n")
        elif kind is None:
            self._out.write(f"{self._name}: {time.monotonic() - self._begun_at:.1f} s\n")
        self._out.flush()

    def step(self) -> None:
        """Count one more step."""
        self.to(self._done + 1)

    def to(self, done: float) -> None:
        """Set the number of steps that are done."""
        self._done = done if self._total is None else min(done, self._total)
        if time.monotonic() - self._shown_at >= _REFRESH_S:
            self._show()

    def _show(self) -> None:
        if not self._is_terminal:
            return
        self._shown_at = time.monotonic()
        seconds = self._shown_at - self._begun_at
        if self._total is None:
            self._out.write(f"\r\x1b[K{self._name:<34} {self._done / 1e6:.1f} MB {seconds:4.0f} s")
            self._out.flush()
            return
        share = self._done / self._total if self._total else 1.0
        filled = int(share * _WIDTH)
        bar = "#" * filled + "." * (_WIDTH - filled)
        self._out.write(f"\r\x1b[K{self._name:<34} [{bar}] {share:4.0%} {seconds:4.0f} s")
        self._out.flush()
