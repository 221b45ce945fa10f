"""The pages at /docs (docs/decisions/0044)."""
