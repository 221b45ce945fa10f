"""The pages of advertisers (docs/spec/console.md#portal-of-advertisers)."""
