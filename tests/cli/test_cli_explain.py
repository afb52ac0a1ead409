"""``explain``: each code has an example about which it is reported, and none of the repaired one."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cli_runner import json_lines, ringfen

from ringfen.notation import CODES
from ringfen.notation.explaining import EXPLANATIONS

ROOT = Path(__file__).parents[2]
#: A key of an error, or of a repair, in the source.
KEY = re.compile(r"(?:\breason=|\b_(?:fail|data)\(\s*|\bEdit\([^\"\n]*)\"([a-z0-9-]+)\"|\"([a-z]+-table)\"")

pytestmark = pytest.mark.unsanitized  # needs only texts

#: An example of these is no text to show: bytes, or a record of great length.
NOT_SHOWN = {"too-long", "bad-utf8", "unknown-board", "no-written-form", "not-shown", "bad-format", "omitted"}


def test_every_code_is_explained() -> None:
    assert list(EXPLANATIONS) == list(CODES)
    assert {code for code, one in EXPLANATIONS.items() if not one.wrong} == NOT_SHOWN


@pytest.mark.parametrize("code", CODES)
def test_examples(code: str) -> None:
    fields = json.loads(ringfen("explain", code, "--json").stdout)
    text = ringfen("explain", code).stdout
    assert text.startswith(f"{code} ({fields['severity']}): {fields['meaning']}.\n")
    assert text.endswith(f"\n{fields['repair']}\n")
    if code not in NOT_SHOWN:
        assert code in reported(fields["example"])
        assert code not in reported(fields["repaired"])
        if fields["severity"] == "error":
            assert all(CODES[one][0] == "warning" for one in reported(fields["repaired"]))


def reported(text: str) -> set[str]:
    records = json_lines(ringfen("validate", "--json", "-", stdin=text))
    return {one["code"] for record in records for one in record["diagnostics"]}


def test_unknown_codes() -> None:
    assert "Did you mean wrong-number?" in ringfen("explain", "wrong-nmber").stderr
    assert ringfen("explain", "xyz").exit_code == 2


@pytest.mark.parametrize(
    ("key", "meaning"),
    [
        ("bad-side", "the side to move is s or n, not …"),
        ("no-such-ring", "no ring on … (… moves rank …)"),
        ("quoted-mail", "a repair by 'fix': the sign of a quotation at the beginning of a line"),
    ],
)
def test_keys_of_other_errors(key: str, meaning: str) -> None:
    assert ringfen("explain", key).stdout == f"{key} (error): {meaning}.\n"
    assert json.loads(ringfen("explain", key, "--json").stdout)["meaning"] == meaning


def _keys(text: str) -> set[str]:
    return {key or table for key, table in KEY.findall(text)}


def test_the_list_contains_every_key_of_the_source() -> None:
    records, others = re.findall(r"^(.+):\n\n((?:.+\n)+)", ringfen("explain").stdout, re.MULTILINE)
    assert (records[0], others[0]) == ("Errors and warnings in records", "Other errors, and repairs by 'fix'")
    assert [line.partition(": ")[0] for line in records[1].splitlines()] == list(CODES)
    listed = [line.partition(": ")[0] for line in (records[1] + others[1]).splitlines()]
    assert listed == [one["code"] for one in json_lines(ringfen("explain", "--json"))]
    assert len(listed) == len(set(listed))
    files = [path for folder in ("cli", "core_c", "notation") for path in (ROOT / folder).rglob("*.py")]
    found = {key for path in files for key in _keys(path.read_text(encoding="utf-8"))}
    assert len(found) > 40
    assert found <= set(listed)
