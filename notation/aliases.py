"""Names of one player: a file of lines ``NAME = CANONICAL NAME``."""

from __future__ import annotations

from collections.abc import Iterable

from ringfen.notation.selecting import folded
from ringfen.text import printable


class Aliases:
    """The canonical names of players. Case and accents do not matter.

    :param lines: The lines of the file. Blank lines and lines that begin with ``#`` are skipped.
    :raises ValueError: A line has another form, or a name has two canonical names; the message begins with the number
        of the line.
    """

    def __init__(self, lines: Iterable[str] = ()) -> None:
        self._canonical: dict[str, str] = {}
        for number, line in enumerate(lines, 1):
            text = line.removeprefix("\ufeff").strip()
            if text and not text.startswith("#"):
                self._add(number, *map(str.strip, text.partition("=")))
        #: By canonical name (folded), all names of the player.
        self._names: dict[str, set[str]] = {}
        for alias in self._canonical:
            name = folded(self.canonical(alias))
            self._names.setdefault(name, {name}).add(alias)

    def _add(self, number: int, alias: str, equals: str, name: str) -> None:
        if not (alias and equals and name):
            raise ValueError(f"{number}: a line is NAME = CANONICAL NAME, not {printable(f'{alias} {equals} {name}')}")
        key = folded(alias)
        known = self._canonical.get(key)
        if known is not None and folded(known) != folded(name):
            raise ValueError(f"{number}: {printable(alias)} has two names: {printable(known)} and {printable(name)}")
        if folded(self.canonical(name)) == key and key != folded(name):
            raise ValueError(f"{number}: {printable(alias)} and {printable(name)} each stand for the other")
        if key != folded(name):
            self._canonical[key] = name

    def canonical(self, name: str) -> str:
        """Return the canonical name of a player, which is the name itself if the file does not list it."""
        while (found := self._canonical.get(folded(name))) is not None:
            name = found
        return name

    def names(self, name: str) -> Iterable[str]:
        """Return all names of a player, folded."""
        key = folded(self.canonical(name))
        return self._names.get(key, ()) or (key,)
