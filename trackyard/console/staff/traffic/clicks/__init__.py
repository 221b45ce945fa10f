"""The pages of clicks (docs/spec/console.md#traffic)."""
