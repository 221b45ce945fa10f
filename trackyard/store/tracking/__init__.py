"""Tracking: postbacks, pixels, links, rulesets and logs."""
