"""Certificates: proofs of values that are checked with the rules alone."""
