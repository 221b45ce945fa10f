"""Values without a business noun: time, ids, money, zones, errors, metrics."""
