"""Events and the bell in SQL (docs/spec/events.md)."""
