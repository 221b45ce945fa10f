"""The page Reports, for staff and for affiliates (docs/spec/console.md#reports)."""
