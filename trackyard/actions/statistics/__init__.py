"""Statistics: reports, lists, exports."""
