"""Values and rules of the business, without I/O: one package a subject."""
