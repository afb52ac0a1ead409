"""The file of results that lets a search for problems continue after it was interrupted or killed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from itertools import islice
from pathlib import Path
from typing import Any, Final

from ringfen.batch.answers import COMMON_FIELDS, Answer, answer_in
from ringfen.batch.run import AnswerFile, Work, relevant_options
from ringfen.errors import BatchError
from ringfen.position import Position
from ringfen.problems.mining import Examined, Problem, ProblemOptions
from ringfen.problems.soundness import SolutionPly
from ringfen.solving import SolveOptions
from ringfen.text import from_json


class ExaminedFile(AnswerFile):
    """A file of the results of :func:`ringfen.problems.mining.examine`; see :class:`ringfen.batch.run.AnswerFile`.

    The positions are read as they are needed: :attr:`positions` yields all of them, and with ``resume`` the constructor
    reads as many as the file has results for.
    """

    def __init__(
        self,
        path: Path,
        positions: Iterable[Position],
        options: ProblemOptions,
        *,
        resume: bool,
        inputs: Iterable[str | Path] = (),
    ) -> None:
        self._problem_options = options
        work, rest = Work(), iter(positions)
        begun = list(islice(rest, _last_number(path) if resume else 0))
        for number, position in enumerate(begun, 1):
            work.add(number, position)
        super().__init__(path, work, SolveOptions(options.limits), resume=resume, inputs=inputs)
        self._begun, self._rest = begun, rest
        #: The results that the file contained when it was opened, by number.
        self.known = {answer["line"]: _examined(answer) for answer in self.found}

    @property
    def positions(self) -> Iterable[Position]:
        """All positions, in order."""
        yield from self._begun
        for number, position in enumerate(self._rest, len(self._begun) + 1):
            self._work.add(number, position)
            yield position

    def add_examined(self, examined: Examined) -> None:
        """Write a result.

        :raises OSError: As :meth:`ringfen.batch.run.AnswerFile.add`.
        """
        problem = None if examined.problem is None else _problem_fields(examined.problem)
        self._add(
            examined.fen,
            {
                "fen": examined.fen,
                "nodes": examined.nodes,
                "seconds": examined.seconds,
                "undecided": examined.is_undecided,
                "problem": problem,
            },
        )

    def _read(self, line: bytes) -> Answer | None:
        return answer_in(line, _FIELDS, lambda answer: "")

    def _is_better(self, answer: Answer, other: Answer) -> bool:
        return False

    def _relevant_options(self, position: Position) -> dict[str, Any]:
        options = self._problem_options
        names = ("sound", "gap", "min_tries", "quiet_key", "min_legal", "keep_mirrored")
        given = {name: value for name in names if (value := getattr(options, name)) is not None and value is not False}
        return {
            "length": "{}..{}".format(*options.length),
            **{name: value if value is True else str(value) for name, value in given.items()},
            **relevant_options(SolveOptions(options.limits), position),
        }


def _problem_fields(problem: Problem) -> dict[str, Any]:
    return problem.to_json() | {"solution": [list(ply) for ply in problem.solution]}


def _is_problem(value: Any) -> bool:
    return value is None or (isinstance(value, dict) and set(value) == {field.name for field in fields(Problem)})


_FIELDS: Final[Mapping[str, Callable[[Any], bool]]] = {
    **COMMON_FIELDS,
    "undecided": lambda value: isinstance(value, bool),
    "problem": _is_problem,
}


def _examined(answer: Answer) -> Examined:
    found = answer["problem"]
    problem = None
    if found is not None:
        solution = tuple(SolutionPly(*ply) for ply in found["solution"])
        problem = Problem(**(found | {"solution": solution}))
    return Examined(answer["fen"], problem, answer["nodes"], answer["seconds"], answer["undecided"])


def _last_number(path: Path) -> int:
    """Return the largest number of a line of the file; 0 if there is none."""
    last = 0
    try:
        with path.open("rb") as file:
            for line in file:
                try:
                    number = from_json(line)["line"]
                except (ValueError, TypeError, KeyError):
                    continue
                if type(number) is int and number > last:
                    last = number
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise BatchError(f"{path} cannot be read: {error.strerror}") from error
    return last
