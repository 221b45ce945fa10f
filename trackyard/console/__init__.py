"""The pages for staff, affiliates and advertisers (docs/spec/console.md)."""
