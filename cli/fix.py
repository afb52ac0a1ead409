"""``fix``: repairs of records that have exactly one reading."""

from __future__ import annotations

import codecs
import dataclasses
import io
import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, NamedTuple

import click

from ringfen.cli.exit_status import USAGE, print_error, printing, worst
from ringfen.cli.output import named_file, print_json
from ringfen.cli.record_files import InputRecords, Source, diagnostic_text, reject_json, warning_texts
from ringfen.cli.rewriting import copy_stream, is_changed, print_diff, reject_packed, replace, spool
from ringfen.cli.shared_options import (
    diff_option,
    is_quiet,
    json_option,
    out_option,
    reading_options,
    record_jobs_option,
    write_option,
)
from ringfen.text import printable

if TYPE_CHECKING:
    from ringfen.notation.mail import Edit
    from ringfen.notation.repairing import Change, Repair

_CHUNK = 1 << 16
_MARK = codecs.BOM_UTF8
#: The bytes of UTF-8 that continue a character.
_CONTINUATION = bytes(range(0x80, 0xC0))
#: How often a file is read again after repairs.
_MAX_PASSES = 100
_LINE_END = re.compile("\r+\n|\r")
_NAMES = {"cp1252": "windows-1252"}
#: Warnings of plies that are legal, so that nothing is repaired.
_OF_LEGAL_PLIES = frozenset({"null-move"})
#: The most characters of a change that are shown to people.
_MAX_SHOWN = 200
_ADDED = {True: "is added", False: "removed"}


@click.command()
@reading_options
@record_jobs_option
@diff_option
@write_option
@out_option("Write the fixed records to FILE.")
@json_option
def fix(
    files: Sequence[str],
    board_path: Sequence[Path],
    diff: bool,
    write: bool,
    out: str | None,
    as_json: bool,
) -> int:
    """Fix errors that have exactly one possible fix.

    Fixes characters, hyphens and x of a ply if exactly one legal ply results, move numbers unless missing plies
    explain them, spellings of results, tags, encodings, line ends, signs of quoted mail and HTML. Text around records
    becomes comments. Prints each change with its place in the original file, then each remaining error with its place
    in the fixed text, called 'FILE (repaired)', or FILE with --write; the exit status is then 1. With --json, only
    --out or --write keeps the fixed records.

    \b
    Example:
      ringfen fix --diff games.rgn
      ringfen fix --write games.rgn
    """
    _check_options(files, diff=diff, write=write, out=out, as_json=as_json)
    out = named_file(out, as_json)
    inputs = InputRecords(files, board_path, "rgn")
    if out is None:
        _fix_files(inputs, None, diff=diff, write=write, as_json=as_json)
        return inputs.status
    output = inputs.declared().output(out)
    with output.open_packing() as file:
        _fix_files(inputs, file, diff=diff, write=write, as_json=as_json)
        if inputs.status == USAGE and output.is_replaced and file.tell() == 0:
            raise click.exceptions.Exit(USAGE)  # An existing file stays unchanged.
    return inputs.status


def _check_options(files: Sequence[str], *, diff: bool, write: bool, out: str | None, as_json: bool) -> None:
    """Reject options that contradict each other."""
    if write and diff:
        raise click.UsageError("--write changes files; --diff does not. Give one of them.")
    if diff and as_json:
        raise click.UsageError("--diff is for people: omit --json.")
    if write and "-" in files:
        raise click.UsageError("--write needs files; standard input cannot be written.")
    if write and out not in (None, "-"):
        raise click.UsageError("--write changes the files themselves: omit --out.")


def _fix_files(inputs: InputRecords, out: IO[bytes] | None, *, diff: bool, write: bool, as_json: bool) -> None:
    """Fix each file. The fixed text or the difference goes to ``out``, or to standard output if that is None."""
    for name in inputs.files:
        with inputs.reported(name), spool() as original, spool() as repaired:
            if write:
                reject_packed(name)
            target = inputs.changed(name) if write else None
            with inputs.opened(name) as stream:
                copy_stream(stream, original)
            reject_json(name, original)
            if not _fix(inputs, name, original, repaired, write=write, as_json=as_json):
                continue
            if diff:
                print_diff(name, original, repaired, "repaired", out)
            elif target is not None:
                if is_changed(inputs, name, original, repaired):
                    replace(target, repaired)
            elif out is not None:
                copy_stream(repaired, out)
            elif not as_json:
                with printing():
                    sys.stdout.flush()
                    copy_stream(repaired, sys.stdout.buffer)


def _fix(inputs: InputRecords, name: str, original: Any, repaired: Any, *, write: bool, as_json: bool) -> bool:
    """Write the repaired file; return False, with a report, if its encoding is unknown or a record is too long."""
    from ringfen.notation.repairing import Repair

    if _is_utf_32(original):
        print_error(f"{printable(name)}: nothing was changed: UTF-32 is not supported; save it as UTF-8")
        inputs.status = worst(inputs.status, USAGE)
        return False
    shown = inputs.encoding if inputs.encoding and is_changed(inputs, name, original, original) else None
    encoding, line_ends = _encoding_of(original)
    count = 0
    name_shown = inputs.source(name, _Text(original, encoding)).name  # type: ignore[arg-type]
    for what, before, after in (
        ("bad-utf8", shown or _NAMES.get(encoding, encoding), "utf-8"),
        ("line-ends", line_ends, "LF"),
    ):
        if before not in ("", "utf-8", "LF"):
            _report(name_shown, None, Repair(1, 1, what, before, after), as_json)
            count += 1
    if encoding == "utf-8" and not (line_ends or shown):
        with spool() as warnings:
            if _is_correct(inputs, name, original, warnings):
                copy_stream(original, repaired)
                _print_errors(warnings)
                _report_sums(name_shown, 0, 0, as_json)
                return True
    with spool() as problems:
        earlier = _Earlier(original, encoding)
        target = _Target(inputs, name, name_shown, name_shown, as_json, earlier, repaired, problems)
        found = _unmailed_pass(target, original, encoding)
        # A repair of a tag can show where a record begins: the text is read again until nothing changes.
        for _ in range(_MAX_PASSES):
            if found is None or not found.repairs:
                break
            count += found.repairs
            if not write:
                target = target._replace(shown_repaired=f"{name_shown} (repaired)")
            with spool() as before_pass:
                copy_stream(repaired, before_pass)
                _empty(repaired)
                _empty(problems)
                found = _unmailed_pass(target, before_pass, encoding and "utf-8")
        _print_errors(problems)
    if found is None:
        return False
    count += found.repairs
    if found.left:
        inputs.wrong()
    _report_sums(name_shown, count, found.left, as_json)
    return True


def _empty(stream: Any) -> None:
    stream.seek(0)
    stream.truncate()


def _print_errors(texts: Any) -> None:
    """Print texts in UTF-8 to standard error, without their colours if it is no terminal."""
    texts.seek(0)
    while lines := texts.readlines(_CHUNK):
        click.echo(b"".join(lines).decode(), nl=False, err=True)


def _report_sums(name: str, repaired: int, left: int, as_json: bool) -> None:
    if as_json:
        print_json({"file": name, "repaired": repaired, "left": left})
    elif not is_quiet():
        click.echo(f"{printable(name)}: {repaired:,} repaired, {left:,} left", err=True)


def _is_correct(inputs: InputRecords, name: str, original: Any, warnings: Any) -> bool:
    """Return whether the C core finds nothing to repair in a file; then write the texts of its warnings."""
    from ringfen.notation.bulk_check import CleanRecords

    original.seek(0)
    source = inputs.source(name, original)
    if source.mark:
        return False
    for found in source.bulk_checked(each=False, locate=True):
        if not isinstance(found, CleanRecords) or any(one.code not in _OF_LEGAL_PLIES for one in found.warnings):
            return False
        warnings.writelines(f"{text}\n".encode() for text in warning_texts(source.name, source.records, found))
        source.records += found.passed
    return True


class _Found(NamedTuple):
    """The number of repairs of one reading, and the number of errors that are left."""

    repairs: int
    left: int


class _Piece(NamedTuple):
    """A part of a text: its place after and before a pass, in bytes, and the steps of the changes in it."""

    after: int
    before: int
    steps: Sequence[Sequence[Change]]


class _Earlier:
    """The changes of earlier passes, which lead from a place in a text that is already repaired to the original."""

    def __init__(self, original: Any, encoding: str) -> None:
        self._original = original
        self._encoding = encoding
        self._passes: list[list[_Piece]] = []
        self._now: list[_Piece] = []

    def add(self, steps: Sequence[Sequence[Change]], before: int, removed: int, after: int, added: int) -> None:
        """Add the changes of a part, step by step.

        :param before: The place of the part before the changes, and ``removed`` its length, in bytes.
        :param after: The place of the part after the changes, and ``added`` its length.
        """
        if steps:
            self._now += _Piece(after, before, steps), _Piece(after + added, before + removed, ())

    def next_pass(self, begin: int) -> None:
        """Begin the next pass. The parts of this one begin at this place, in bytes."""
        self._passes.append([_Piece(begin + after, begin + before, steps) for after, before, steps in self._now])
        self._now = []

    @property
    def is_first(self) -> bool:
        """Whether there is no earlier pass."""
        return not self._passes

    def placed(self, repairs: Sequence[Repair], begin: int) -> list[Repair]:
        """Return repairs of this pass with their lines and columns in the original.

        :param begin: The place where the records begin, in bytes.
        """
        places = [self._original_place(begin + one.at) for one in repairs]
        found: dict[int, tuple[int, int]] = {}
        text = _Text(self._original, self._encoding)
        at, line, column, rest = 0, 1, 1, b""
        for place in sorted(set(places)):
            while at < place:
                rest = rest or text.read(_CHUNK)
                if not rest:
                    break
                piece, rest = rest[: place - at], rest[place - at :]
                at += len(piece)
                line += piece.count(b"\n")
                _, end, last_line = piece.rpartition(b"\n")
                column = (1 if end else column) + len(last_line.removeprefix(_MARK).translate(None, _CONTINUATION))
            found[place] = line, column
        return [one._replace(line=found[at][0], column=found[at][1]) for one, at in zip(repairs, places, strict=True)]

    def _original_place(self, at: int) -> int:
        """Return the place in the original that corresponds to a place in the text that this pass reads."""
        from ringfen.notation.repairing import place_before

        for pieces in reversed(self._passes):
            index = bisect_right(pieces, at, key=lambda piece: piece.after) - 1
            if index >= 0:
                piece = pieces[index]
                at -= piece.after
                for step in reversed(piece.steps):
                    at = place_before(step, at)
                at += piece.before
        return at


class _Target(NamedTuple):
    """What all passes over a file share.

    Messages show the name as ``shown``, and the repaired text as ``shown_repaired``. ``repaired`` gets this text, and
    ``problems`` the texts of the diagnostics that are left.
    """

    inputs: InputRecords
    name: str
    shown: str
    shown_repaired: str
    as_json: bool
    earlier: _Earlier
    repaired: Any
    problems: Any


def _without_signs_of_mail(target: _Target, original: Any, encoding: str, out: Any) -> int:
    """Write the text of a file without what mail programs add to its records; return the number of changes."""
    from ringfen.notation.mail import STEPS, has_signs

    if not has_signs(_Text(original, encoding)):
        return 0
    count = 0
    text: Any = _Text(original, encoding)
    with spool() as first, spool() as second, spool() as third:
        for cleaned, edits_of in zip((first, second, third, out), STEPS, strict=True):
            count += _remove_signs(target, text, cleaned, edits_of)
            cleaned.seek(0)
            text = cleaned
    return count


def _is_clean(source: Source) -> bool:
    """Return whether validation reports nothing about the records of a source."""
    return not any(source.reader.check(raw).diagnostics for raw in source.raw_records())


def _remove_signs(target: _Target, text: Any, out: Any, edits_of: Callable[[bytes], Sequence[Edit]]) -> int:
    """Make one kind of changes in each record of a text; report them and return their number."""
    from ringfen.notation.mail import records_of
    from ringfen.notation.repairing import Change, Repair

    repairs: list[Repair] = []
    before = after = 0
    for part, is_record in records_of(text):
        pieces: list[bytes] = []
        changes: list[Change] = []
        end = shift = 0
        edits = edits_of(part) if is_record else ()
        if edits and _is_clean(target.inputs.source(target.name, io.BytesIO(part))):
            edits = ()
        for edit in edits:
            pieces += part[end : edit.at], edit.after
            end = edit.at + edit.length
            old, new = part[edit.at : end].decode("utf-8", "replace"), edit.after.decode()
            repairs.append(Repair(0, 0, edit.code, old, new, before + edit.at))
            changes.append(Change(edit.at, edit.at + shift, edit.length, len(edit.after)))
            shift += len(edit.after) - edit.length
        out.write(b"".join((*pieces, part[end:])))
        target.earlier.add([changes] if changes else [], before, len(part), after, len(part) + shift)
        before, after = before + len(part), after + len(part) + shift
    for one in target.earlier.placed(repairs, 0):
        _report(target.shown, None, one, target.as_json)
    target.earlier.next_pass(0)
    return len(repairs)


def _unmailed_pass(target: _Target, original: Any, encoding: str) -> _Found | None:
    """Read a text once without what mail programs add, and write it repaired; None if a record is too long."""
    with spool() as unmailed:
        count = _without_signs_of_mail(target, original, encoding, unmailed)
        if count:
            original, encoding = unmailed, encoding and "utf-8"
        found = _pass(target, original, encoding)
    return found and found._replace(repairs=found.repairs + count)


def _pass(target: _Target, original: Any, encoding: str) -> _Found | None:
    """Read a file once and write it repaired and, as texts, the diagnostics that are left.

    Return None, with a report, if a record is too long.
    """
    from ringfen.notation.repairing import joined, repair

    text = _Text(original, encoding)
    source = target.inputs.source(target.name, text)  # type: ignore[arg-type]
    count = left = 0
    with spool() as body:
        length = more_lines = written = 0
        later: list[tuple[int, Repair]] = []
        for number, (raw, joins) in enumerate(joined(source.raw_records()), 1):
            found = repair(source.reader, raw, number, joins)
            source.count(found.report)
            if target.earlier.is_first:
                for one in found.repairs:
                    _report(source.name, number, one, target.as_json)
            else:
                later += ((number, one._replace(at=one.at + length)) for one in found.repairs)
            target.earlier.add(found.changes, length, len(raw.data), written, len(found.data))
            written += len(found.data)
            count += len(found.repairs)
            for problem in found.report.diagnostics:
                moved = dataclasses.replace(problem, source=target.shown_repaired, line=problem.line + more_lines)
                target.problems.write(f"{diagnostic_text(moved)}\n".encode())
                left += problem.is_error
            more_lines += found.data.count(b"\n") - raw.data.count(b"\n")
            if raw.too_long:
                print_error(f"{source.name}: nothing was changed: record {number} {source.too_long}")
                target.inputs.wrong()
                return None
            length += len(raw.data)
            body.write(found.data)
        # The text before the first record belongs to none.
        left_over = text.length - length
        for (number, _), one in zip(later, target.earlier.placed([one for _, one in later], left_over), strict=True):
            _report(source.name, number, one, target.as_json)
        target.earlier.next_pass(left_over)
        text = _Text(original, encoding)  # only now, because `placed` reads the same stream
        while left_over > 0:
            piece = text.read(min(left_over, _CHUNK))[:left_over]
            target.repaired.write(piece)
            left_over -= len(piece)
        copy_stream(body, target.repaired)
    return _Found(count, left)


def _shown(text: str) -> str:
    """Return a text with code points in place of characters that cannot be seen."""
    from ringfen.notation.characters import is_invisible, is_strange_space

    if "\n" in text and not text.strip(" \t\n"):
        count = text.count("\n")
        return "a blank line" if count == 1 else f"{count} blank lines"
    text = text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"
    return "".join(f"<U+{ord(c):04X}>" if is_invisible(c) or is_strange_space(c) else c for c in text)


def _report(name: str, record: int | None, one: Repair, as_json: bool) -> None:
    if as_json:
        place = {"file": name, "record": record, "line": one.line, "column": one.column}
        print_json({**place, "code": one.code, "before": one.before, "after": one.after})
    else:
        before, after = map(_shown, (one.before, one.after))
        change = f"{before} becomes {after}" if before and after else f"{before or after} {_ADDED[bool(after)]}"
        if one.after == " " and not one.before.strip():
            change = "a line end is removed"
        if not before and not after:
            change = "a line end is added"
        click.echo(printable(f"{name}:{one.line}:{one.column}: {one.code}: {change}"), err=True)


def _is_utf_32(stream: Any) -> bool:
    """Return whether the file has the mark of UTF-32, which begins as that of UTF-16 does."""
    stream.seek(0)
    return bytes(stream.read(4)) in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)


def _encoding_of(stream: Any) -> tuple[str, str]:
    """Return the encoding of a file, ``""`` if it is unknown, and its line ends if they are not LF."""
    from ringfen.notation.encodings import utf_16_of

    stream.seek(0)
    begin = stream.read(400)
    stream.seek(0)
    encoding = utf_16_of(begin)
    if encoding and not _decodes(stream, encoding):
        return "", ""
    if not encoding and _decodes(stream, "utf-8"):
        encoding = "utf-8"
    elif not encoding and not _has_utf_8(stream) and _is_western(stream):
        encoding = "cp1252"
    if not encoding:
        return "", ""
    ends: Any = None
    text = io.TextIOWrapper(io.BufferedReader(_Unclosed(stream)), encoding=encoding, newline=None)
    while text.read(_CHUNK):
        ends = text.newlines
    text.detach()
    kinds = {ends} if isinstance(ends, str) else set(ends or ())
    return encoding, " and ".join(name for end, name in (("\r\n", "CRLF"), ("\r", "CR")) if end in kinds)


def _is_western(stream: Any) -> bool:
    """Return whether the text seems to be in Windows-1252."""
    from ringfen.notation.encodings import is_western

    if not _decodes(stream, "cp1252"):
        return False
    text = io.TextIOWrapper(io.BufferedReader(_Unclosed(stream)), encoding="cp1252")
    try:
        return all(is_western(piece) for piece in iter(lambda: text.readline(_CHUNK), ""))
    finally:
        text.detach()
        stream.seek(0)


def _decodes(stream: Any, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    stream.seek(0)
    try:
        while chunk := stream.read(_CHUNK):
            decoder.decode(chunk)
        decoder.decode(b"", True)
    except UnicodeDecodeError:
        return False
    finally:
        stream.seek(0)
    return True


def _has_utf_8(stream: Any) -> bool:
    """Return whether some characters beyond ASCII are UTF-8, so that other bytes are no sign of another encoding."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    stream.seek(0)
    while chunk := stream.read(_CHUNK):
        if any(character not in ("\ufffd", "\ufeff") for character in decoder.decode(chunk) if not character.isascii()):
            return True
    return False


class _Unclosed(io.RawIOBase):
    """A stream that can be wrapped without being closed."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer."""
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


class _Text:
    """A file as UTF-8 with LF ends, whatever it was; its bytes as they are if the encoding is not known."""

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        stream.seek(0)
        self._text = None
        self._stream = stream
        if encoding:
            self._text = io.TextIOWrapper(io.BufferedReader(_Unclosed(stream)), encoding=encoding, newline="")
        #: Carriage returns at the end of the last piece.
        self._returns = ""
        #: How many bytes were read.
        self.length = 0

    def read(self, size: int) -> bytes:
        """Return the next bytes."""
        data = self._stream.read(size) if self._text is None else self._read_text(self._text, size).encode()
        self.length += len(data)
        return data

    def _read_text(self, text: io.TextIOWrapper, size: int) -> str:
        """Return the next characters; a line feed and the carriage returns before it are one line end."""
        while piece := text.read(size):
            piece = self._returns + piece
            whole = piece.rstrip("\r")
            self._returns = piece[len(whole) :]
            if whole:
                return _LINE_END.sub("\n", whole)
        last, self._returns = self._returns, ""
        return "\n" * len(last)

    def seekable(self) -> bool:
        """False: how much there is to read is not known."""
        return False

    def fileno(self) -> int:
        """There is none."""
        raise OSError("no file")
