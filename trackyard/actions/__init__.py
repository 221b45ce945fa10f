"""The use cases of callers: one package a subject, one transaction each."""
