"""A solution as JSON, and back."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from ringfen import Solution, solve


@pytest.mark.parametrize(
    ("fen", "options"),
    [
        ("gyges ....../3...../..1.1./1.23.3/3.22.1/....2. n - 1+1", {}),
        ("siaius 3/1s1/1T1/3 s - - 0", {"each": True}),
        ("rings ......./..K(331)1.../......./......./......./1..k(1).../...k(1)K.K(11) n 2+2 0", {"nodes": 5}),
        ("gran c2:2:TG/a9:1:UE/a7:0:- @1 - 0.0.0.0.2.0.1 1 fight", {"depth": 3}),
        (
            "gran c2:2:TG/a9:1:UE/a7:0:- @1 - 0.0.0.0.2.0.1 1 fight",
            {"model": "paranoid", "until": Fraction(2, 3), "depth": 3},
        ),
    ],
)
def test_a_solution_is_read_back_as_it_was(fen: str, options: dict[str, Any]) -> None:
    solution = solve(fen, **options)
    assert solution.seconds > 0
    assert Solution.from_json(json.loads(json.dumps(solution.to_json()))) == solution
