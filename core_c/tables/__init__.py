"""Endgame tables: made, verified and looked up."""
