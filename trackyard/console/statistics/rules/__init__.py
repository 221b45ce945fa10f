"""The pages of rules that watch the statistics (docs/spec/console.md#rules)."""
