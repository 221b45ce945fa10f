"""The lists of clicks, postbacks and pixels (docs/spec/console.md#traffic)."""
