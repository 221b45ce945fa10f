"""The pages of money, for staff and affiliates (docs/spec/console.md#money)."""
