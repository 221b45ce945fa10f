"""`trackyard import`: copy a network from a platform with the same API (docs/migrating.md)."""
