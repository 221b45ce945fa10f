"""The pages that compare a file with conversions (docs/spec/console.md#comparisons)."""
