"""Problems: positions with a stipulation, their soundness, the search for them, and whole solutions as trees.

The import name of this package is ``ringfen.problems``.
"""
