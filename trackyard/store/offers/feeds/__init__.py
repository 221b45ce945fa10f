"""Product feeds: lists of products that offers sell (docs/spec/offers.md#product-feeds)."""
