"""``--quiet`` and ``--out``, which every command has, and ``-`` as an output."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from cli_runner import ringfen

from ringfen import Position
from ringfen.cli.commands import main

pytestmark = pytest.mark.unsanitized  # options are read in Python

WIN = "gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1"


def loaded_commands(group: click.Group) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield every command with its words, groups too."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (name,), command
        if isinstance(command, click.Group):
            for words, below in loaded_commands(command):
                yield (name, *words), below


def test_every_command_has_quiet_and_all_that_print_data_have_out() -> None:
    options = {words: {name for param in c.params for name in param.opts} for words, c in loaded_commands(main)}
    assert [words for words, names in options.items() if not {"-q", "--quiet"} <= names] == []
    without = [words for words, names in options.items() if not {"-o", "--out"} <= names]
    assert without == [("board",), ("tablebase",), ("ugi",)]


@pytest.mark.parametrize(
    "args",
    [
        ("games",),
        ("rules", "siaius"),
        ("new", "rings"),
        ("moves", "siaius", "--json"),
        ("play", "gyges", "321123"),
        ("random", "rings", "--games", "2"),
        ("perft", "gyges", "--depth", "1", "--json"),
        ("solve", WIN, "--json"),
        ("explain", "bad-number"),
        ("ugi", "decode", "start"),
        ("validate", "-"),
        ("convert", "-", "--to", "csv"),
        ("stats", "-"),
        ("fmt", "-"),
        ("fix", "-"),
        ("positions", "-"),
        ("filter", "-"),
        ("annotate", "-", "--nodes", "10"),
    ],
    ids=lambda args: args[0],
)
def test_out_takes_what_standard_output_gets(args: tuple[str, ...], tmp_path: Path) -> None:
    """``--out -`` is standard output, and ``--out FILE`` writes the same to FILE."""
    record = '[Game "gyges"]\n\n1. 321123 321123 *\n'

    def without_times(text: str) -> str:
        return re.sub(r'"seconds": [0-9.e-]+|"threads": 1.*', "", text)

    plain, shown = ringfen(*args, stdin=record), ringfen(*args, "--out", "-", stdin=record)
    assert (shown.exit_code, without_times(shown.stdout)) == (plain.exit_code, without_times(plain.stdout))
    out = tmp_path / "out"
    written = ringfen(*args, "-q", "-o", str(out), stdin=record)
    assert written.exit_code == plain.exit_code
    if args[0] not in ("perft", "solve"):  # which write a file that --resume continues, and print a summary
        assert (written.stdout, out.read_text()) == ("", plain.stdout)
    assert not Path("-").exists()


def test_out_overwrites_no_input_and_keeps_a_file_if_nothing_can_be_read(tmp_path: Path) -> None:
    records = tmp_path / "a.rgn"
    records.write_text('[Game "gyges"]\n\n1. 321123 321123 *\n')
    before = records.read_bytes()
    for name in (str(records), str(tmp_path)):
        refused = ringfen("convert", name, "--to", "jsonl", "--out", str(records))
        assert (refused.exit_code, records.read_bytes()) == (2, before)
        assert "this output is an input too" in refused.stderr
    for args in (("convert", "--to", "csv"), ("stats",), ("validate",), ("positions",)):
        assert ringfen(*args, str(tmp_path / "missing"), "--out", str(records)).exit_code == 2
        assert records.read_bytes() == before
    assert ringfen("fmt", "--write", str(records), "--out", str(tmp_path / "b")).exit_code == 2
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize(
    "args",
    [
        ("filter", "-", "--json", "--out", "-"),
        ("filter", "-", "--count", "--out", "-"),
        ("filter", "-", "--out", "-", "--rejects", "-"),
        ("filter", "-", "--out-dir", "-", "--by", "game"),
        ("annotate", "-", "--json", "--out", "-"),
        ("solve", "siaius", "--out", "-", "--resume"),
        ("perft", "siaius", "--depth", "2", "--out", "-", "--resume"),
        ("prove", WIN, "--out", "-"),
        ("prove", WIN, "--out-dir", "-"),
    ],
)
def test_a_hyphen_that_cannot_be_standard_output_is_a_usage_error(args: tuple[str, ...]) -> None:
    refused = ringfen(*args, stdin='[Game "gyges"]\n\n1. 321123 321123 *\n')
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert not Path("-").exists()


def test_notation_loads_when_it_is_used() -> None:
    code = "import sys, ringfen; assert 'ringfen.notation' not in sys.modules; print(ringfen.notation.Record.__name__)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "Record\n"


#: What every command loads, and what it loads to read a position and to read records.
COMMON = {
    "cli",
    "cli.commands",
    "cli.exit_status",
    "cli.output",
    "cli.position_input",
    "cli.quantities",
    "cli.shared_options",
}
COMMON |= {"cli.usage_hints", "_core.lib", "_core", "control", "errors", "text", "version"}
OF_POSITIONS = COMMON | {
    "arguments",
    "cli.position",
    "inputs",
    "position",
    "rules",
    "rules.base",
    "rules.rings",
}
OF_COUNTS = OF_POSITIONS - {"cli.position"} | {"cli.perft", "cli.progress", "counting", "memory", "threads"}
OF_RECORDS = OF_POSITIONS - {"cli.position"} | {
    "cli.file_kinds",
    "cli.progress",
    "cli.record_files",
    "cli.validate",
    "memory",
}
OF_RECORDS |= {"notation", "notation.bulk_check", "notation.record_reader", "notation.splitting"}


@pytest.mark.parametrize(
    ("args", "allowed"),
    [
        (("moves", "--json", "rings"), OF_POSITIONS),
        (("moves", "rings"), OF_POSITIONS | {"tabulate"}),
        (("play", "rings", "d2-d3"), OF_POSITIONS),
        (("perft", "rings", "--depth", "1"), OF_COUNTS),
        (("validate", "-"), OF_RECORDS),
    ],
    ids=["moves --json", "moves", "play", "perft", "validate"],
)
def test_frequent_commands_load_few_modules(args: tuple[str, ...], allowed: set[str]) -> None:
    """A command that scripts run often loads only these modules of the package, and no slow ones of others."""
    code = """if True:
        import atexit, sys
        begin = set(sys.modules)
        slow = {"dask", "decimal", "fractions", "importlib.metadata", "socket", "tabulate", "tempfile", "zipfile"}
        atexit.register(lambda: print(*sorted({n.removeprefix("ringfen.") for n in set(sys.modules) - begin
            if n.startswith("ringfen.") or n in slow}), file=sys.stderr))
        from ringfen.cli import main
        main()"""
    record = ringfen("random", "rings", "--max-plies", "20").stdout
    done = subprocess.run([sys.executable, "-c", code, *args], input=record, capture_output=True, text=True, check=True)
    assert set(done.stderr.split()) <= allowed


def test_moves_of_several_positions_are_separated(tmp_path: Path) -> None:
    file = tmp_path / "positions"
    file.write_text("siaius 3/1s1/1T1/3 s - - 0\nbad\nsiaius 3/3/S1s/3 n - - 0\n")
    plain = ringfen("moves", "--plain", "--file", str(file))
    assert plain.exit_code == 2
    assert [part.splitlines() for part in plain.stdout.split("\n\n")] == [
        list(Position(text).plies()) for text in ("siaius 3/1s1/1T1/3 s - - 0", "siaius 3/3/S1s/3 n - - 0")
    ]
