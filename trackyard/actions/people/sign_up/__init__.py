"""Affiliates that come by themselves."""
