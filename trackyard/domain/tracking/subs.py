"""The subs of a click: eight values that affiliates add to their links."""

from typing import Final

SUBS: Final = tuple(f"sub{number}" for number in range(1, 9))
"""The names of subs as parameters, macros, columns and slices."""
