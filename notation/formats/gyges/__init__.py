"""The formats of programs for Gygès."""
