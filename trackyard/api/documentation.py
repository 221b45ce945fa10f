"""What /docs and the OpenAPI documents show besides the declarations: guides, and examples of calls."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from trackyard.api.tracking.reference import tracking_guides
from trackyard.wire.openapi.conventions import CONVENTIONS
from trackyard.wire.openapi.examples import Examples, read_examples
from trackyard.wire.openapi.guides import Guide

EXAMPLES_FILE: Final = Path(__file__).parent / "examples.json"
"""A call of each method with its answer. `script/docs` writes it."""


def guides() -> Sequence[Guide]:
    """Return the guides, in the order in which they are read."""
    return (*CONVENTIONS, *tracking_guides())


@cache
def examples() -> Examples:
    """Return the examples, which are read when they are asked for first."""
    return read_examples(EXAMPLES_FILE.read_text(encoding="utf-8"))
