"""Parts of pages that wait for reports (docs/spec/console.md#slow-reports)."""
