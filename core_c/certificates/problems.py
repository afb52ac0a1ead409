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
        else:
            value = _value(position, rest)
            describe = _chance if solver == lib.RF_SOLVER_CHANCE else _margin
            problem = describe(position, limited[0], rest)
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


def _margin(position: Position, limited: Claim, rest: Sequence[Claim]) -> Problem | None:
    """Return the problem if the other plies give fewer points than the claims of the value."""
    assert limited.excluded is not None
    value = _value(position, rest)
    gap = value + limited.at_least
    if limited.player == position.player_number or limited.horizon is not None or gap < 1:
        return None
    return Problem(f"best margin {value}", limited.excluded, Fraction(gap))


def _chance(position: Position, limited: Claim, rest: Sequence[Claim]) -> Problem | None:
    """Return the problem if the other plies give the player to move less than the lower bound."""
    assert limited.excluded is not None
    lower, upper = (claim.probability for claim in sorted(rest, key=lambda claim: claim.upper))
    assert lower is not None
    assert limited.probability is not None
    if (limited.player, limited.horizon) != (rest[0].player, rest[0].horizon) or not limited.upper:
        return None
    if limited.player != position.player_number or position.is_chance or limited.probability >= lower:
        return None
    words = str(lower) if lower == upper else f"at least {lower}"
    stipulation = f"best chance {words} paranoid {limited.horizon}"
    return Problem(stipulation, limited.excluded, lower - limited.probability)
