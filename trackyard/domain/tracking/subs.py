"""The subs of a click: eight values that an affiliate adds to its links."""

from typing import Final

SUBS: Final = tuple(f"sub{number}" for number in range(1, 9))
"""Their names, of parameters, macros, columns and slices."""
