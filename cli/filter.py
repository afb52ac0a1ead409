"""``filter``: the records that match conditions, their text unchanged."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ringfen.cli.exit_status import USAGE, complain, worst
from ringfen.cli.output import named_file, print_json
from ringfen.cli.position_input import argument_lines, parsed, report
from ringfen.cli.record_files import TOO_LONG, Reading, Source
from ringfen.cli.shared_options import adding, is_quiet, json_option, out_dir_option, out_option, reading_options
from ringfen.errors import RingfenError
from ringfen.outputs import Together
from ringfen.text import printable

if TYPE_CHECKING:
    from ringfen.notation.selecting import Condition, Facts, Value
    from ringfen.outputs import Files, Output
    from ringfen.position import Position

#: How many bytes wait to be written, for all files together.
_WAITING = 1 << 20
#: How the files of --out-dir are called.
_ENDING = ".rgn"
#: How many characters of a value a file's name keeps.
_LONGEST_NAME = 160


_conditions = adding(
    *(
        click.option(name, variable, metavar=metavar, multiple=True, help=help_)
        for name, variable, metavar, help_ in (
            ("--game", "of_games", "GAME", "Records of this game."),
            ("--player", "players", "NAME", "Part of a player's name; case and accents are ignored."),
            ("--result", "results", "RESULT", "1-0, 0-1, 1/2-1/2, *, in GRAN 0-1-0."),
            (
                "--outcome",
                "outcomes",
                "OUTCOME",
                "How the last position stands: s, n, draw, a player's number, or null.",
            ),
            ("--plies", "lengths", "A..B", "A to B plies in the main line; either end may be left out."),
            (
                "--date",
                "dates",
                "A..B",
                "From A to B, such as 2001.05..2001.08.15, or in A; a partial date matches if it is certain.",
            ),
            ("--tag", "tags", "NAME=PATTERN", "A tag matches a pattern with * and ?; case and accents are ignored."),
            ("--position", "positions", "POSITION", "The main line reaches this position."),
            ("--opening", "openings", "PLIES", "The main line begins with these plies (quoted)."),
            ("--code", "codes", "CODE", "validate reports this code."),
        )
    )
)


@click.command("filter")
@reading_options
@_conditions
@click.option("--valid", "valid", flag_value=True, default=None, type=bool, help="Records without an error.")
@click.option("--invalid", "valid", flag_value=False, type=bool, help="Records with an error.")
@click.option("--not", "inverted", is_flag=True, help="The records that do not match.")
@click.option("--dedupe", is_flag=True, help="Of records with equal start and main line the first.")
@out_option("Write the matching records to FILE.")
@click.option("--rejects", metavar="FILE", type=click.Path(), help="Write all other records to FILE.")
@out_dir_option("Write one file for each value of KEY to DIR.")
@click.option("--by", "key", metavar="KEY", help="The key for --out-dir; see stats.")
@click.option("--count", is_flag=True, help="Print how many match, and no records.")
@json_option
def filter_records(
    files: Sequence[str],
    board_path: Sequence[Path],
    inverted: bool,
    dedupe: bool,
    out: str | None,
    rejects: str | None,
    out_dir: str | None,
    key: str | None,
    count: bool,
    as_json: bool,
    **conditions: Any,
) -> int:
    """Print the records that match, their text unchanged.

    All conditions have to hold; of one that is given twice, either. Invalid records can match too. The exit status is
    0 also if nothing matches.

    \b
    Example:
      ringfen filter games.rgn --player lovelace --result 1-0 --plies ..40
      ringfen filter games.rgn --opening '321123 321123 a1-b3' --count
      ringfen filter games.rgn --out-dir by-year --by year
    """
    _check_options(out_dir, key, count=count, as_json=as_json)
    to_standard_output = out == "-" or (out is None and out_dir is None and not (count or as_json))
    if rejects == "-" and (to_standard_output or count or as_json):
        raise click.UsageError("--rejects - needs --out FILE: standard output already has another use.")
    out = named_file(out, count or as_json)
    wanted = _Wanted(board_path, **conditions)
    plies = max(wanted.plies, _plies_of(key, dedupe=dedupe))
    reading = Reading(files, board_path, text_only=True)
    seen: set[bytes] = set()
    total = 0
    chosen = _Outputs(reading.declared(), out, rejects, out_dir, key)
    with ExitStack() as stack:
        kept, others = chosen.opened(stack, to_standard_output=to_standard_output)
        for source in reading.sources():
            if wanted.positions:
                source.reader.seek(wanted.positions)
            matched = 0
            for facts in source.facts(plies):
                matches = wanted.matches(facts) != inverted
                if matches and dedupe:
                    matches = _is_first(facts, seen)
                outputs = kept if matches else others
                if outputs and not facts.whole:
                    complain(f"{source.name}: record {source.records} {TOO_LONG} and was skipped")
                    reading.status = worst(reading.status, USAGE)
                    continue
                matched += matches
                for output in outputs:
                    output.write(source, facts)
                if matches and as_json:
                    print_json({"file": source.name, "record": source.records})
            total += matched
            if not (count or as_json or is_quiet()):
                click.echo(f"{printable(source.name)}: {matched:,} of {source.records:,} records", err=True)
        if reading.leaves_unwritten(out, rejects, out_dir):
            raise click.exceptions.Exit(reading.status)  # the outputs are given up
    if count:
        click.echo(total)
    return reading.status


def _check_options(out_dir: str | None, key: str | None, *, count: bool, as_json: bool) -> None:
    """Refuses options that contradict each other."""
    if (out_dir is None) != (key is None):
        raise click.UsageError("--out-dir DIR and --by KEY go together.")
    if count and as_json:
        raise click.UsageError("--count prints a number alone: leave out --json.")


def _is_first(facts: Facts, seen: set[bytes]) -> bool:
    digest = facts.same_game()
    if digest is None:
        return True
    if digest in seen:
        return False
    seen.add(digest)
    return True


def _plies_of(key: str | None, *, dedupe: bool) -> int:
    """How many plies of the main lines have to be known for these options."""
    from ringfen.notation.selecting import WHOLE_LINE, check_key, plies_of_key

    try:
        plies = 0 if key is None else plies_of_key(check_key(key))
    except ValueError as error:
        raise click.UsageError(f"--by: {error}.") from None
    return WHOLE_LINE if dedupe else plies


class _Wanted:
    """The conditions of a command line."""

    def __init__(
        self,
        board_path: Sequence[Path],
        *,
        of_games: Sequence[str],
        players: Sequence[str],
        results: Sequence[str],
        outcomes: Sequence[str],
        lengths: Sequence[str],
        dates: Sequence[str],
        tags: Sequence[str],
        positions: Sequence[str],
        openings: Sequence[str],
        codes: Sequence[str],
        valid: bool | None,
    ) -> None:
        from ringfen.notation import selecting
        from ringfen.notation.diagnostics import CODES
        from ringfen.notation.results import is_result
        from ringfen.rules import game_ids

        self._conditions: list[Condition] = []
        _check("--game", of_games, game_ids())
        _check("--code", codes, CODES)
        _check("--outcome", outcomes, selecting.OUTCOMES)
        for result in results:
            if not is_result(result):
                words = "is no result; results are 1-0, 0-1, 1/2-1/2, *, in GRAN such as 0-1-0"
                raise click.UsageError(f"--result: {printable(result[:40])} {words}.")
        self._add("--game", of_games, lambda game: lambda facts: facts.game == game)
        self._add("--code", codes, lambda code: lambda facts: code in facts.codes)
        if valid is not None:
            self._conditions.append(lambda facts: facts.valid == valid)
        self._add("--plies", lengths, selecting.of_plies)
        self._add("--outcome", outcomes, selecting.of_outcome)
        self.positions = _positions(positions, board_path)
        if self.positions:
            self._conditions.append(selecting.reaching(self.positions))
        self._add("--result", results, lambda result: lambda facts: facts.result == result)
        self._add("--player", players, selecting.of_player)
        self._add("--date", dates, selecting.of_date)
        self._add("--tag", tags, _of_tag)
        begun = self._add("--opening", openings, selecting.Opening)
        #: How many plies of the main lines have to be known.
        self.plies = max((len(opening.plies) for opening in begun), default=0)

    def _add(self, option: str, texts: Sequence[str], made: Callable[[str], Any]) -> list[Any]:
        from ringfen.notation.selecting import any_of

        try:
            conditions = [made(text) for text in texts]
        except ValueError as error:
            raise click.UsageError(f"{option}: {error}.") from None
        if conditions:
            self._conditions.append(any_of(conditions))
        return conditions

    def matches(self, facts: Facts) -> bool:
        """Whether all conditions hold."""
        return all(condition(facts) for condition in self._conditions)


def _check(option: str, texts: Sequence[str], known: Any) -> None:
    for text in texts:
        if text not in known:
            raise click.UsageError(f"{option}: {printable(text[:40])} is none of {', '.join(known)}.")


def _of_tag(text: str) -> Condition:
    from ringfen.notation.selecting import of_tag

    name, equals, pattern = text.partition("=")
    if not equals or not name:
        raise ValueError(f"NAME=PATTERN is expected, not {text[:40]!r}")
    return of_tag(name, pattern)


def _positions(texts: Sequence[str], board_path: Sequence[Path]) -> list[Position]:
    found = []
    for line in argument_lines("--position", texts):
        try:
            found.append(parsed(line, board_path))
        except RingfenError as error:
            report(line, error)
    if len(found) < len(texts):
        raise click.exceptions.Exit(USAGE)
    return found


# ---- outputs ----


class _Outputs:
    """Where records go: those that match, and all others. No two are the same file, which is checked at once."""

    def __init__(
        self, files: Files, out: str | None, rejects: str | None, out_dir: str | None, key: str | None
    ) -> None:
        self._out = None if out is None else files.output(out)
        self._rejects = None if rejects is None else files.output(rejects)
        self._directory = None if out_dir is None or key is None else _Directory(Path(out_dir), key, files)
        for output in (self._out, self._rejects):
            if self._directory is not None and output is not None:
                self._directory.refuse(output)

    def opened(
        self, stack: ExitStack, *, to_standard_output: bool
    ) -> tuple[list[_Joined | _Directory], list[_Joined | _Directory]]:
        """Those for records that match and those for the others, open as long as ``stack`` is."""
        kept: list[_Joined | _Directory] = []
        if self._out is not None:
            kept.append(self._joined(stack, self._out))
        if self._directory is not None:
            kept.append(stack.enter_context(self._directory))
        if to_standard_output:
            kept.append(stack.enter_context(_Joined(_print)))
        return kept, [] if self._rejects is None else [self._joined(stack, self._rejects)]

    @staticmethod
    def _joined(stack: ExitStack, output: Output) -> _Joined:
        file = stack.enter_context(output.open_packing())
        return stack.enter_context(_Joined(file.write))


def _print(data: bytes) -> object:
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    return sys.stdout.buffer.flush()


class _Joined:
    """Texts of records in a row. Records that follow each other in their file stay unchanged; others get an empty line
    between them if there is none."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self._waiting: list[bytes] = []
        self._size = 0
        self._gap = b""
        #: The record that would continue its file.
        self._next: tuple[Source, int] | None = None

    def __enter__(self) -> _Joined:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.flush()

    def write(self, source: Source, facts: Facts) -> int:
        """Take up the current record of a source; return its size."""
        text = facts.data
        number = source.records
        if self._next is None:
            gap = source.mark if number == 1 else b""
        else:
            gap = b"" if self._next == (source, number) else self._gap
        self._waiting += (gap, text) if gap else (text,)
        self._gap = _gap_after(text)
        self._next = source, number + 1
        self._size += len(text)
        if self._size > _WAITING:
            self.flush()
        return len(text)

    def flush(self) -> None:
        """Write the texts that wait."""
        if self._waiting:
            self._write(b"".join(self._waiting))
        self._waiting.clear()
        self._size = 0


def _gap_after(text: bytes) -> bytes:
    """What has to stand between this text and the next record."""
    if text.endswith((b"\n\n", b"\n\r\n", b"\r\r")):
        return b""
    end = b"\r\n" if b"\r\n" in text[-1000:] else b"\n"
    return end if text.endswith((b"\n", b"\r")) else end * 2


class _Directory:
    """A file for each value of a key. The files appear when all of them are written."""

    def __init__(self, path: Path, key: str, declared: Files) -> None:
        self._path = path
        self._key = key
        self._declared = declared
        self._together = Together()
        #: The contents of the files, by group. A file has the name of the first value of its group.
        self._files: dict[Value, _Joined] = {}
        self._size = 0

    def refuse(self, output: Output) -> None:
        """Refuses another output that could be one of the files.

        :raises ringfen.outputs.OutputRefusedError: it stands in the directory and is called as they are.
        """
        from ringfen.outputs import OutputRefusedError

        if output.path.name.endswith(_ENDING) and os.path.realpath(output.path.parent) == os.path.realpath(self._path):
            raise OutputRefusedError(errno.EINVAL, "this output could be one of --out-dir too", output.name)

    def __enter__(self) -> _Directory:
        self._path.mkdir(parents=True, exist_ok=True)
        self._together.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: Any) -> None:
        try:
            if kind is None:
                self._flush()
        except BaseException as error:
            self._together.__exit__(type(error), error, None)
            raise
        self._together.__exit__(kind, *rest)

    def write(self, source: Source, facts: Facts) -> None:
        """Take up the current record of a source."""
        from ringfen.notation.selecting import group_of, values_of

        values = {group_of(value, self._key) or None: value for value in reversed(values_of(facts, self._key))}
        for group, value in values.items():
            if group not in self._files:
                self._files[group] = self._begun(_file_name(value))
            self._size += self._files[group].write(source, facts)
        if self._size > _WAITING:
            self._flush()

    def _begun(self, name: str) -> _Joined:
        from ringfen.inputs import check_regular

        check_regular(self._path / name)
        return _Joined(self._together.begin(self._declared.output(self._path / name)))

    def _flush(self) -> None:
        for joined in self._files.values():
            joined.flush()
        self._size = 0


def _file_name(value: Value) -> str:
    """The name of the file for a value: percent-encoded, ``-.rgn`` for records without one."""
    from hashlib import blake2b
    from urllib.parse import quote

    if value is None or value == "":
        return f"-{_ENDING}"
    text = str(value).lower() if isinstance(value, bool) else value
    name = quote(text, safe="", errors="replace")
    if name == "-" or name.startswith("."):
        name = f"%{ord(name[0]):02X}{name[1:]}"
    if len(name) > _LONGEST_NAME:
        name = f"{name[:_LONGEST_NAME]}-{blake2b(text.encode('utf-8', 'replace'), digest_size=8).hexdigest()}"
    return f"{name}{_ENDING}"
