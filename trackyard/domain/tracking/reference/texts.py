"""Reads the texts of the tracking reference."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any


@cache
def reference_texts(name: str) -> Mapping[str, Any]:
    """Return a file of the texts: parameters, results, choices, limits, guides or set_ups."""
    file = resources.files("trackyard.domain.tracking").joinpath("reference", f"{name}.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))
