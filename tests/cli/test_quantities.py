"""Counts, times and probabilities as options take them."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import click
import pytest
from cli_runner import json_lines, ringfen

from ringfen.cli.commands import main
from ringfen.cli.problems import _Length as Length
from ringfen.cli.quantities import Quantity, WholeNumber, count, seconds, share
from ringfen.cli.tablebase.common import _Size as Size

pytestmark = pytest.mark.unsanitized  # options are read in Python


@pytest.mark.parametrize(
    ("text", "number"),
    [("90", 90), ("0", 0), ("1e6", 10**6), ("500k", 500_000), ("10M", 10**7), ("2G", 2 * 10**9), ("25e0", 25)],
)
def test_counts(text: str, number: int) -> None:
    assert count(text) == number


@pytest.mark.parametrize(
    "text",
    [
        *("", " 1", "1 ", "1_000", "1,000", "-1", "+1", "1.5", "1.5k", "1e", "e6", "1e-3", "1K", "1m", "1e6k", "k"),
        *("0x10", "\u0661", "1e999999999", "9" * 5000, "nan", "inf"),
    ],
)
def test_invalid_counts(text: str) -> None:
    with pytest.raises(ValueError, match="is not a whole number such as"):
        count(text)


@pytest.mark.parametrize(
    ("text", "time"),
    [("90", 90), ("0.5", 0.5), (".5", 0.5), ("90s", 90), ("10m", 600), ("2h", 7200), ("1.5h", 5400)],
)
def test_times(text: str, time: float) -> None:
    assert seconds(text) == time


@pytest.mark.parametrize(
    "text",
    ["", "0", "0s", "0.0", "-1", "1d", "1 s", "1e3", "1M", "nan", "inf", "1m30s", "9" * 400, "5."],
)
def test_invalid_times(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a time such as|is not above 0"):
        seconds(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [("1/100", Fraction(1, 100)), ("0.01", Fraction(1, 100)), ("1e-2", Fraction(1, 100)), ("0", Fraction(0)), ("1", 1)],
)
def test_shares(text: str, value: Fraction) -> None:
    assert share(text) == value


@pytest.mark.parametrize("text", ["", "2", "-1", "1/0", "3/2", "1e999999999", "1e-999999999", "9" * 9999, "nan", "a"])
def test_invalid_probabilities(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a number such as|is not between 0 and 1"):
        share(text)


def all_commands(group: click.Group) -> list[click.Command]:
    found: list[click.Command] = []
    with click.Context(group) as ctx:
        for name in group.list_commands(ctx):
            command = group.get_command(ctx, name)
            assert command is not None
            found += all_commands(command) if isinstance(command, click.Group) else [command]
    return found


def all_options() -> list[tuple[click.Context, click.Option]]:
    contexts = [click.Context(command) for command in all_commands(main)]
    return [
        (ctx, param) for ctx in contexts for param in ctx.command.get_params(ctx) if isinstance(param, click.Option)
    ]


#: The types of numeric values.
NUMERIC = (WholeNumber, Quantity, Length, Size)
#: How help pages write numeric values, and the options that check such a value in another place.
METAVARS = {"N", "T", "S", "J", "MB", "K", "P", "G", "A..B", "FxR", "S+N"}
ELSEWHERE = {"--plies", "--date", "--players", "--seals", "--goals", "--size"}


def test_every_number_that_a_command_takes_is_read_the_same_way() -> None:
    numeric = set()
    for ctx, param in all_options():
        place = f"{ctx.command.name} {param.opts[0]}"
        assert not isinstance(param.type, click.types.IntParamType | click.types.FloatParamType), place
        if isinstance(param.type, NUMERIC):
            numeric.add(param.opts[0])
        elif param.metavar in METAVARS:
            assert param.opts[0] in ELSEWHERE, place
    assert {
        "--depth",
        "--nodes",
        "--seconds",
        "--hash",
        "--threads",
        "--jobs",
        "--gap",
        "--length",
        "--size",
    } <= numeric


@pytest.mark.parametrize(
    "value",
    [
        *("", " ", "-", "--", "-1", "+1", " 1", "1 ", "1_0", "1,5", "1\n2", "0x10", "1k5", "1.", "nan", "inf", "-inf"),
        *("\u0663", "\uff11", "\u00bd", "\u221e", "1/0", "1e999999999", "9" * 5000, "\x1b[1m1", "\udcff", "..", "2..1"),
    ],
)
def test_every_numeric_option_rejects_other_values_and_names_itself(value: str) -> None:
    for ctx, param in all_options():
        if isinstance(param.type, NUMERIC):
            with pytest.raises(click.BadParameter) as caught:
                param.process_value(ctx, (value,) if param.multiple else value)
            assert f"Invalid value for '{param.opts[0]}'" in caught.value.format_message().replace(" / ", "' / '")
            assert len(caught.value.format_message()) < 300


@pytest.mark.parametrize("value", ["", "-1", "0", "\u0663", " 3", "3.0", "nan", "1e9", "9" * 5000, "\x1b[1m1"])
@pytest.mark.parametrize(
    "args",
    [
        *("new gran --players", "new gran --seals", "new rings --size", "new gyges --goals"),
        *("filter - --date", "filter - --plies", "stats - --by"),
    ],
)
def test_numbers_that_are_checked_elsewhere(args: str, value: str) -> None:
    if args.endswith("--plies") and value == "0":
        return
    result = ringfen(*args.split(), f"opening:{value}" if args.endswith("--by") else value, stdin="")
    assert (result.exit_code, result.stdout) == (2, "")
    assert args.split()[-1] in result.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    "args",
    [
        ("--nodes", "0"),
        ("--nodes", "-1"),
        ("--nodes", "nan"),
        ("--seconds", "0"),
        ("--seconds", "nan"),
        ("--depth", "0"),
        ("--depth", "201"),
        ("--depth", "1e999999999"),
        ("--until", "1e999999999"),
        ("--threads", "0"),
        ("--jobs", "0"),
    ],
)
def test_invalid_limits_are_usage_errors(args: tuple[str, str]) -> None:
    result = ringfen("solve", "gyges", *args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"error: Invalid value for '{args[0]}'" in result.stderr


def test_limits_as_people_write_them() -> None:
    (answer,) = json_lines(ringfen("solve", "gyges", "--nodes", "2k", "--seconds", "10m", "--json"))
    assert answer["nodes"] == 2000


def test_two_ids_are_two_positions() -> None:
    result = ringfen("solve", "gyges", "rings", "--nodes", "10", "--json")
    assert result.exit_code == 3
    assert [answer["game"] for answer in json_lines(result)] == ["gyges", "rings"]


def test_an_unquoted_position_is_still_seen() -> None:
    result = ringfen("solve", "gyges", "......")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "quote it, as in 'gyges ......'" in result.stderr


@pytest.mark.parametrize(
    "args",
    [
        ("new", "gyges", "--setup", ""),
        ("new", "siaius", "--setup", ""),
        ("new", "siaius", "--size", ""),
        ("new", "rings", "--size", ""),
        ("new", "gran", "--board", ""),
        ("board", "check", ""),
        ("board", "show", ""),
        ("solve", "gran", "--board", ""),
        ("solve", "--file", ""),
        ("validate", ""),
        ("convert", "", "--to", "csv"),
        ("verify", ""),
        ("view", ""),
        ("suite", ""),
        ("stats", "-", "--by", ""),
        ("stats", "-", "--aliases", ""),
        ("fmt", "-", "--set", ""),
        ("answers", "-", "--select", ""),
        ("compare", "rings", "--depth", "1", ""),
        ("problems", "--random", "gyges", "--material", ""),
        ("problems", "--random", "gyges", "--length", ""),
        ("tablebase", "build", "siaius", "--stones", "2", "--directory", ""),
        ("tablebase", "build", "siaius", "--stones", "2", "--directory", "-"),
        ("tablebase", "list", "--directory", ""),
        ("tablebase", "build", "siaius", "--material", ""),
    ],
)
def test_an_empty_value_is_a_usage_error(
    args: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = ringfen(*args, stdin="")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "error: : " not in result.stderr
    assert not list(tmp_path.iterdir())


def test_a_number_without_an_upper_bound_names_only_the_lower() -> None:
    with pytest.raises(click.BadParameter, match=r"^0 is less than 1\.$"):
        WholeNumber(1).convert("0", None, None)
    with pytest.raises(click.BadParameter, match=r"^9 is not between 1 and 8\.$"):
        WholeNumber(1, 8).convert("9", None, None)
