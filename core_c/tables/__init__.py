"""Endgame tables: building, checking and probing. Start with :class:`ringfen.tables.directory.Tablebase`."""
