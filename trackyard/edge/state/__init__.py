"""Click state: unique visitors and click caps, shared by the edges of a machine."""
