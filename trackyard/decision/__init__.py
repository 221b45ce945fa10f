"""The click decision: pure over what it is handed."""
