"""The database, its migrations and what its two dialects share."""
