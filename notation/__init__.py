"""Records of games: reading, checking and writing."""
