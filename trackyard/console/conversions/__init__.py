"""The lists of conversions (docs/spec/console.md#traffic)."""
