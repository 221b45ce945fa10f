"""What programs of other people send and read (docs/compatibility.md)."""
