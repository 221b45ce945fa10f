"""What staff users may do, by levels that they get together."""
