"""The type of 64-bit numbers in compiled modules; elsewhere it is Python's int.

This module is not compiled itself (trackyard/runtime/compiled.py): mypyc replaces the name by its own type.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mypy_extensions import i64 as i64
else:
    i64 = int
