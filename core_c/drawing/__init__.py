"""Boards and positions as text and as SVG."""
