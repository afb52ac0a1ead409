"""``tablebase``: endgame tables, built, probed, checked, listed and counted."""

from __future__ import annotations

import click

from ringfen.cli.tablebase.build import build
from ringfen.cli.tablebase.listing import list_tables, longest, stats
from ringfen.cli.tablebase.probe import probe
from ringfen.cli.tablebase.verify import checksums, verify
from ringfen.cli.usage_hints import SuggestingGroup


@click.group(cls=SuggestingGroup)
def tablebase() -> None:
    """Build, probe, check, list and count endgame tables.

    A table of Siaius or Gygès contains the value of every position of a material: in Siaius on one board with one way
    of huffing, in Gygès with one conquest left for each player. solve uses tables if they cover a position.

    \b
    Example:
      ringfen tablebase build siaius --size 10x10 --stones 3
      ringfen tablebase build gyges --material 112233
    """


for command in (build, probe, verify, list_tables, stats, longest, checksums):
    tablebase.add_command(command)
