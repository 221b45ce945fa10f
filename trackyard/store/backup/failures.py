"""Why a database cannot be copied or restored. The messages are sentences."""


class NotEmpty(Exception):
    """The place to restore to has data already."""


class ToolFailed(Exception):
    """A tool of PostgreSQL failed or is missing."""
