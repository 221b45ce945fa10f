"""Reports and lists: dimensions, metrics, queries."""
