"""Positions of the King of Rings at random, for tests."""

from __future__ import annotations

from random import Random


def random_text(random: Random, *, rings: int, knights: int, bare: int | None = None) -> str:
    """The text of a position, often an impossible one, with up to ``rings`` free rings and ``knights`` knights a side.

    ``bare`` is the number of knights without rings; None leaves it to chance.
    """
    files = random.choice((5, 7))
    cells = ["."] * (7 * files)
    free = list(range(7 * files))
    random.shuffle(free)
    left = {"1": 28, "3": 6, "5": 1} if files == 7 else {"1": 20, "3": 4, "5": 1}

    def ring() -> str:
        kind = random.choice([kind for kind, count in left.items() for _ in range(count)])
        left[kind] -= 1
        return kind

    for _ in range(random.randint(0, rings)):
        cells[free.pop()] = ring()
    count = random.choice((0, 0, 1, 1, 2, 3)) if bare is None else bare
    for _ in range(count):
        cells[free.pop()] = random.choice("Kk")
    for letter in "Kk":
        for _ in range(random.randint(0, max(0, min(knights, files - count)))):
            if sum(left.values()) < 5:
                break
            held = sorted((ring() for _ in range(random.choice((1, 1, 2, 2, 3, 4)))), reverse=True)
            cells[free.pop()] = f"{letter}({''.join(held)})"
    ranks = "/".join("".join(cells[rank * files : (rank + 1) * files]) for rank in range(6, -1, -1))
    hands = f"{random.choice((0, 0, 0, 1))}+{random.choice((0, 0, 0, 1))}"
    return f"rings {ranks} {random.choice('sn')} {hands} {random.choice((0, 0, 0, 0, 1, 2))}"
