"""``answers``: count, tabulate, select or merge the answers that ``solve --out`` wrote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import BinaryIO

import click

from ringfen.batch.answers import Answer, complete, merged, read_answers
from ringfen.cli.batch import Tally, print_tally
from ringfen.cli.exit_status import OK, USAGE, WRONG, print_error, print_os_error, with_options, worst
from ringfen.cli.file_kinds import ANSWERS, reject_others
from ringfen.cli.output import CsvTable, json_text, print_data, print_table
from ringfen.cli.quantities import Statuses
from ringfen.cli.shared_options import is_quiet, json_option, quiet_option
from ringfen.cli.usage_hints import InputFile
from ringfen.inputs import reject_endless, unpacked
from ringfen.solving.solution import JSON_FIELDS
from ringfen.text import printable


@click.command()
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=InputFile())
@click.option("--summary", is_flag=True, help="Count the answers (the default).")
@click.option("--csv", is_flag=True, help="Write a table with one row per answer.")
@click.option("--merge", is_flag=True, help="Write an answer file with the best answer for each position.")
@click.option(
    "--select",
    type=Statuses("exact", "bound", "horizon", "unknown"),
    metavar="STATUS,…",
    help="Use only answers with these statuses.",
)
@json_option
@quiet_option
def answers(
    files: Sequence[str],
    summary: bool,
    csv: bool,
    merge: bool,
    select: Collection[str] | None,
    as_json: bool,
) -> int:
    """Count, tabulate, select or merge answers of 'solve --out'.

    --select without another form writes the positions. --merge keeps the best answer for each position (in GRAN also
    for each model, horizon and player): an exact one, otherwise the narrowest bounds. If a line is not an answer, it is
    reported, and the exit status is 1.

    \b
    Example:
      ringfen answers answers.jsonl
      ringfen answers answers.jsonl --select unknown,bound | ringfen solve - --seconds 600
      ringfen answers monday.jsonl tuesday.jsonl --merge --out all.jsonl
      ringfen answers all.jsonl --csv --out all.csv
    """
    forms = [name for name, given in (("summary", summary), ("csv", csv), ("merge", merge)) if given]
    if len(forms) > 1:
        raise click.UsageError(f"{' and '.join(f'--{name}' for name in forms)} cannot be combined.")
    form = forms[0] if forms else "summary" if select is None else "positions"
    if as_json and form in ("csv", "merge"):
        raise click.UsageError(f"--json cannot be combined with --{form}.")
    source = _Source(files, select)
    if form == "summary":
        _summarise(source, as_json)
        return source.status
    for text in _texts(source, form, as_json):
        print_data(text)
    return source.status


#: If a file begins with more lines that are not answers, the rest is not read.
_MAX_PENDING = 100


def _texts(source: _Source, form: str, as_json: bool) -> Iterator[str]:
    """Yield the output in pieces."""
    if form == "csv":
        table = CsvTable()
        header = table.line(JSON_FIELDS)
        for answer in source:
            yield header + table.line(_cells(answer))
            header = ""
        if header and source.is_read:
            yield header
        if not is_quiet():
            table.warn()
    elif form == "merge":
        yield from map(json_text, merged(iter(source)))
    else:
        for answer in source:
            yield json_text({"fen": answer["fen"]}) if as_json else f"{answer['fen']}\n"


class _Source:
    """Reads the answers of several files, and counts corrupt lines."""

    def __init__(self, files: Sequence[str], select: Collection[str] | None) -> None:
        self.files = files
        self.status = OK
        self.corrupt = 0
        #: Whether at least one file could be opened and is not of another kind.
        self.is_read = False
        self._select = select

    def __iter__(self) -> Iterator[Answer]:
        for name in self.files:
            try:
                with click.open_file(name, "rb") as stream:
                    reject_endless(stream, name)
                    content = unpacked(stream, name)
                    reject_others("<stdin>" if name == "-" else name, content, ANSWERS)
                    yield from self._answers(name, content)
            except OSError as error:
                print_os_error(error, "<stdin>" if name == "-" else name)
                self.status = worst(self.status, USAGE)

    def _answers(self, name: str, file: BinaryIO) -> Iterator[Answer]:
        shown = "<stdin>" if name == "-" else printable(name)
        waiting: list[str] | None = []  # problems are held back until the first answer
        for number, found in read_answers(file):
            if isinstance(found, str):
                problem = f"line {number} of {shown} {found}"
                if waiting is None:
                    self._corrupt(problem)
                elif len(waiting) < _MAX_PENDING:
                    waiting.append(problem)
                else:
                    break
                continue
            for problem in waiting or ():
                self._corrupt(problem)
            waiting = None
            self.is_read = True
            if self._select is None or found["status"] in self._select:
                # A program in Python may have written the file.
                yield found if found.get("note") is None else found | {"note": with_options(found["note"])}
        if waiting and len(waiting) > 1:
            print_error(f"{shown} is not an answer file")
            self.status = worst(self.status, USAGE)
            return
        self.is_read = True
        if waiting:
            self._corrupt(waiting[0])

    def _corrupt(self, problem: str) -> None:
        print_error(problem)
        self.corrupt += 1
        self.status = worst(self.status, WRONG)


def _summarise(source: _Source, as_json: bool) -> None:
    tally = Tally()
    by_game: dict[str, Tally] = {}
    positions = set()
    totals = Counter[str]()
    for answer in source:
        totals[answer["game"]] += 1
        positions.add(hash(answer["fen"]))
        tally.add(answer, answer["line"])
        by_game.setdefault(answer["game"], Tally()).add(answer, answer["line"])
    if not source.is_read:
        return
    counts = {"answers": totals.total(), "different": len(positions), **tally.counts(), "corrupt": source.corrupt}
    print_tally(counts, tally, as_json)
    if len(by_game) > 1 and not as_json:
        games = {game: {"answers": totals[game], **by_game[game].counts()} for game in sorted(by_game)}
        names = [name for name in counts if any(name in found for found in games.values())]
        click.echo()
        rows = [(game, *(f"{found.get(name, 0):,}" for name in names)) for game, found in games.items()]
        print_table(rows, ("game", *names), ("left", *("right" for _ in names)))


def _cells(answer: Answer) -> list[str]:
    fields = complete(answer, answer["line"])
    return [_cell(fields[name]) for name in JSON_FIELDS]


def _cell(value: object) -> str:
    """Return a value as text: list items separated by spaces, an empty text for null, ``true`` and ``false``."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return " ".join("-" if item is None else str(item) for item in value)
    return str(value)
