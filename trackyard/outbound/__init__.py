"""HTTP and mail to hosts that users name, guarded against private networks."""
