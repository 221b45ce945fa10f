"""The pages of ad costs (docs/spec/console.md#ad-costs)."""
