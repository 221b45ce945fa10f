"""The pages of postbacks and deliveries (docs/spec/console.md#traffic)."""
