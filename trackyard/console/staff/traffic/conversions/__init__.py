"""The pages of conversions (docs/spec/console.md#traffic)."""
