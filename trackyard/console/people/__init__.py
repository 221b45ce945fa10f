"""Pages of affiliates, advertisers and staff users."""
