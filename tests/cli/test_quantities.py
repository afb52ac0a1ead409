"""Counts, times and probabilities as options take them."""

from __future__ import annotations

from fractions import Fraction

import click
import pytest
from cli_runner import json_lines, ringfen

from ringfen.cli.commands import main
from ringfen.cli.quantities import Seconds, Share, WholeNumber, count, seconds, share

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
def test_what_is_no_count(text: str) -> None:
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
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a time such as|is not above 0"):
        seconds(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [("1/100", Fraction(1, 100)), ("0.01", Fraction(1, 100)), ("1e-2", Fraction(1, 100)), ("0", Fraction(0)), ("1", 1)],
)
def test_shares(text: str, value: Fraction) -> None:
    assert share(text) == value


@pytest.mark.parametrize("text", ["", "2", "-1", "1/0", "3/2", "1e999999999", "1e-999999999", "9" * 9999, "nan", "a"])
def test_what_is_no_share(text: str) -> None:
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


def test_every_number_that_a_command_takes_is_read_the_same_way() -> None:
    """The one option that is not a count is ``--seed``: any integer."""
    for command in all_commands(main):
        for param in command.params:
            if isinstance(param.type, click.types.IntParamType | click.types.FloatParamType):
                assert param.name == "seed", f"{command.name} reads --{param.name} in its own way"
            elif param.name in ("nodes", "threads", "jobs", "depth", "games", "hash", "memory", "plies", "max_nodes"):
                assert isinstance(param.type, WholeNumber)
            elif param.name in ("seconds", "timeout"):
                assert isinstance(param.type, Seconds)
            elif param.name == "until":
                assert isinstance(param.type, Share)


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
def test_what_is_no_limit_is_wrong_use(args: tuple[str, str]) -> None:
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
