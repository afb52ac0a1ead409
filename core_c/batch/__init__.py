"""Batches of positions: answer files and worker processes. Start with :func:`ringfen.batch.many.solve_many`."""
