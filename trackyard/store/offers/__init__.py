"""Offers: caps, tiers, targeting, categories, connections and tickets."""
