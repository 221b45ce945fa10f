"""The program of this machine, as other machines see it."""

from typing import Final

WIRE_FORM: Final = 1
"""The form of the journals and rulesets that machines exchange.

A change that an older program cannot read gives it a larger number.
"""


def own_program() -> tuple[str, str, int, int]:
    """Return the version, the newest schema and analytic step, and the wire form of this program."""
    from trackyard.analytics.engine.migrations import newest_number
    from trackyard.base.metrics.version import program_version
    from trackyard.store.engine.schema import newest_version

    return program_version(), newest_version(), newest_number(), WIRE_FORM
