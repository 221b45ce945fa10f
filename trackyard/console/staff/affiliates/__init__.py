"""The pages of affiliates (docs/spec/console.md#affiliates)."""
