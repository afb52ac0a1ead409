"""Random positions of Siaius for the tests."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from reference import siaius as plain

from ringfen import ImpossiblePositionError, Position

FILES = "abcdefghij"
OPTIONS = [beats + huff for beats in ("", " beats=reverse") for huff in ("", " huff=stone", " huff=off")]


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


def _ranks(board: list[list[str]]) -> str:
    """Rows from rank 1 up, as a position names them: from the highest down, empty squares as numbers."""
    words = []
    for row in reversed(board):
        word, gap = "", 0
        for stone in [*row, "end"]:
            if stone == ".":
                gap += 1
                continue
            word += (str(gap) if gap else "") + (stone if stone != "end" else "")
            gap = 0
        words.append(word)
    return "/".join(words)


def _promote(board: list[list[str]]) -> None:
    """Stones on their farthest ranks are champions (S5)."""
    board[-1] = ["C" if stone in "SMT" else stone for stone in board[-1]]
    board[0] = ["c" if stone in "smt" else stone for stone in board[0]]


def placement(rnd: Random, options: str | None = None) -> Position:
    """Stones anywhere, and anything pending that the position allows."""
    while True:
        files, ranks = rnd.choice(((10, 10), (rnd.randint(3, 10), rnd.randint(3, 12))))
        stones = rnd.choice((2, 3, 5, 8, 15, 30, 40, 60, 120))
        champions, balance = rnd.choice((0.05, 0.2, 0.5, 0.9)), rnd.choice((0.1, 0.5, 0.5, 0.9))
        board = [["."] * files for _ in range(ranks)]
        for square in rnd.sample(range(files * ranks), min(stones, files * ranks)):
            stone = "C" if rnd.random() < champions else rnd.choice("SMT")
            board[square // files][square % files] = stone if rnd.random() < balance else stone.lower()
        _promote(board)
        side, missed, bonus, passes = rnd.choice("sn"), "-", "-", rnd.choice("0001")
        own = str.isupper if side == "s" else str.islower
        if rnd.random() < 0.3:
            far = ranks - 1 if side == "s" else 0
            found = [file for file in range(files) if board[far][file].upper() == "C" and own(board[far][file])]
            if found:
                bonus = f"{FILES[rnd.choice(found)]}{far + 1}"
        chosen = rnd.choice(OPTIONS) if options is None else options
        if "off" not in chosen and rnd.random() < 0.5:
            share = rnd.choice((0.1, 0.5, 1))
            missed = ",".join(
                f"{FILES[file]}{rank + 1}"
                for rank in range(ranks)
                for file in range(files)
                if board[rank][file] != "." and own(board[rank][file]) == (bonus != "-") and rnd.random() < share
            )
        try:
            return Position(f"siaius {_ranks(board)} {side} {missed or '-'} {bonus} {passes}{chosen}")
        except ImpossiblePositionError:
            continue


def opening(rnd: Random, options: str | None = None) -> Position:
    """The beginning of a game on a board of any size, both sides in any arrangement (S2)."""
    files, ranks = rnd.choice(((10, 10), (rnd.randint(3, 10), rnd.randint(3, 12))))
    rows = min(3, (ranks - 1) // 2)
    board = [["."] * files for _ in range(ranks)]
    for rank in range(rows):
        board[rank] = [rnd.choice("SMT") for _ in range(files)]
        board[ranks - 1 - rank] = [rnd.choice("smt") for _ in range(files)]
    return Position(f"siaius {_ranks(board)} s - - 0{rnd.choice(OPTIONS) if options is None else options}")


def game(rnd: Random, options: str | None = None, most: int = 400) -> Iterator[Position]:
    """The positions of a random game from its beginning, in which a capture is often preferred, to the end."""
    position = opening(rnd, options)
    eager = rnd.choice((0.0, 0.3, 0.9))
    for _ in range(most):
        yield position
        plies = position.plies()
        if not plies:
            return
        captures = [ply for ply in plies if "x" in ply or "*" in ply]
        position = position.apply(rnd.choice(captures if captures and rnd.random() < eager else plies))
