"""Writes certificates of problems: the stipulation is met, not sooner, and only the key meets it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ringfen._core import lib
from ringfen.certificates.claims import Claim, Part, Proved
from ringfen.certificates.file import write_file
from ringfen.certificates.problems import chance_claims, meaning, win_claims
from ringfen.certificates.proof_writer import ProofWriter
from ringfen.certificates.prove_chance import board_text, chance_part, solved_chances
from ringfen.certificates.strategy import ListedPlies, Margins, known_values
from ringfen.certificates.wins import ForcedWins, KnownWins, Wins
from ringfen.control import Budget, ProgressCallback
from ringfen.errors import NotSolved, UnsoundProblem
from ringfen.position import Position
from ringfen.solving import SolveOptions, solve

if TYPE_CHECKING:
    from ringfen._core import rf_certificate

#: The maximum number of keys in a message.
_SHOWN_KEYS: Final = 8


def prove_problem(
    position: Position,
    path: Path,
    options: SolveOptions,
    gap: int | Fraction | None,
    memory_mb: int,
    progress: ProgressCallback | None,
) -> Proved:
    """Do the work of :func:`ringfen.certificates.prove.prove` with ``problem``; the model is ``paranoid``."""
    budget = Budget(options.limits)
    if position.is_over:
        raise UnsoundProblem(position.fen, "the game is over")
    if position.game.value_kind == "chance":
        return _prove_chance(position, path, options, gap, budget, memory_mb, progress)
    solution = solve(position, options, progress=progress)
    budget.use(solution.nodes)
    if position.game.value_kind == "margin":
        if solution.status != "exact":
            raise NotSolved(solution)
        assert solution.margin is not None
        parts = _margin_parts(position, solution.margin, int(gap or 1), options, budget, memory_mb, progress)
        return _write(position, path, parts)
    if solution.value in ("loss", "draw"):
        raise UnsoundProblem(position.fen, "the side to move does not win")
    if solution.value != "win":
        raise NotSolved(solution)
    search = ForcedWins(position, lib.RF_WIN_MAX_PLIES, options, budget)
    distance, wins = solution.distance, None
    if distance is None:
        distance = search.distance(position)
    else:
        value_of = known_values(position, solution, options, memory_mb, budget)
        wins = None if value_of is None else KnownWins(value_of)
    return _write(position, path, _win_parts(position, distance // 2 + 1, wins or search, memory_mb, progress))


def _write(position: Position, path: Path, parts: Sequence[Part], board: str | None = None) -> Proved:
    """Write the certificate of a problem with these claims."""
    claims = [part.claim for part in parts]
    value, problem = meaning(position, claims)
    size = write_file(path, position.fen, board, parts)
    return Proved(position.fen, value, claims, sum(part.positions for part in parts), size, problem=problem)


def _only_key(position: Position, keys: Sequence[str], meets: str) -> str:
    """Return the only key.

    :param meets: What the keys do, in words.
    :raises ringfen.UnsoundProblem: There are other keys.
    """
    if len(keys) != 1:
        more = ", …" if len(keys) > _SHOWN_KEYS else ""
        raise UnsoundProblem(position.fen, f"{len(keys)} plies {meets}: {', '.join(keys[:_SHOWN_KEYS])}{more}", keys)
    return keys[0]


def _win_parts(
    position: Position, moves: int, search: Wins, memory_mb: int, progress: ProgressCallback | None
) -> list[Part]:
    keys = search.winning(position, 2 * moves - 1)
    key = _only_key(position, keys, f"win in {moves}")

    def prevents(certificate: rf_certificate, here: Position) -> str:
        return search.preventing(
            here,
            int(lib.rf_certificate_plies_left(certificate)),
            lambda state: bool(lib.rf_certificate_contains(certificate, state)),
        )

    win, *others = win_claims(position, moves, key)
    return [
        ProofWriter(position, win, ListedPlies(search.plies), None, memory_mb, progress).part(),
        *(ProofWriter(position, claim, None, None, memory_mb, progress).part_with(prevents) for claim in others),
    ]


def _margin_parts(
    position: Position,
    margin: int,
    gap: int,
    options: SolveOptions,
    budget: Budget,
    memory_mb: int,
    progress: ProgressCallback | None,
) -> list[Part]:
    mover = position.player_number
    search = Margins(position, options, budget)
    keys = search.plies_with(position, Claim(mover, at_least=margin - gap + 1))
    key = _only_key(position, keys, f"give a margin of at least {margin - gap + 1}")
    claims = [
        Claim(mover, at_least=margin),
        Claim(3 - mover, at_least=-margin),
        Claim(3 - mover, at_least=gap - margin, excluded=key),
    ]
    return [ProofWriter(position, claim, search, None, memory_mb, progress).part() for claim in claims]


def _prove_chance(
    position: Position,
    path: Path,
    options: SolveOptions,
    gap: int | Fraction | None,
    budget: Budget,
    memory_mb: int,
    progress: ProgressCallback | None,
) -> Proved:
    """Prove that exactly one ply of the player gives a winning probability that no other ply reaches."""
    player, horizon, strategy = solved_chances(position, options, budget, progress)
    # The other plies count up to the whole horizon, even if the value of the key is decided sooner.
    horizon = horizon if options.until is not None else options.horizon
    if position.is_chance or position.player != player:
        raise UnsoundProblem(position.fen, f"player {player} does not choose the first ply")
    after = {ply: strategy.value(child, horizon - 1, player, False) for ply, child in position.successors()}
    best = max(after.values())
    if best == 0 or (gap is not None and gap > best):
        why = f"under paranoid, player {player} wins with a probability of at most {best} within {horizon} plies"
        raise UnsoundProblem(position.fen, why)
    keys = [ply for ply, chance in after.items() if chance == best or (gap is not None and chance > best - gap)]
    least = "the highest probability" if gap is None else f"a probability above {best - gap}"
    key = _only_key(position, keys, f"give {least} within the horizon of {horizon} plies")
    others = max((chance for ply, chance in after.items() if ply != key), default=Fraction(0))
    claims = chance_claims(position, horizon, best, others, key)
    parts = [chance_part(position, claim, strategy, memory_mb, progress) for claim in claims]
    return _write(position, path, parts, board_text(position))
