"""The version of this program."""

from functools import lru_cache


@lru_cache(maxsize=1)
def program_version() -> str:
    """Return the version, such as 0.2.0."""
    from importlib.metadata import version  # imports the mail parser

    return version("trackyard")
