"""``problems``: find problems in records, positions and random play, and check problems."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ringfen.cli.exit_status import LIMIT, OK, USAGE, WRONG, print_error, worst
from ringfen.cli.file_kinds import POSITIONS, PROBLEMS
from ringfen.cli.output import DROPPED, counted, json_text, named_file, print_data
from ringfen.cli.position_input import Line, argument_lines, parsed, reject, text_lines
from ringfen.cli.progress import ProgressBar
from ringfen.cli.quantities import GAP, WholeNumber
from ringfen.cli.quantities import gap as read_gap
from ringfen.cli.record_files import InputRecords, Source, show
from ringfen.cli.shared_options import (
    POSITION,
    board_option,
    dask_option,
    encoding_option,
    is_quiet,
    jobs_option,
    json_option,
    max_record_option,
    nodes_option,
    out_option,
    resume_option,
    seconds_option,
    seed_option,
)
from ringfen.cli.usage_hints import InputFile
from ringfen.text import printable

if TYPE_CHECKING:
    from ringfen.outputs import Output
    from ringfen.position import Position
    from ringfen.problems.mining import Examined, Problem, ProblemOptions
    from ringfen.problems.soundness import Verdict

#: The suffix of the file of results, which is next to the output.
_RESULTS = ".results.jsonl"
#: The options that select problems. The names of their variables are those of the options.
_SELECTING = ("first", "length", "sound", "min_tries", "quiet_key", "min_legal", "keep_mirrored")
#: The options of random positions, and those of long searches.
_OF_RANDOM = ("material", "seed")
_OF_SEARCHES = ("jobs", "dask", "resume")
#: Random positions in a row that were met before, after which the search ends.
_MAX_OLD = 10_000


class _Length(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A range of numbers of moves, such as 2..4, or one number."""

    name = "length"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """Return both ends."""
        from ringfen.problems.stipulation import MAX_MOVES

        if isinstance(value, tuple):
            return value
        found = re.fullmatch(r"([0-9]{1,9})(?:\.\.([0-9]{1,9}))?", value, re.ASCII)
        if found is None:
            self.fail(f"{printable(value[:40])!r} is not a range of numbers such as 2..4.", param, ctx)
        first, last = int(found[1]), int(found[2] or found[1])
        if first < 1 or last > MAX_MOVES:
            self.fail(f"{value} is not in the range 1..{MAX_MOVES}.", param, ctx)
        if last < first:
            self.fail(f"{value} does not begin with the smaller number, as in 2..4.", param, ctx)
        return first, last


@click.command()
@click.argument("files", metavar="[FILE…]", nargs=-1, type=InputFile())
@click.option(
    "--random",
    "start",
    metavar="POSITION",
    type=POSITION,
    help="Search random games that start from POSITION.",
)
@click.option("--material", metavar="TEXT", help="With --random, place these pieces at random on its board instead.")
@seed_option
@click.option("--first", type=WholeNumber(1), metavar="N", help="Stop after N problems.")
@click.option(
    "--length",
    type=_Length(),
    default=(2, 4),
    metavar="A..B",
    help="Find wins in A to B moves; in The King of Rings with A to B free rings, in GRAN within A to B plies."
    "  [default: 2..4]",
)
@click.option(
    "--sound",
    type=click.Choice(["key", "line", "full"]),
    default="key",
    show_default=True,
    help="Require exactly one key (key), also no dual after a longest defence (line), or no dual at all (full).",
)
@click.option(
    "--gap",
    type=GAP,
    metavar="G",
    help="Minimum difference to the next best ply: points, or in GRAN a probability such as 1/6.  "
    "[default: 1 point; GRAN any]",
)
@click.option("--min-tries", type=WholeNumber(0, 4096), default=0, metavar="N", help="Require at least N tries.")
@click.option("--quiet-key", is_flag=True, help="Require a key that does not capture, displace or huff.")
@click.option(
    "--min-legal",
    type=WholeNumber(1, 4096),
    default=2,
    metavar="N",
    show_default=True,
    help="Require at least N legal plies.",
)
@click.option("--keep-mirrored", is_flag=True, help="Keep symmetric twins of other problems.")
@click.option("--check", is_flag=True, help="Check the problems in FILE.")
@nodes_option("1e6 without --seconds")
@seconds_option
@jobs_option()
@dask_option
@out_option()
@resume_option
@board_option
@encoding_option
@max_record_option
@json_option
def problems(
    files: Sequence[str],
    start: str | None,
    material: str | None,
    seed: int,
    first: int | None,
    check: bool,
    jobs: int,
    dask: str | None,
    out: str | None,
    resume: bool,
    board_path: Sequence[Path],
    as_json: bool,
    **chosen: Any,
) -> int:
    """Find problems in records and random play; check problems.

    A problem is a position in which exactly one ply, the key, wins in the fewest moves or gives the best value. FILE
    contains records or positions. Prints each problem as a record with its solution. Skips positions that are not
    decided within the limits.

    With --random and without --first, searches until Ctrl-C. --material takes rings such as 112233 (Gygès), free rings
    and knights such as 113KK(31)kk(1) (The King of Rings), stones such as SMvT (South moves) or SMt (either side moves;
    Siaius), or the seals of each player and the number of stones, such as TU/G/-+5 (GRAN).

    --check checks the start of each record against its tag Stipulation: 'win in 2', 'best margin 7' or 'best chance
    7/18 maxn 8' (or paranoid). The intended key is the first ply, or the tag Key. The exit status is 1 if a problem is
    unsound, 2 if no record has the tag, and 3 if a problem is undecided.

    \b
    Example:
      ringfen problems games.rgn --length 2..3 --sound line
      ringfen problems --random gyges --seed 7 --first 3 --quiet-key
      ringfen problems mine.rgn --check
    """
    from ringfen.problems.mining import options_of

    _check_usage(files, start, first, check, resume, out)
    origin = None if start is None else next(_argument(start, board_path))
    try:
        options = options_of(**chosen)
        if origin is not None:
            options.gap_in(origin.game)
    except (TypeError, ValueError) as error:
        raise click.UsageError(f"{error}.") from None
    if check:
        return _Check(files, board_path, options, as_json).run(named_file(out, False))
    if origin is not None and material is not None:
        _check_material(origin, material, options)
    positions = _Positions(files, board_path, origin, material, seed)
    search = _Search(positions, options, first, as_json, board_path)
    return search.run(named_file(out, False), resume, jobs, dask)


def _check_usage(
    files: Sequence[str],
    start: str | None,
    first: int | None,
    check: bool,
    resume: bool,
    out: str | None,
) -> None:
    if check and (start is not None or not files):
        raise click.UsageError("--check requires FILE… without --random.")
    if start is None and not files:
        raise click.UsageError("Give FILE… or --random POSITION.")
    if start is not None and files:
        raise click.UsageError("--random and FILE… cannot be combined: omit one of them.")
    source = click.get_current_context().get_parameter_source
    given = [name for name in (*_SELECTING, *_OF_RANDOM, *_OF_SEARCHES) if source(name) is not ParameterSource.DEFAULT]
    for name in given if check else ():
        kinds = {_SELECTING: "selects problems", _OF_RANDOM: "is for random positions", _OF_SEARCHES: "is for searches"}
        words = next(words for names, words in kinds.items() if name in names)
        raise click.UsageError(f"--{name.replace('_', '-')} {words}: omit it with --check.")
    for name in given:
        if start is None and name in _OF_RANDOM:
            raise click.UsageError(f"--{name} requires --random POSITION.")
    if start is not None and first is None and out not in (None, "-"):
        raise click.UsageError("Random play never ends, so --random with --out requires --first N.")
    if resume and out in (None, "-"):
        raise click.UsageError("--resume requires --out FILE.")


def _check_material(start: Position, material: str, options: ProblemOptions) -> None:
    """Reject material without any problem of this length: a search would never end."""
    from ringfen.notation.random_positions import random_placements
    from ringfen.problems.goals import pieces_left

    _, position = next(random_placements(start, material, 0))
    left = pieces_left(position)
    first, last = options.length
    if left is not None and not first <= left <= last:
        raise click.UsageError(
            f"{material[:60]!r} has {counted(left, 'free ring')}, which is not in --length {first}..{last}."
        )


def _argument(text: str, board_path: Sequence[Path]) -> Iterator[Position]:
    """Yield the position of an argument; raise its error."""
    for line in argument_lines("position", [text]):
        yield parsed(line, board_path)


class _Positions:
    """The positions of the input, each with words for its place."""

    def __init__(
        self,
        files: Sequence[str],
        board_path: Sequence[Path],
        start: Position | None,
        material: str | None,
        seed: int,
    ) -> None:
        self.start = start
        self._material = material
        self._seed = seed
        self._board_path = board_path
        self.inputs = InputRecords(files, board_path, also=[POSITIONS])
        self.status = OK

    def __iter__(self) -> Iterator[tuple[str, Position]]:
        from ringfen.notation.random_positions import positions_of_random_games, random_placements

        if self.start is None:
            for source in self.inputs.sources():
                yield from self._of_lines(source) if source.kind == POSITIONS else self._of_records(source)
            self.status = worst(self.status, self.inputs.status)
        elif self._material is None:
            yield from positions_of_random_games(self.start, self._seed)
        else:
            yield from random_placements(self.start, self._material, self._seed)

    def _of_lines(self, source: Source) -> Iterator[tuple[str, Position]]:
        from ringfen.errors import RingfenError

        for line in text_lines(source.stream, source.name):
            try:
                position = parsed(line, self._board_path)
            except RingfenError as error:
                reject(line, error, False)
                self.status = worst(self.status, USAGE)
                continue
            source.records += 1
            yield f"{printable(source.name)}, line {line.number}", position

    def _of_records(self, source: Source) -> Iterator[tuple[str, Position]]:
        for raw in source.raw_records():
            record = source.reader.read(raw)
            source.count(record)
            if not record.valid:
                show([diagnostic for diagnostic in record.diagnostics if diagnostic.is_error], err=True)
                self.status = worst(self.status, WRONG)
                continue
            for ply, position in enumerate(record.positions()):
                yield f"{printable(source.name)}, record {record.number}, ply {ply}", position


class _Search:
    """One search: the positions, the problems and the output."""

    def __init__(
        self,
        positions: _Positions,
        options: ProblemOptions,
        first: int | None,
        as_json: bool,
        board_path: Sequence[Path],
    ) -> None:
        self._positions = positions
        self._options = options
        self._first = first
        self._as_json = as_json
        self._board_path = board_path
        self._sources: dict[Position, str] = {}
        self._file: IO[bytes] | None = None
        self._status = OK
        self._examined = self._found = self._undecided = 0

    def run(self, out: str | None, resume: bool, jobs: int, dask: str | None) -> int:
        """Search, write the problems, and return the exit status."""
        from ringfen.cli.batch import interrupted_once
        from ringfen.errors import BatchError

        output = None if out is None else self._declared(out)
        try:
            with interrupted_once(), ExitStack() as stack:
                if output is not None:
                    self._file = stack.enter_context(output.open_packing())
                self._search(stack, out, resume, jobs, dask)
        except BatchError as error:
            raise click.ClickException(str(error)) from error
        self._report()
        return worst(self._status, self._positions.status)

    def _declared(self, out: str) -> Output:
        """Return the output file, and declare the files next to it."""
        files = self._positions.inputs.declared()
        output = files.output(out)
        files.companion(f"{out}{_RESULTS}")
        files.companion(f"{out}{_RESULTS}{DROPPED}")
        return output

    def _new(self) -> Iterator[Position]:
        """Yield the positions without twins; a long time without a new random position ends them."""
        from ringfen.problems.mining import Twins

        twins, old = Twins(keep_mirrored=self._options.keep_mirrored), 0
        with closing(iter(self._positions)) as positions:  # type: ignore[type-var, unused-ignore]
            for source, position in positions:
                if twins.is_new(position):
                    old = 0
                    self._sources[position] = source
                    yield position
                    continue
                old += 1
                if self._positions.start is not None and old == _MAX_OLD:
                    click.echo("note: there are no more new positions", err=True)
                    return

    def _search(self, stack: ExitStack, out: str | None, resume: bool, jobs: int, dask: str | None) -> None:
        from ringfen.batch import workers
        from ringfen.batch.workers import Failure
        from ringfen.problems.mining import examine_one, in_order

        bar = stack.enter_context(ProgressBar("searching"))
        results = None if out is None else _Results(Path(f"{out}{_RESULTS}"), self._new(), self._options, resume, bar)
        known = {} if results is None else stack.enter_context(results).known
        positions = self._new() if results is None else results.positions
        pool = stack.enter_context(workers.pool_for(partial(examine_one, self._options), jobs, dask, bar.say))

        def show_progress() -> None:
            if results is not None:
                results.sync()
            if bar.is_due():
                bar.show(self._examined, 0, f"{counted(self._found, 'problem')}, {self._examined:,} positions")

        for number, position, result in in_order(positions, pool, show_progress, known):
            source = self._sources.pop(position)
            self._examined += 1
            if isinstance(result, Failure) and result.misuse:
                raise click.UsageError(f"{source}: {result.message}.")
            if isinstance(result, Failure):
                bar.say(f"{source}: no result: {result.message}")
                self._status = worst(self._status, LIMIT)
                continue
            if results is not None and number not in known:
                results.add(result)
            self._undecided += result.is_undecided
            if result.problem is not None:
                bar.clear()
                self._write(result.problem, source, position)
                if self._found == self._first:
                    break

    def _write(self, problem: Problem, source: str, position: Position) -> None:
        from ringfen.notation import write_record
        from ringfen.notation.problem_records import problem_record
        from ringfen.notation.writing import movetext

        self._found += 1
        record = problem_record(problem, source, position, number=self._found, board_path=self._board_path)
        text = write_record(record)
        if self._as_json:
            text = json_text(
                {
                    "fen": problem.fen,
                    "game": problem.game,
                    "stipulation": problem.stipulation,
                    "key": problem.key,
                    "solution": " ".join(movetext(record).split()),
                    "legal": problem.legal,
                    "tries": problem.tries,
                    "duals": problem.duals,
                    "nodes": problem.nodes,
                    **({} if problem.gap is None else {"gap": problem.gap}),
                    "source": source,
                    "ringfen": problem.version,
                }
            )
        if self._file is None:
            print_data(text)
        else:
            self._file.write(text.encode())

    def _report(self) -> None:
        if is_quiet():
            return
        words = [counted(self._found, "problem"), counted(self._examined, "position")]
        if self._undecided:
            words.append(f"{self._undecided:,} undecided")
        click.echo(", ".join(words), err=True)


class _Results:
    """The file of results next to the output; it is removed when the output is complete."""

    def __init__(
        self, path: Path, positions: Iterator[Position], options: ProblemOptions, resume: bool, bar: ProgressBar
    ) -> None:
        from ringfen.outputs import OF_WRITING, naming
        from ringfen.problems.file import ExaminedFile

        self._path = path
        self._bar = bar
        with naming(path, OF_WRITING):
            self._file = ExaminedFile(path, positions, options, resume=resume)
        self.known: dict[int, Examined] = self._file.known
        self.positions = self._file.positions
        self.sync: Callable[[], None] = self._file.sync
        self.add: Callable[[Examined], None] = self._file.add_examined

    def __enter__(self) -> _Results:
        if self._file.dropped:
            lines = "line" if self._file.dropped == 1 else "lines"
            self._bar.say(
                f"{self._file.dropped} incomplete or corrupt {lines} of {self._path} moved to {self._file.dropped_name}"
            )
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: object) -> None:
        if error is None:
            self._file.close()
            self._path.unlink()
        elif self._file.abandon():
            self._bar.say(
                f"{counted(len(self._file.answered), 'result')} are in {self._path}; the same command with --resume"
                " continues from there"
            )


class _Check:
    """Checks the problems of files."""

    def __init__(
        self, files: Sequence[str], board_path: Sequence[Path], options: ProblemOptions, as_json: bool
    ) -> None:
        self._options = options
        self._as_json = as_json
        self._board_path = board_path
        self._inputs = InputRecords(files, board_path, also=[PROBLEMS])
        self._status = OK
        self._is_undecided = False
        self._counts: dict[str, int] = {}
        self._put: Callable[[str], None] = print_data

    def run(self, out: str | None) -> int:
        """Check all problems and return the exit status."""
        with ExitStack() as stack:
            if out is not None:
                file = stack.enter_context(self._inputs.declared().output(out).open_packing())
                self._put = lambda text: _put_text(file, text)
            for source in self._inputs.sources():
                if source.has_problems:
                    for line in text_lines(source.stream, source.name, problems=True):
                        self._check_line(source, line)
                    continue
                for raw in source.raw_records():
                    self._check_record(source, raw)
        status = worst(self._status, self._inputs.status)
        if self._counts and not is_quiet():
            words = [f"{number:,} {status}" for status, number in sorted(self._counts.items())]
            click.echo(", ".join(words), err=True)
        if not self._counts and status == OK:
            tag = '[Stipulation "win in 2"]'
            print_error(f"no problems were checked: a problem is a record with a tag such as {tag}")
            return USAGE
        return LIMIT if self._is_undecided and status == OK else status

    def _check_record(self, source: Source, raw: Any) -> None:
        from ringfen.errors import RingfenError

        record = source.reader.read(raw)
        source.count(record)
        place = f"{printable(source.name)}: record {record.number}"
        if not record.valid or record.start is None:
            show([diagnostic for diagnostic in record.diagnostics if diagnostic.is_error], err=True)
            self._status = worst(self._status, WRONG)
            return
        text = record.tags.get("Stipulation")
        if text is None:
            click.echo(f"note: {place} has no tag Stipulation and was not checked", err=True)
            return
        tags = record.tags
        key, first = tags.get("Key"), next((node.ply for node in record.mainline()), None)
        try:
            intended = None if key is None else record.start.short(key)
        except RingfenError as error:
            self._malformed(f"{place}: tag Key: {error}")
            return
        if intended is not None and first not in (None, intended):
            self._malformed(f"{place}: the tag Key is {intended}, but the record begins with {first}")
            return
        self._check_position(source.name, record.number, place, record.start, text, first or intended, tags.get("Gap"))

    def _check_line(self, source: Source, line: Line) -> None:
        """Check a problem as ``problems --json`` prints it."""
        from ringfen.errors import RingfenError
        from ringfen.notation.problem_records import problem_fields
        from ringfen.position import Position

        source.records += 1
        place = f"{printable(source.name)}:{line.number}"
        try:
            fields = problem_fields(line.text)
            position = Position(fields["fen"], board_path=self._board_path)
            intended = position.short(fields["key"]) if "key" in fields else None
        except (RingfenError, ValueError) as error:
            self._malformed(f"{place}: {error}")
        else:
            text, gap = fields["stipulation"], fields.get("gap")
            self._check_position(source.name, line.number, place, position, text, intended, gap)

    def _malformed(self, message: str) -> None:
        print_error(message)
        self._status = worst(self._status, WRONG)

    def _check_position(
        self,
        file: str,
        number: int | None,
        place: str,
        position: Position,
        text: str,
        intended: str | None,
        own_gap: str | None,
    ) -> None:
        """Check a problem.

        :param own_gap: The gap that the problem states; ``--gap`` takes precedence, and a win has none.
        """
        from ringfen.errors import RingfenError
        from ringfen.problems.soundness import check_problem, checked_gap

        limits = self._options.limits
        kind = position.game.value_kind
        try:
            chosen = self._options.gap
            if chosen is None and own_gap is not None and kind != "win":
                chosen = read_gap(own_gap)
            gap = None if kind == "win" else checked_gap(chosen, kind)
        except ValueError as error:
            if self._options.gap is None:
                self._malformed(f"{place}: {error}")
                return
            raise click.UsageError(f"{place}: {error}; check each game with its own --gap.") from None
        try:
            verdict = check_problem(
                position,
                text,
                intended=intended,
                gap=gap,
                nodes=limits.nodes,
                seconds=limits.seconds,
            )
        except (RingfenError, TypeError, ValueError) as error:
            self._malformed(f"{place}: {error}")
            return
        self._counts[verdict.status] = self._counts.get(verdict.status, 0) + 1
        if verdict.is_unsound:
            self._status = worst(self._status, WRONG)
        self._is_undecided |= verdict.status == "undecided"
        if self._as_json:
            self._put(json_text({"file": file, "record": number, **verdict.to_json()}))
        else:
            self._put(f"{place}: {_words(verdict)}\n")


def _put_text(file: IO[bytes], text: str) -> None:
    file.write(text.encode("utf-8", "replace"))


def _words(verdict: Verdict) -> str:
    """Return a verdict for people."""
    return f"{verdict.stipulation}: {_judgement(verdict)}"


def _judgement(verdict: Verdict) -> str:
    status, key, intended = verdict.status, verdict.key, verdict.intended
    its_key = f"the key is {key}" if intended in (None, key) else f"the key is {key}, not {intended}"
    if status in ("sound", "wrong key"):
        return f"{status}; {its_key}"
    if status == "cooked":
        fails = f"; the intended key {intended} does not meet it" if key is None and intended is not None else ""
        return f"cooked by {', '.join(verdict.cooks)}{fails}"
    if status == "not unique":
        return f"not unique; {its_key}, but {', '.join(_near(verdict))}; the gap is {verdict.gap}"
    actual = verdict.actual
    if actual is None:
        return status
    if status == "no solution" and actual.startswith("win"):
        return f"no solution in {verdict.stipulation.removeprefix('win in ')}; {actual.replace('win', 'wins')}"
    return f"{status}; it is {actual}"


def _near(verdict: Verdict) -> Iterator[str]:
    """Yield words for the plies that are worse by less than the gap, grouped by the difference."""
    is_margin = verdict.stipulation.startswith("best margin")
    for by in sorted({by for _, by in verdict.near}):
        plies = [ply for ply, other in verdict.near if other == by]
        verb = "gives" if len(plies) == 1 else "give"
        yield f"{', '.join(plies)} {verb} only {counted(int(by), 'point') if is_margin else by} less"
