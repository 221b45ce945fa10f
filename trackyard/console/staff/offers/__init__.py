"""The pages of offers (docs/spec/console.md#offers)."""
