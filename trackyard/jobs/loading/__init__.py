"""Load the journal and the outbox into the analytic store, the inbox and the edges."""
