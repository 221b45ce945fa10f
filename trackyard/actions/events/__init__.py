"""Publish events, make their notices, and show them (docs/spec/events.md)."""
