"""Records as rows of a table, for spreadsheets and data frames."""

from __future__ import annotations

import json
from typing import Final

from ringfen.notation.record import Record, ordered_tags, player_tags
from ringfen.notation.writing import movetext

#: The columns for one player each.
PLAYERS: Final = ("south", "north", *(f"player{number}" for number in range(1, 7)))
COLUMNS: Final = (
    "file",
    "record",
    "game",
    "event",
    "site",
    "date",
    "round",
    "players",
    *PLAYERS,
    "result",
    "start",
    "plies",
    "outcome",
    "movetext",
    "tags",
)

_ONE_LINE: Final = 1 << 62


def record_to_row(record: Record) -> list[str]:
    """Return the fields of a record in the order of :data:`COLUMNS`.

    ``players`` are joined by `` / ``, and each has a column too; ``outcome`` is empty while the game is not over;
    ``movetext`` is the canonical one on one line (except comments that need a separate line); ``tags`` is a JSON
    object of all tags.
    """
    tags = record.tags
    return [
        record.source,
        str(record.number),
        record.game.id if record.game is not None else "",
        *(tags.get(name, "") for name in ("Event", "Site", "Date", "Round")),
        " / ".join(tags[name] for name in player_tags(record.game) if name in tags),
        *(tags.get(name.capitalize(), "") for name in PLAYERS),
        record.result,
        record.start.fen if record.start is not None else "",
        str(record.plies),
        "" if record.outcome is None else str(record.outcome),
        movetext(record, width=_ONE_LINE).rstrip("\n"),
        json.dumps(dict(ordered_tags(tags, record.game)), ensure_ascii=False),
    ]
