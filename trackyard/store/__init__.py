"""The SQL database: one package a subject, over one engine and one set of tables."""
