"""Problems: the whole solution of a position as a tree.

The import name of this package is ``ringfen.problems``.
"""
