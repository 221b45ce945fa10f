"""From a connection to a handler: routing, limits, idempotency, health."""
