"""What callers can do: one package a subject, one transaction each."""
