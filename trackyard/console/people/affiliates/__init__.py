"""Pages of affiliates (docs/spec/console.md#affiliates)."""
