"""The table of click columns holds together."""

from trackyard.domain.statistics.click_columns import COLUMNS


def test_column_with_a_slice_is_in_conversion_events() -> None:
    """A slice of a column that events lack shows neither clicks nor conversions.

    A rejection has no conversions.
    """
    missing = {name for name, column in COLUMNS.items() if column.slice is not None and not column.in_event}

    assert missing == {"reason"}
