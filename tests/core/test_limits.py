"""Limits are a contract: every solver keeps them, and invalid limits are rejected where they are given."""

from __future__ import annotations

import math
import random
import re
import time
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import ringfen
from ringfen import Limits, Position, Solution, SolveOptions, solve
from ringfen.control import MAX_PLIES, stop_when

_CAP = re.compile(rf"(?:MAX|MOST)_PLIES[^=\n]*= *{MAX_PLIES}\b")
NO_TABLES = Path("/nonexistent/ringfen-tables")
#: Each is solved within a second.
POSITIONS = [
    "gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1",
    "gyges ....../....../..1.../21..31/.323../322.1. s - 1+1",
    "rings .k(1)..1/k...K/.K(11).1./...../..K../k..../..... s 0+0 0",
    "rings ...k(111).../......./..1..../...K(5311)k(3311111)K(3311)k(311)/...K(11111)..K(1)/......k(1)/"
    "..K(111111).K.. n 0+3 0",
    "siaius c3/4/4/3C s - - 0 huff=off",
    "siaius 4/t3/3C/S3 s - - 0",
    "siaius 3/s2/2M s - - 0",
    "gran c3:2:E/a9:1:-/g9:0:T/g8:2:G @4 - 2.0.4.6.6.4.2 4 fight seals=2",
    "gran e3:2:E/a9:1:-/g9:0:T @1 - 2.0.4.6.6.4.2 1 move seals=2",
]
#: Seconds of CPU time, which a busy machine does not lengthen; docs/concepts.md promises 0.2 s beyond --seconds.
OVERSHOOT = 5.0


@pytest.mark.parametrize("threads", [1, 2])
def test_a_count_that_stops_says_at_which_limit_and_after_how_many_nodes(threads: int) -> None:
    with pytest.raises(ringfen.LimitReached, match=r"^the limit of nodes was reached$") as nodes:
        ringfen.perft("rings", 6, threads=threads, limits=Limits(nodes=5000))
    assert 5000 <= nodes.value.nodes <= 5000 * threads * 2
    with pytest.raises(ringfen.LimitReached, match=r"^the limit of time was reached$") as seconds:
        ringfen.perft("gyges", 12, threads=threads, limits=Limits(seconds=0.05))
    assert seconds.value.nodes > 0
    with stop_when(lambda: True), pytest.raises(ringfen.LimitReached, match=r"^the calculation was cancelled$"):
        ringfen.perft("gyges 321123/....../....../....../....../321123 s - 1+1", 12, threads=threads)


def options(**given: Any) -> SolveOptions:
    return SolveOptions(**{"hash_mb": 16, "tables": NO_TABLES, **given})


def options_for(fen: str, horizon: int = 5, **given: Any) -> SolveOptions:
    """Options with a horizon within which a game of chance is solved quickly."""
    return options(depth=horizon if fen.startswith("gran") else None, **given)


def models(fen: str) -> list[str]:
    return ["maxn", "paranoid"] if fen.startswith("gran") else ["maxn"]


@cache
def whole(fen: str, model: str) -> Solution:
    return Position(fen).solve(options_for(fen, model=model))


def check(part: Solution, full: Solution) -> None:
    """Holds of every answer: the status is a documented one, and what it says is true."""
    assert full.status in ("exact", "horizon", "bound")
    assert (
        part.status
        in {
            "gyges": ("exact", "bound", "unknown"),
            "siaius": ("exact", "bound", "unknown"),
            "rings": ("exact", "bound"),
            "gran": ("horizon", "exact", "bound", "unknown"),
        }[part.game]
    )
    if part.status in ("exact", "horizon") and full.status == part.status:
        assert (part.value, part.distance) == (full.value, full.distance)
        # The proof has at least one best ply, and each listed ply is one.
        assert part.best or not full.best
        assert not full.best_complete or set(part.best) <= set(full.best)
        assert not part.best_complete or part.best == full.best
        assert not part.best or part.pv[0] in part.best
    if part.status == "bound":
        value: Any = full.value
        if isinstance(value, str):
            assert part.value == value
            assert part.lower <= full.distance <= part.upper  # type: ignore[operator]
        elif isinstance(value, int):
            lower: Any = -math.inf if part.lower is None else part.lower
            upper: Any = math.inf if part.upper is None else part.upper
            assert lower <= value <= upper
            assert lower < upper
        else:
            assert isinstance(part.lower, Fraction)
            assert isinstance(part.upper, Fraction)
            assert part.horizon is not None
            assert full.horizon is not None
            assert part.horizon <= full.horizon
            assert part.lower <= full.lower  # type: ignore[operator]
            assert full.upper <= part.upper  # type: ignore[operator]
    if part.status == "unknown" and part.decided is not None and full.distance is not None:
        assert part.decided < full.distance


@pytest.mark.parametrize("fen", POSITIONS)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("nodes", [1, 2, 3, 10, 1000])
def test_never_more_nodes_than_asked(fen: str, nodes: int, threads: int) -> None:
    for model in models(fen):
        part = Position(fen).solve(options_for(fen, model=model, threads=threads, limits=Limits(nodes=nodes)))
        assert part.nodes <= nodes
        check(part, whole(fen, model))


@pytest.mark.parametrize("fen", [*POSITIONS, "gyges 321123/....../....../....../....../321123 s - 1+1"])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_time_limit_holds(fen: str, threads: int) -> None:
    for model in models(fen):
        started = time.process_time()
        part = Position(fen).solve(options_for(fen, model=model, threads=threads, limits=Limits(seconds=0.01)))
        assert time.process_time() - started < OVERSHOOT
        if "321123" not in fen:
            check(part, whole(fen, model))


def test_every_number_of_nodes_gives_a_true_answer() -> None:
    """Through the moment at which the value is proven, and those at which best plies become known."""
    statuses = set()
    for fen in POSITIONS:
        for model in models(fen):
            full = whole(fen, model)
            step = max(1, full.nodes // 40)
            for nodes in range(1, min(full.nodes, 200_000) + step, step):
                part = Position(fen).solve(options_for(fen, model=model, limits=Limits(nodes=nodes)))
                assert part.nodes <= nodes
                check(part, full)
                statuses.add((part.game, part.status, part.best_complete))
    assert {("gyges", "exact", False), ("gyges", "exact", True), ("rings", "bound", False)} <= statuses


def value_for_south(position: Position, solution: Solution) -> int | str | None:
    """The value from one point of view, so that those of different positions can be compared."""
    if isinstance(solution.value, int):
        return solution.value if position.player == "s" else -solution.value
    if solution.value in (None, "draw"):
        return "draw" if solution.value else None
    return str(position.player) if solution.value == "win" else {"s": "n", "n": "s"}[str(position.player)]


def check_line(position: Position, part: Solution, full: Solution) -> None:
    """The line is legal and, exactly if the answer says so, complete: to the end or to the first repetition."""
    line = [position]
    for ply in part.pv:
        assert not line[-1].is_over
        line.append(line[-1].apply(ply))
    if part.pv_complete and position.game.value_kind == "win":
        assert line[-1].outcome in (None, value_for_south(position, full))
        if line[-1].is_over:
            most = part.upper if part.status == "bound" else part.distance
            assert most is None or len(part.pv) <= most  # type: ignore[operator]
        else:
            assert full.value == "draw"
    if part.pv_complete and position.game.value_kind == "margin" and line[-1].is_over:
        assert value_for_south(line[-1], line[-1].solve()) == value_for_south(position, full)
    if position.game.value_kind == "chance":
        if part.pv_complete and part.best:
            assert line[-1].is_over or line[-1].is_chance or len(part.pv) == part.horizon
        return
    repeats = line[-1] in line[:-1]
    assert len(set(line)) == len(line) - repeats
    assert part.pv_complete == (line[-1].is_over or repeats)
    assert not part.pv_complete or not repeats or full.value in ("draw", 0)


def check_best(position: Position, part: Solution, solved: Callable[[Position], Solution]) -> None:
    """Every best ply keeps the value, and an exact value of a position that is not over has one."""
    if position.game.value_kind == "chance":
        assert (
            part.status == "unknown" or part.best or position.is_chance or part.horizon == 0 or not part.best_complete
        )
        return
    assert part.status != "exact" or part.best or position.is_over
    value = value_for_south(position, part)
    for ply in part.best[:4]:
        after = position.apply(ply)
        assert value_for_south(after, solved(after)) in (None, value)
    for row in part.plies or ():
        loses = part.value == "loss" or (part.value == "draw" and part.best_complete)
        follows = loses or (part.status == "exact" and row.ply in part.best)
        assert position.game.value_kind != "win" or row.value is not None or not follows
    for row in (part.plies or ())[:8]:
        after = position.apply(row.ply)
        full = solved(after)
        if position.game.value_kind == "margin":
            assert row.status in ("exact", "bound")
        if full.value is None:
            continue
        if row.value is not None:
            assert row.value == full.value
            assert row.distance in (None, full.distance)


#: Positions a few plies later are solved with few nodes.
SEEDS = [
    *POSITIONS,
    "siaius 1s1/3/1T1 s - - 0",
    "siaius s1t/3/3/M1C n - - 0",
    "siaius 2m/2C/3/3/3/2T/3 s - - 0 huff=off",
    "siaius 5/2C1S/1TM2/2t2/5 n - - 0",
    "gyges ....../..3.../12312./1.2332/....../.1.... s - 1+1",
    "gyges ....../.....3/....../....../..3.../...... s - 1+1",
]
LAST_RING = "k(11).K(1111)..../......./k(3)K(531)...k(31)./K(1)k(3311111111)..K(111)../......./.K(11)...1. n 1+1 0"
#: Positions that need more nodes are skipped.
ENOUGH = Limits(nodes=5000)


@pytest.mark.parametrize("fen", SEEDS)
def test_random_limits_of_random_positions(fen: str) -> None:
    rng = random.Random(fen)
    seen: dict[tuple[Position, bool, str], Solution] = {}

    def solved(position: Position, *, wdl: bool = False, model: str = "maxn") -> Solution:
        key = position, wdl, model
        if key not in seen:
            seen[key] = position.solve(options_for(fen, 3, wdl=wdl, model=model, limits=ENOUGH))
        return seen[key]

    for _ in range(8):
        position = Position(fen)
        for _ in range(rng.randrange(5)):
            if position.is_over:
                break
            position = position.nth(rng.randrange(position.count()))[1]
        model = rng.choice(models(fen))
        full = solved(position, model=model)
        if full.status == "unknown" or (full.status == "bound" and full.model is None):
            continue
        for _ in range(8):
            wdl = position.game.value_kind == "win" and rng.random() < 0.5
            limits = Limits(nodes=rng.choice([rng.randrange(1, 10), rng.randrange(1, 100), rng.randrange(1, 1001)]))
            asked = options_for(
                fen,
                3,
                wdl=wdl,
                model=model,
                limits=limits,
                each=rng.random() < 0.5,
            )
            part = position.solve(asked)
            assert part.nodes <= (limits.nodes or 0)
            if not wdl:
                check(part, full)
            elif part.value is not None:
                assert part.value == full.value
            check_line(position, part, full)
            check_best(position, part, solved)


@pytest.mark.parametrize(
    "fen", ["gyges ....../..12../....../....../....../...... s - 1+1", "siaius 5/2M2/2c2 n - - 0 huff=stone"]
)
@pytest.mark.parametrize("wdl", [False, True])
def test_no_limit_hides_a_win_with_the_next_ply(fen: str, wdl: bool) -> None:
    for limits in (Limits(nodes=1), Limits(seconds=1e-9)):
        found = Position(fen).solve(options(limits=limits, wdl=wdl))
        winning = [ply for ply, after in Position(fen).successors() if after.is_over]
        assert (found.status, found.value, found.distance) == ("exact", "win", None if wdl else 1)
        assert set(found.best) <= set(winning)
        assert (found.pv, found.pv_complete) == (found.best[:1], True)


def test_a_line_of_one_ply_that_ends_the_game_is_complete() -> None:
    position = Position(f"rings ...k(3111)..K(11)/{LAST_RING}")
    full = position.solve(options())
    found = [position.solve(options(limits=Limits(nodes=nodes))) for nodes in range(1, 60)]
    for part in found:
        check_line(position, part, full)
    assert any(part.pv_complete and len(part.pv) == 1 for part in found)


@pytest.mark.parametrize("wrong", [0, -1, -(10**30), 10**30])
def test_nodes_that_are_no_limit(wrong: int) -> None:
    with pytest.raises(ValueError, match="nodes"):
        Limits(nodes=wrong)


@pytest.mark.parametrize("wrong", [0, 0.0, -1, -0.5, math.nan, math.inf, -math.inf])
def test_seconds_that_are_no_limit(wrong: float) -> None:
    with pytest.raises(ValueError, match="seconds"):
        Limits(seconds=wrong)


@pytest.mark.parametrize("wrong", ["1", 1.5, True, (), b"1"])
def test_limits_of_a_wrong_type(wrong: Any) -> None:
    with pytest.raises(TypeError, match="nodes"):
        Limits(nodes=wrong)
    if wrong != 1.5:
        with pytest.raises(TypeError, match="seconds"):
            Limits(seconds=wrong)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("depth", 0),
        ("depth", -1),
        ("depth", MAX_PLIES + 1),
        ("hash_mb", -1),
        ("hash_mb", 0),
        ("threads", 0),
        ("threads", -3),
        ("player", 0),
        ("until", Fraction(3, 2)),
        ("until", -1),
        ("until", math.nan),
        ("model", "minimax"),
    ],
)
def test_options_out_of_bounds(name: str, wrong: Any) -> None:
    with pytest.raises(ValueError, match=name):
        SolveOptions(**{name: wrong})


@pytest.mark.parametrize("name", ["depth", "hash_mb", "threads", "player", "until", "limits"])
def test_options_of_a_wrong_type(name: str) -> None:
    with pytest.raises(TypeError, match=name):
        SolveOptions(**{name: "7"})  # type: ignore[arg-type, unused-ignore]


@pytest.mark.parametrize(
    ("fen", "given"),
    [
        ("gyges", {"until": Fraction(1, 2)}),
        ("siaius 3/s2/2M s - - 0", {"model": "paranoid"}),
        ("siaius 3/s2/2M s - - 0", {"player": 1}),
        ("rings", {"wdl": True}),
        ("rings", {"depth": 3}),
        ("gran", {"tables": "/nowhere"}),
    ],
)
def test_options_that_the_game_does_not_have(tmp_path: Path, fen: str, given: dict[str, Any]) -> None:
    (name,) = given
    words = rf"^{name} is not an option of {fen.split()[0]}$"
    with pytest.raises(ValueError, match=words):
        solve(fen, nodes=10, **given)
    with pytest.raises(ValueError, match=words):
        Position(fen).solve(nodes=10, **given)
    with pytest.raises(ValueError, match=words):
        ringfen.solve_many([fen, fen], nodes=10, **given)
    if name not in ("wdl", "model"):
        with pytest.raises(ValueError, match=words):
            ringfen.prove(fen, tmp_path / "cert", nodes=10, **given)
    # One object serves all games, and of many positions one is enough.
    assert solve(fen, SolveOptions(Limits(nodes=1), **given)).fen == Position(fen).fen
    others = {"gran", "rings", "siaius 3/s2/2M s - - 0", "gyges"} - {fen}
    assert ringfen.solve_many([fen, *sorted(others)], nodes=10, **given) is not None
    assert list(tmp_path.iterdir()) == []


def test_the_cap_of_plies_is_defined_once() -> None:
    root = Path(__file__).parents[2]
    files = [path for folder in ("core_c", "cli") for path in (root / folder).rglob("*.[chp]*")]
    said = [path.name for path in files if path.suffix in (".c", ".h", ".py") for _ in _CAP.findall(path.read_text())]
    assert said == ["ringfen.h"]


def test_the_cap_of_plies_is_the_same_with_any_number_of_threads() -> None:
    """Forward search never proves a draw, so it continues to the maximum depth."""
    fen = "siaius c3/4/4/3C s - - 0 huff=off"
    answers = [
        Position(fen).solve(options(depth=plies, threads=threads)) for plies in (20, MAX_PLIES) for threads in (1, 2)
    ]
    for answer in answers:
        assert answer.status == "unknown"
    assert [answer.decided for answer in answers] == [20, 20, MAX_PLIES, MAX_PLIES]


def test_too_little_memory_for_a_draw_is_reported() -> None:
    """Forward search never proves a draw, so without a limit it would never end."""
    position = Position("siaius c5/6/6/6/6/5C s - - 0")
    little = position.solve(options(hash_mb=1))
    assert little.status == "unknown"
    assert little.note is not None
    enough = int(little.note.split()[0])
    assert little.note == f"{enough} MB of memory (hash_mb={enough}) would be enough for an exact answer"
    much = position.solve(options(hash_mb=enough))
    assert (much.status, much.value, much.note) == ("exact", "draw", None)


@pytest.mark.parametrize(
    ("fen", "enough"),
    [
        ("siaius 10/10/10/10/4m4T/10/10/10/10/4C5 n - - 0", 7813),
        ("siaius s9/10/10/10/4m4T/10/10/10/10/4C5 n - - 0", None),  # it would be 1.8 TB
    ],
)
def test_only_memory_that_a_computer_can_have_is_advised(fen: str, enough: int | None) -> None:
    note = Position(fen).solve(options(hash_mb=1, limits=Limits(nodes=300_000))).note
    words = f"{enough} MB of memory (hash_mb={enough}) would be enough for an exact answer"
    assert note == (None if enough is None else words)
