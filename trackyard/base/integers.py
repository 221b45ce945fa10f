"""Numbers as the machine has them: what is compiled computes with 64 bits, what is not with Python's own.

It is not compiled itself (trackyard/runtime/compiled.py): who is must find a name here, and mypyc takes it for its own.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mypy_extensions import i64 as i64
else:
    i64 = int
