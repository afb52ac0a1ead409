"""``stats``: how many records, plies and results there are, by group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ringfen.cli.output import print_json, print_table
from ringfen.cli.record_files import InputRecords
from ringfen.cli.shared_options import aliases_option, json_option, reading_options, record_jobs_option
from ringfen.text import printable

if TYPE_CHECKING:
    from ringfen.notation.aliases import Aliases
    from ringfen.notation.selecting import Facts, Value


#: The maximum number of distinct facts to count before adding them to groups.
_MOST_FACTS = 1 << 11


class _Group:
    """What was counted of the records of one group."""

    def __init__(self) -> None:
        self.records = 0
        self.valid = 0
        #: How many main lines there are of each length: the median of any number of records in little memory.
        self._plies: Counter[int] = Counter()
        self._results: Counter[str] = Counter()
        #: How often each spelling of the values occurs.
        self._spellings: Counter[tuple[Value, ...]] = Counter()
        #: Wins, draws and losses by side, of groups with one player.
        self.sides: dict[str, dict[str, int]] = {}

    def add(self, facts: Facts, values: tuple[Value, ...], count: int) -> None:
        """Count records with these facts."""
        self.records += count
        self._spellings[values] += count
        self.valid += facts.valid * count
        self._plies[facts.plies] += count
        self._results[facts.result] += count

    def add_scores(self, facts: Facts, player: Value, aliases: Aliases) -> None:
        """Count the result for each side of a record that this player has."""
        from ringfen.notation.selecting import group_of

        named = group_of(player, "player")
        for side, name in facts.seats:
            if group_of(aliases.canonical(name), "player") == named:
                if side not in self.sides:
                    for one in ("south", "north") if side in ("south", "north") else (side,):
                        self.sides.setdefault(one, {"wins": 0, "draws": 0, "losses": 0})
                score = facts.score(side)
                if score is not None:
                    self.sides[side][score] += 1

    @property
    def values(self) -> tuple[Value, ...]:
        """The values, in their most frequent spelling."""
        return max(self._spellings, key=self._spellings.__getitem__)

    @property
    def plies(self) -> dict[str, int | float]:
        """Sum, least, median and most plies of the main lines."""
        lengths = sorted(self._plies)
        total = sum(plies * count for plies, count in self._plies.items())
        return {"total": total, "min": lengths[0], "median": self._median(lengths), "max": lengths[-1]}

    def _median(self, lengths: Sequence[int]) -> int | float:
        middle = ((self.records - 1) // 2, self.records // 2)
        found: list[int] = []
        before = 0
        for length in lengths:
            before += self._plies[length]
            while len(found) < 2 and middle[len(found)] < before:
                found.append(length)
        both = sum(found)
        return both / 2 if both % 2 else both // 2

    @property
    def results(self) -> dict[str, int]:
        """How many records have each result, the most frequent first."""
        return dict(sorted(self._results.items(), key=lambda one: (-one[1], one[0])))


#: Groups by the values of their keys, compared as :func:`group_of` does.
_Groups = dict[tuple["Value", ...], _Group]


def _keys(text: str | None) -> list[str]:
    from ringfen.notation.selecting import check_key

    if text is None:
        return []
    try:
        keys = [check_key(key.strip()) for key in text.split(",")]
    except ValueError as error:
        raise click.BadParameter(f"{error}.", param_hint="'--by'") from None
    if len(set(keys)) < len(keys):
        raise click.UsageError("--by: give each key once.")
    return keys


@click.command()
@reading_options
@record_jobs_option
@click.option("--by", metavar="KEY,KEY", help="Group by these keys, such as game,year.")
@aliases_option
@json_option
def stats(
    files: Sequence[str],
    board_path: Sequence[Path],
    by: str | None,
    aliases: Aliases,
    as_json: bool,
) -> int:
    """Count records, plies and results, by group.

    Keys are game, result, outcome, event, site, date, year, round, player, valid, code, opening:N (the first N plies)
    and tag:NAME. A record counts once for each of its players and codes.

    \b
    Example:
      ringfen stats games.rgn --by game,result
      ringfen stats games.rgn --by opening:3 --json | jq -c '[.["opening:3"], .records]'
    """
    from ringfen.notation.selecting import needs_tags, plies_of_key

    keys = _keys(by)
    plies, tags = max(map(plies_of_key, keys), default=0), any(map(needs_tags, keys))
    groups: _Groups = {}
    inputs = InputRecords(files, board_path, reports=False)
    for source in inputs.sources():
        counts: Counter[Facts] = Counter()
        for batch in source.batches(plies, text=False, tags=tags):
            if tags or len(batch.facts) == 1:  # these facts have the text of a record, so they are not kept
                _count(Counter(batch.facts), keys, aliases, groups)
            else:
                counts.update(batch.facts)
            if len(counts) > _MOST_FACTS:
                _count(counts, keys, aliases, groups)
                counts.clear()
        _count(counts, keys, aliases, groups)
    if not inputs.is_read:
        return inputs.status
    pairs = [(group.values, group) for group in groups.values()]
    ordered = sorted(pairs, key=lambda one: [_order(value) for value in one[0]])
    if as_json:
        for values, group in ordered:
            key_fields = dict(zip(keys, values, strict=True))
            # The keys come first; a key that is named as a number is, such as valid, takes its place.
            sides = {"sides": dict(sorted(group.sides.items(), key=_side_order))} if "player" in keys else {}
            print_json(key_fields | _fields(group) | sides | key_fields)
    else:
        _print(keys, ordered)
    return inputs.status


def _count(counts: Counter[Facts], keys: Sequence[str], aliases: Aliases, groups: _Groups) -> None:
    """Add records to their groups."""
    for facts, count in counts.items():
        for named, values in _groups_of(facts, keys, aliases).items():
            group = groups.get(named)
            if group is None:
                group = groups[named] = _Group()
            group.add(facts, values, count)
            if "player" in keys:
                group.add_scores(facts, values[keys.index("player")], aliases)


def _groups_of(facts: Facts, keys: Sequence[str], aliases: Aliases) -> dict[tuple[Value, ...], tuple[Value, ...]]:
    """Return the groups of a record, each with its values."""
    if not keys:
        return {(): ()}
    from ringfen.notation.selecting import group_of, values_of

    found: dict[tuple[Value, ...], tuple[Value, ...]] = {}
    for values in product(*(values_of(facts, key, aliases) for key in keys)):
        found.setdefault(tuple(map(group_of, values, keys)), values)
    return found


def _side_order(one: tuple[str, object]) -> tuple[bool, str]:
    """South before North before numbers."""
    return one[0] != "south", "" if one[0] == "north" else one[0]


def _order(value: Value) -> tuple[bool, str]:
    """By text; what has no value comes last."""
    return value is None, _shown(value)


def _shown(value: Value) -> str:
    if value is None:
        return "-"
    return str(value).lower() if isinstance(value, bool) else printable(value)


def _fields(group: _Group) -> dict[str, Any]:
    return {"records": group.records, "valid": group.valid, "plies": group.plies, "results": group.results}


def _print(keys: Sequence[str], groups: Iterable[tuple[tuple[Value, ...], _Group]]) -> None:
    rows = []
    for values, group in groups:
        plies = group.plies
        results = ", ".join(f"{printable(result)} {count:,}" for result, count in group.results.items())
        numbers = [group.records, group.valid, *(plies[name] for name in ("total", "min", "median", "max"))]
        row = [*map(_shown, values), *(f"{number:,}" for number in numbers), results]
        if "player" in keys:
            row.append(
                ", ".join(f"{side} +{n['wins']} ={n['draws']} -{n['losses']}" for side, n in group.sides.items())
            )
        rows.append(row)
    headers = [*keys, "records", "valid", "plies", "min", "median", "max", "results"]
    if "player" in keys:
        headers.append("sides")
    print_table(rows, headers, ["left" if name in (*keys, "results", "sides") else "right" for name in headers])
