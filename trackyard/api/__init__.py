"""Endpoints of the API as declarations, one package a subject."""
