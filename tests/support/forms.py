"""The two forms of the modules of a click, compiled and plain (trackyard/runtime/compiled.py)."""

import pytest

from trackyard.runtime import compiled

PLAIN = pytest.mark.skipif(
    compiled.in_use(),
    reason="it puts its hands into modules, which compiled ones do not allow: run with TRACKYARD_PURE=1",
)
"""For tests that replace what is inside a module; script/test runs them in the plain form."""
