"""Fuzzes the reader of records and the tools on top of it, in Python: ``python tests/fuzz/records.py --seconds 20``.

Records of the tests are damaged at random. The result must be read without an exception other than the package's
own errors, and what is read whole must be the same when it is written and read again, as text and as JSON."""

from __future__ import annotations

import argparse
import io
import sys
import time
from pathlib import Path
from random import Random

from ringfen import RingfenError
from ringfen.notation import check_records, json_line, read_records, write_record

ROOT = Path(__file__).resolve().parents[2]
PIECES = [b"(", b")", b"{", b"}", b";", b"$1", b"$", b"1.", b"99999999999.", b"1-0", b"*", b'[Game "rings"]\n', b"\n\n",
          b'[FEN "', b"\x00", b"\xff", b"\x1b[2J", b"\xef\xbb\xbf", b'{"tags":{},"start":null,"movetext":["(","',
          b"\\ud800", b"1e400", b"\r", b"%", b"null", b"[", b'"']  # fmt: skip


def material() -> list[bytes]:
    """Records to begin with."""
    paths = [*ROOT.glob("examples/*.rgn"), *ROOT.glob("tests/golden/*.rgn")]
    paths += [*ROOT.glob("tests/fuzz/corpus/records/*"), ROOT / "tests/data/malformed_records.jsonl"]
    texts = [path.read_bytes()[:3000] for path in sorted(paths)]
    for text in list(texts):
        try:
            texts += [json_line(record).encode() for record in read_records(io.BytesIO(text))][:5]
        except RingfenError:
            continue
    return texts


def damaged(random: Random, text: bytes, other: bytes) -> bytes:
    """A text with a few changes."""
    for _ in range(random.randint(1, 6)):
        at, end = sorted((random.randint(0, len(text)), random.randint(0, len(text))))
        end = min(end, at + random.choice((0, 1, 5, 200)))
        put = random.choice((b"", random.choice(PIECES), random.randbytes(random.randint(0, 3)), text[at:end] * 2))
        if random.random() < 0.1:
            cut = random.randint(0, len(other))
            put = other[cut : cut + 300]
        text = text[:at] + put + text[end:]
    return text


def check(text: bytes) -> None:
    """All the properties of one input."""
    reports = list(check_records(io.BytesIO(text)))
    records = list(read_records(io.BytesIO(text)))
    if len(reports) != len(records):
        raise AssertionError("as many records are checked as are read")
    for record in records:
        try:
            line, text_form = json_line(record), write_record(record)
        except RingfenError:
            continue
        for form in (line, text_form):
            (again,) = read_records(io.BytesIO(form.encode()))
            if json_line(again) != line:
                raise AssertionError("written text is read as the same record")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    random = Random(options.seed)
    texts = material()
    end, inputs = time.monotonic() + options.seconds, 0
    while time.monotonic() < end:
        text = damaged(random, random.choice(texts), random.choice(texts))
        try:
            check(text)
        except RingfenError:
            pass
        except Exception:
            Path("records-crash").write_bytes(text)
            print(f"records: FOUND after {inputs} inputs, kept in records-crash")
            raise
        inputs += 1
    print(f"records: {inputs} inputs, nothing found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
