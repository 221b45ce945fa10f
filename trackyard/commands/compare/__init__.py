"""`trackyard compare`: the file of an advertiser or an affiliate against our conversions."""
