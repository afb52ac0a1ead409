"""``filter``: print the records that match conditions, with their text unchanged."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ringfen.cli.exit_status import OK, USAGE, print_error, worst
from ringfen.cli.output import named_file, print_json
from ringfen.cli.position_input import argument_lines, parsed, report
from ringfen.cli.record_files import InputRecords, Source
from ringfen.cli.shared_options import (
    adding,
    aliases_option,
    is_quiet,
    json_option,
    out_dir_option,
    out_option,
    reading_options,
    record_jobs_option,
)
from ringfen.cli.usage_hints import hint_for_code
from ringfen.errors import RingfenError
from ringfen.outputs import OutputGroup, directory
from ringfen.text import printable

if TYPE_CHECKING:
    from ringfen.notation.aliases import Aliases
    from ringfen.notation.selecting import Batch, Condition, Facts, Value
    from ringfen.outputs import Files, Output
    from ringfen.position import Position

#: The maximum number of bytes that wait to be written, for all files together.
_MAX_PENDING = 1 << 20
#: The suffix of the files of --out-dir.
_ENDING = ".rgn"
#: The maximum number of characters of a value in a file name.
_MAX_NAME = 160


_conditions = adding(
    *(
        click.option(name, variable, metavar=metavar, multiple=True, help=help_)
        for name, variable, metavar, help_ in (
            ("--game", "of_games", "GAME", "Match records of this game."),
            ("--player", "players", "NAME", "Match NAME as part of a player's name; case and accents are ignored."),
            ("--result", "results", "RESULT", "Match this result: 1-0, 0-1, 1/2-1/2 or *; in GRAN such as 0-1-0."),
            (
                "--outcome",
                "outcomes",
                "OUTCOME",
                "Match this outcome of the last position: s, n, draw, a player's number, or null.",
            ),
            ("--plies", "lengths", "A..B", "Match A to B plies in the main line; either end may be open."),
            (
                "--date",
                "dates",
                "A..B",
                "Match dates from A to B, such as 2001.05..2001.08.15, or in A; a partial date must lie in the range.",
            ),
            ("--tag", "tags", "NAME=PATTERN", "Match a tag with a pattern of * and ?; case and accents are ignored."),
            ("--position", "positions", "POSITION", "Match records whose main line contains this position."),
            (
                "--pattern",
                "patterns",
                "PATTERN",
                "Match records whose main line contains such a position: ? is any square, * any rank or field.",
            ),
            ("--opening", "openings", "PLIES", "Match records that begin with these plies (one quoted argument)."),
            ("--code", "codes", "CODE", "Match records for which validate reports this code."),
        )
    )
)


@click.command("filter")
@reading_options
@record_jobs_option
@_conditions
@aliases_option
@click.option("--valid", "valid", flag_value=True, default=None, type=bool, help="Match records without an error.")
@click.option("--invalid", "valid", flag_value=False, type=bool, help="Match records with an error.")
@click.option("--not", "inverted", is_flag=True, help="Print the records that do not match.")
@click.option("--dedupe", is_flag=True, help="Keep only the first of records with equal start and main line.")
@out_option()
@click.option("--rejects", metavar="FILE", type=click.Path(), help="Write all other records to FILE.")
@out_dir_option("Write one file for each value of KEY to DIR: VALUE.rgn, or -.rgn for records without one.")
@click.option("--by", "key", metavar="KEY", help="Key for --out-dir; see stats.")
@click.option("--count", is_flag=True, help="Print only the number of matches.")
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
    aliases: Aliases,
    as_json: bool,
    **conditions: Any,
) -> int:
    """Print the records that match, with their text unchanged.

    All conditions must match. If you repeat one, any of its values may match. Invalid records can match too.

    \b
    Example:
      ringfen filter games.rgn --player lovelace --result 1-0 --plies ..40
      ringfen filter games.rgn --opening '321123 321123 a1-b3' --count
      ringfen filter games.rgn --out-dir by-year --by year
    """
    from ringfen.notation.selecting import needs_tags

    _check_options(out_dir, key, count=count, as_json=as_json)
    to_standard_output = out == "-" or (out is None and out_dir is None and not (count or as_json))
    if rejects == "-" and (to_standard_output or count or as_json):
        raise click.UsageError("--rejects - needs --out FILE: standard output already has another use.")
    if out == "-" and count:
        raise click.UsageError("--count and --out - both print to standard output: write to a file.")
    out = named_file(out, as_json)
    query = _Query(board_path, aliases, **conditions)
    plies = max(query.plies, _plies_of(key, dedupe=dedupe))
    inputs = InputRecords(files, board_path, text_only=True, reports=False)
    outputs = _Outputs(inputs.declared(), out, rejects, out_dir, key, aliases)
    tags = query.needs_tags or (key is not None and needs_tags(key))
    run = _Run(query, plies, tags, inverted=inverted, dedupe=dedupe, as_json=as_json)
    with ExitStack() as stack:
        run.matched, run.rejected = outputs.opened(stack, to_standard_output=to_standard_output)
        for source in inputs.sources():
            run.filter(source, is_summarized=not (count or as_json or is_quiet()))
        if inputs.has_failed:
            raise click.exceptions.Exit(worst(inputs.status, run.status))  # the outputs are discarded
    if count:
        click.echo(run.total)
    return worst(inputs.status, run.status)


class _Run:
    """One run of ``filter`` over all files."""

    def __init__(self, query: _Query, plies: int, tags: bool, *, inverted: bool, dedupe: bool, as_json: bool) -> None:
        self.status = OK
        #: The number of matching records.
        self.total = 0
        #: The outputs for records that match, and for those that do not.
        self.matched: list[_RecordOutput | _Directory] = []
        self.rejected: list[_RecordOutput | _Directory] = []
        self._query = query
        self._plies = plies
        self._tags = tags
        self._inverted = inverted
        self._dedupe = dedupe
        self._as_json = as_json
        self._seen: set[bytes] = set()

    def filter(self, source: Source, *, is_summarized: bool) -> None:
        """Write each record of a file to the outputs that it belongs to."""
        if self._query.positions or self._query.patterns:
            source.reader.search_for(self._query.positions, self._query.patterns)
        before = self.total
        text = bool(self.matched or self.rejected)
        for batch in source.batches(self._plies, text=text, tags=self._tags):
            matches = {facts: self._matches(facts) for facts in dict.fromkeys(batch.facts)}
            end = 0
            for matched, run in groupby(map(matches.__getitem__, batch.facts)):
                first, end = end, end + len(list(run))
                self._write(source, batch, first, end, matched)
        if is_summarized:
            counts = f"{self.total - before:,} of {source.records:,} records"
            click.echo(f"{printable(source.name)}: {counts}", err=True)

    def _write(self, source: Source, batch: Batch, first: int, end: int, matched: bool) -> None:
        """Write consecutive records that all match, or all do not, to their outputs."""
        outputs = self.matched if matched else self.rejected
        if outputs and batch.facts[first].is_truncated:
            print_error(f"{source.name}: record {batch.number} {source.too_long} and was skipped")
            self.status = USAGE
            return
        for output in outputs:
            output.write(source, batch, first, end)
        if matched:
            self.total += end - first
        if matched and self._as_json:
            for number in range(batch.number + first, batch.number + end):
                print_json({"file": source.name, "record": number})

    def _matches(self, facts: Facts) -> bool:
        matches = self._query.matches(facts) != self._inverted
        return matches and not (self._dedupe and self._is_repeated(facts))

    def _is_repeated(self, facts: Facts) -> bool:
        """Return whether an earlier record has the same start and main line."""
        digest = facts.same_game()
        if digest is None:
            return False
        is_repeated = digest in self._seen
        self._seen.add(digest)
        return is_repeated


def _check_options(out_dir: str | None, key: str | None, *, count: bool, as_json: bool) -> None:
    """Reject options that contradict each other."""
    if (out_dir is None) != (key is None):
        raise click.UsageError("--out-dir DIR and --by KEY go together.")
    if count and as_json:
        raise click.UsageError("--count prints only a number: omit --json.")


def _plies_of(key: str | None, *, dedupe: bool) -> int:
    """Return the number of plies of each main line that these options need."""
    from ringfen.notation.selecting import WHOLE_LINE, check_key, plies_of_key

    try:
        plies = 0 if key is None else plies_of_key(check_key(key))
    except ValueError as error:
        raise click.UsageError(f"--by: {error}.") from None
    return WHOLE_LINE if dedupe else plies


class _Query:
    """The conditions of a command line."""

    def __init__(
        self,
        board_path: Sequence[Path],
        aliases: Aliases,
        *,
        of_games: Sequence[str],
        players: Sequence[str],
        results: Sequence[str],
        outcomes: Sequence[str],
        lengths: Sequence[str],
        dates: Sequence[str],
        tags: Sequence[str],
        positions: Sequence[str],
        patterns: Sequence[str],
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
        for code in codes:
            if code not in CODES:
                raise click.BadParameter(
                    f"no such code {code[:40]!r}. {hint_for_code(code, CODES)}", param_hint="'--code'"
                )
        _check("--outcome", outcomes, selecting.OUTCOMES)
        for result in results:
            if not is_result(result):
                words = "is not a result; results are 1-0, 0-1, 1/2-1/2, *, in GRAN such as 0-1-0"
                raise click.BadParameter(f"{printable(result[:40])} {words}.", param_hint="'--result'")
        self._add("--game", of_games, lambda game: lambda facts: facts.game == game)
        self._add("--code", codes, lambda code: lambda facts: code in facts.codes)
        if valid is not None:
            self._conditions.append(lambda facts: facts.valid == valid)
        self._add("--plies", lengths, selecting.of_plies)
        self._add("--outcome", outcomes, selecting.of_outcome)
        self.positions = _positions(positions, board_path)
        if self.positions:
            self._conditions.append(selecting.reaching(self.positions))
        self.patterns = self._add("--pattern", patterns, selecting.Pattern)
        self._add("--result", results, lambda result: lambda facts: facts.result == result)
        self._add("--player", players, lambda name: selecting.of_player(name, aliases))
        self._add("--date", dates, selecting.of_date)
        self._add("--tag", tags, _of_tag)
        opened = self._add("--opening", openings, selecting.Opening)
        self.needs_tags = bool(players or dates or tags)
        #: The number of plies of each main line that the conditions need.
        self.plies = max((len(opening.plies) for opening in opened), default=0)

    def _add(self, option: str, texts: Sequence[str], made: Callable[[str], Any]) -> list[Any]:
        from ringfen.notation.selecting import any_of

        try:
            conditions = [made(text) for text in texts]
        except ValueError as error:
            raise click.BadParameter(f"{error}.", param_hint=f"'{option}'") from None
        if conditions:
            self._conditions.append(any_of(conditions))
        return conditions

    def matches(self, facts: Facts) -> bool:
        """Return whether all conditions match."""
        return all(condition(facts) for condition in self._conditions)


def _check(option: str, texts: Sequence[str], known: Any) -> None:
    for text in texts:
        if text not in known:
            words = f"{printable(text[:40])} is not one of {', '.join(known)}."
            raise click.BadParameter(words, param_hint=f"'{option}'")


def _of_tag(text: str) -> Condition:
    from ringfen.notation.selecting import of_tag

    name, equals, pattern = text.partition("=")
    if not equals or not name:
        raise ValueError(f"expected NAME=PATTERN, not {text[:40]!r}")
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
    """The outputs for records that match and for all others. No two may be the same file."""

    def __init__(
        self,
        files: Files,
        out: str | None,
        rejects: str | None,
        out_dir: str | None,
        key: str | None,
        aliases: Aliases,
    ) -> None:
        self._out = None if out is None else files.output(out)
        self._rejects = None if rejects is None else files.output(rejects)
        self._directory = None if out_dir is None or key is None else _Directory(Path(out_dir), key, files, aliases)
        for output in (self._out, self._rejects):
            if self._directory is not None and output is not None:
                self._directory.reject(output)

    def opened(
        self, stack: ExitStack, *, to_standard_output: bool
    ) -> tuple[list[_RecordOutput | _Directory], list[_RecordOutput | _Directory]]:
        """Return the outputs for records that match and for the others; closing ``stack`` closes them."""
        kept: list[_RecordOutput | _Directory] = []
        if self._out is not None:
            kept.append(self._record_output(stack, self._out))
        if self._directory is not None:
            stack.enter_context(directory(self._directory.path))
            kept.append(stack.enter_context(self._directory))
        if to_standard_output:
            kept.append(stack.enter_context(_RecordOutput(_print)))
        return kept, [] if self._rejects is None else [self._record_output(stack, self._rejects)]

    @staticmethod
    def _record_output(stack: ExitStack, output: Output) -> _RecordOutput:
        file = stack.enter_context(output.open_packing())
        return stack.enter_context(_RecordOutput(file.write))


def _print(data: bytes) -> object:
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    return sys.stdout.buffer.flush()


class _RecordOutput:
    """Writes records to one output.

    Records that follow each other in their file keep the text between them; others get an empty line if there is none.
    """

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self._pending: list[bytes] = []
        self._size = 0
        self._gap = b""
        #: The record that follows the last one in its file.
        self._next: tuple[Source, int] | None = None

    def __enter__(self) -> _RecordOutput:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.flush()

    def write(self, source: Source, batch: Batch, first: int, end: int) -> int:
        """Write these records of a source; return their size."""
        text, number = batch.text_of(first, end), batch.number + first
        if self._next is None:
            gap = source.mark if number == 1 else b""
        else:
            gap = b"" if self._next == (source, number) else self._gap
        self._pending += (gap, text) if gap else (text,)
        self._gap = _gap_after(text)
        self._next = source, batch.number + end
        self._size += len(text)
        if self._size > _MAX_PENDING:
            self.flush()
        return len(text)

    def flush(self) -> None:
        """Write the pending texts."""
        if self._pending:
            self._write(b"".join(self._pending))
        self._pending.clear()
        self._size = 0


def _gap_after(text: bytes) -> bytes:
    """Return the line ends to write between this text and the next record."""
    if text.endswith((b"\n\n", b"\n\r\n", b"\r\r")):
        return b""
    end = b"\r\n" if b"\r\n" in text[-1000:] else b"\n"
    return end if text.endswith((b"\n", b"\r")) else end * 2


class _Directory:
    """Writes one file for each value of a key. The files appear when all of them are complete."""

    def __init__(self, path: Path, key: str, declared: Files, aliases: Aliases) -> None:
        self.path = path
        self._aliases = aliases
        self._key = key
        self._declared = declared
        self._outputs_group = OutputGroup()
        #: The contents of the files, by group. A file has the name of the first value of its group.
        self._files: dict[Value, _RecordOutput] = {}
        self._size = 0

    def reject(self, output: Output) -> None:
        """Reject another output that could be one of the files.

        :raises ringfen.outputs.OutputRejectedError: It is in the directory and has their suffix.
        """
        from ringfen.outputs import OutputRejectedError

        if output.path.name.endswith(_ENDING) and os.path.realpath(output.path.parent) == os.path.realpath(self.path):
            raise OutputRejectedError(errno.EINVAL, "this output could be one of --out-dir too", output.name)

    def __enter__(self) -> _Directory:
        self._outputs_group.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: Any) -> None:
        try:
            if kind is None:
                self._flush()
        except BaseException as error:
            self._outputs_group.__exit__(type(error), error, None)
            raise
        self._outputs_group.__exit__(kind, *rest)

    def write(self, source: Source, batch: Batch, first: int, end: int) -> None:
        """Write these records of a source."""
        from ringfen.notation.selecting import group_of, values_of

        for index in range(first, end):
            found = values_of(batch.facts[index], self._key, self._aliases)
            values = {group_of(value, self._key) or None: value for value in reversed(found)}
            for group, value in values.items():
                if group not in self._files:
                    self._files[group] = self._new_file(_file_name(value))
                self._size += self._files[group].write(source, batch, index, index + 1)
            if self._size > _MAX_PENDING:
                self._flush()

    def _new_file(self, name: str) -> _RecordOutput:
        from ringfen.inputs import check_regular

        check_regular(self.path / name)
        return _RecordOutput(self._outputs_group.begin(self._declared.output(self.path / name)))

    def _flush(self) -> None:
        for joined in self._files.values():
            joined.flush()
        self._size = 0


def _file_name(value: Value) -> str:
    """Return the file name for a value: percent-encoded, ``-.rgn`` for records without one."""
    from hashlib import blake2b
    from urllib.parse import quote

    if value is None or value == "":
        return f"-{_ENDING}"
    text = str(value).lower() if isinstance(value, bool) else value
    name = quote(text, safe="", errors="replace")
    if name == "-" or name.startswith("."):
        name = f"%{ord(name[0]):02X}{name[1:]}"
    if len(name) > _MAX_NAME:
        name = f"{name[:_MAX_NAME]}-{blake2b(text.encode('utf-8', 'replace'), digest_size=8).hexdigest()}"
    return f"{name}{_ENDING}"
