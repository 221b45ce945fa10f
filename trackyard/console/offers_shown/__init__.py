"""Parts of the pages of offers that staff and affiliates see."""
