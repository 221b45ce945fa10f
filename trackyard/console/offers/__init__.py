"""The lists of offers, and of requests to join them (docs/spec/console.md#offers)."""
