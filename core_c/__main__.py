"""``python -m ringfen`` is the command line. Nothing else of the core knows it."""

from __future__ import annotations

from ringfen.cli import main

if __name__ == "__main__":
    main(prog_name="ringfen")
