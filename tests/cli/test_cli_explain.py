"""``explain``: each code has an example about which it is reported, and none of the repaired one."""

from __future__ import annotations

import json

import pytest
from cli_runner import json_lines, ringfen

from ringfen.notation import CODES
from ringfen.notation.explaining import EXPLANATIONS

pytestmark = pytest.mark.unsanitized  # needs only texts

#: An example of these is no text to show: bytes, or a record of great length.
NOT_SHOWN = {"too-long", "bad-utf8", "unknown-board", "no-written-form", "not-shown", "bad-format"}


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


@pytest.mark.parametrize("key", ["bad-side", "holder-order", "blocked-ring"])
def test_keys_of_positions(key: str) -> None:
    result = ringfen("explain", key)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{key} is no code of validate but a key of positions" in result.stderr
    assert "Did you mean" not in result.stderr
