"""perft with the options of the command line and a progress bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ringfen.cli.progress import Meter

if TYPE_CHECKING:
    from ringfen.position import Position


class Counter:
    """Counts with a given number of threads and a table of a given size, in MiB."""

    def __init__(self, threads: int, hash_mb: int) -> None:
        self.threads = threads
        self.hash_mb = hash_mb

    def count(self, position: Position, depth: int) -> int:
        """The number of sequences of ``depth`` plies."""
        from ringfen.counting import perft

        with Meter(f"perft {depth}") as meter:
            return perft(position, depth, threads=self.threads, hash_mb=self.hash_mb, progress=meter)

    def divide(self, position: Position, depth: int) -> list[tuple[str, int]]:
        """The number below each ply."""
        from ringfen.counting import divide

        with Meter(f"perft {depth}") as meter:
            return divide(position, depth, threads=self.threads, hash_mb=self.hash_mb, progress=meter)

    def kinds(self, position: Position, depth: int) -> tuple[int, dict[str, int]]:
        """The number of sequences, and how many end with a ply of each kind."""
        from ringfen.counting import count_kinds

        with Meter(f"perft {depth}") as meter:
            return count_kinds(position, depth, threads=self.threads, progress=meter)
