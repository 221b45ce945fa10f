"""Events and notices in the API (docs/spec/events.md)."""
