"""Random positions of Siaius for the tests."""

from __future__ import annotations

from random import Random

from reference import siaius as plain


def random_position(rnd: Random, files: int, ranks: int, stones: int, options: str) -> str:
    """One with few stones, sometimes in the middle of a turn or with something to huff."""
    while True:
        places = rnd.sample(range(files * ranks), stones)
        rows = [["."] * files for _ in range(ranks)]
        for place in places:
            rows[place // files][place % files] = rnd.choice("SMTCsmtc")
        ranks_text = plain._ranks_text(tuple(map("".join, rows)))
        side = rnd.choice("sn")
        missed = bonus = "-"
        if rnd.random() < 0.5:
            squares = [f"{'abcdefghij'[place % files]}{place // files + 1}" for place in sorted(places)]
            missed = ",".join(square for square in squares if rnd.random() < 0.5) or "-"
        if rnd.random() < 0.3:
            bonus = f"{rnd.choice('abcdefghij'[:files])}{ranks if side == 's' else 1}"
        fen = f"siaius {ranks_text} {side} {missed} {bonus} 0{options}"
        try:
            if plain.outcome(plain.parse(fen)) is None:
                return fen
        except ValueError:
            continue
