"""The pages of product feeds (docs/spec/console.md#product-feeds)."""
