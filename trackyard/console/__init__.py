"""The pages for staff and affiliates (docs/spec/console.md)."""
