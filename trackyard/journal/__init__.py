"""The append-only log that edges write and everything else is computed from."""
