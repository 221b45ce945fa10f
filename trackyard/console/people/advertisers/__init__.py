"""Pages of advertisers (docs/spec/console.md#advertisers)."""
