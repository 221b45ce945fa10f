"""Files of advertisers and affiliates against our books (docs/spec/conversions.md#comparisons). Pure."""
