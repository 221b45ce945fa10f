"""The pages of promo codes (docs/spec/console.md#promo-codes)."""
