"""Benchmarks (docs/performance.md)."""
