"""People: affiliates, advertisers, staff, and what each may do."""
