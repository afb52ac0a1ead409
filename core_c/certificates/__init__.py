"""Certificates: proofs of values that only need the rules to check. Start with ``prove.py`` and ``verify.py``."""
