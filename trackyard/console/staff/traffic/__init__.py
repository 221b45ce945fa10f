"""The pages of clicks, conversions and postbacks, and the search (docs/spec/console.md#traffic)."""
