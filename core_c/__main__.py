"""Run the command line: ``python -m ringfen``. This is the only module of the core that imports it."""

from __future__ import annotations

from ringfen.cli import main

if __name__ == "__main__":
    main(prog_name="ringfen")
