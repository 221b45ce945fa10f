"""The pages of staff users (docs/spec/console.md#staff)."""
