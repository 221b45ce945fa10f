"""The declarations of list pages, and their pages and files (docs/spec/console.md#lists)."""
