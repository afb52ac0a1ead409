"""Many positions, solved by several workers."""
