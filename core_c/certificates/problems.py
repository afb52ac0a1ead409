"""Problems: what the claims of a certificate say together about the only first ply that meets a stipulation."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ringfen._core import lib
from ringfen.certificates.chance import value_of
from ringfen.certificates.claims import Claim, Problem
from ringfen.errors import CertificateError
from ringfen.position import Position


def win_claims(position: Position, moves: int, key: str) -> list[Claim]:
    """Return the claims that prove a win in this number of moves with only one key. The walk fills in ``within``."""
    mover = position.player_number
    other, plies = 3 - mover, 2 * moves - 1
    sooner = [Claim(other, horizon=plies - 2)] if moves > 1 else []
    return [Claim(mover, at_least=1), *sooner, Claim(other, horizon=plies, excluded=key)]


def chance_claims(position: Position, horizon: int, best: Fraction, others: Fraction, key: str) -> list[Claim]:
    """Return the claims that prove that the player to move wins within the horizon with the probability ``best``, and
    without the key with at most ``others``.
    """
    player = position.player_number
    return [
        Claim(player, probability=best, horizon=horizon),
        Claim(player, probability=best, horizon=horizon, upper=True, ended=True),
        Claim(player, probability=others, horizon=horizon, upper=True, ended=True, excluded=key),
    ]


def meaning(position: Position, claims: Sequence[Claim]) -> tuple[Any, Problem | None]:
    """Return the value for the side to move that the claims prove together, and the problem if they prove one.

    :raises CertificateError: They do not prove a value.
    """
    limited = [claim for claim in claims if claim.excluded is not None]
    if not limited:
        return _value(position, claims), None
    rest = [claim for claim in claims if claim.excluded is None]
    solver = lib.rf_game_solver(position.game.cdata)
    if len(limited) == 1:
        if solver == lib.RF_SOLVER_WIN:
            problem = _win(position, limited[0], rest)
            if problem is not None:
                return "win", problem
        elif solver == lib.RF_SOLVER_CHANCE:
            problem = _chance(position, limited[0], rest)
            if problem is not None:
                return None, problem
        else:
            value = _value(position, rest)
            problem = _margin(position, limited[0], value)
            if problem is not None:
                return value, problem
    raise CertificateError("the claims do not prove a problem")


def _value(position: Position, claims: Sequence[Claim]) -> Any:
    solver = lib.rf_game_solver(position.game.cdata)
    if solver == lib.RF_SOLVER_CHANCE:
        return value_of(position, claims)
    mover = position.player_number
    bounds = {claim.player: claim.at_least for claim in claims if claim.horizon is None}
    lower = bounds.get(mover)
    worst = bounds.get(3 - mover)
    upper = None if worst is None else -worst
    if len(bounds) < len(claims):
        pass
    elif solver == lib.RF_SOLVER_WIN:
        if lower == 1 and upper is None:
            return "win"
        if upper == -1 and lower is None:
            return "loss"
        if lower == 0 and upper == 0:
            return "draw"
    elif lower is not None and lower == upper:
        return lower
    raise CertificateError("the claims do not prove a value")


def _win(position: Position, limited: Claim, rest: Sequence[Claim]) -> Problem | None:
    """Return the problem if the claims are those of :func:`win_claims`."""
    assert limited.excluded is not None
    if limited.horizon is None or limited.horizon % 2 == 0:
        return None
    moves = (limited.horizon + 1) // 2
    expected = win_claims(position, moves, limited.excluded)
    plain = [Claim(claim.player, claim.at_least, horizon=claim.horizon) for claim in rest]
    withins = [claim.within for claim in rest if claim.within is not None]
    if limited != expected[-1] or sorted(plain, key=_order) != sorted(expected[:-1], key=_order):
        return None
    if max(withins) > limited.horizon:
        return None
    return Problem(f"win in {moves}", limited.excluded)


def _order(claim: Claim) -> int:
    return claim.at_least


def _margin(position: Position, limited: Claim, value: int) -> Problem | None:
    """Return the problem if the other plies give fewer points than the value."""
    assert limited.excluded is not None
    gap = value + limited.at_least
    if limited.player == position.player_number or limited.horizon is not None or gap < 1:
        return None
    return Problem(f"best margin {value}", limited.excluded, Fraction(gap))


def _chance(position: Position, limited: Claim, rest: Sequence[Claim]) -> Problem | None:
    """Return the problem if the claims are those of :func:`chance_claims`."""
    assert limited.excluded is not None
    best, others = rest[0].probability if rest else None, limited.probability
    if best is None or others is None or others >= best or limited.horizon is None or position.is_chance:
        return None
    expected = chance_claims(position, limited.horizon, best, others, limited.excluded)
    if limited != expected[-1] or sorted(rest, key=_side) != expected[:-1]:
        return None
    return Problem(f"best chance {best} paranoid {limited.horizon}", limited.excluded, best - others)


def _side(claim: Claim) -> bool:
    return claim.upper
