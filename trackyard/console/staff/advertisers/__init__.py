"""The pages of advertisers (docs/spec/console.md#advertisers)."""
