"""``serve``: answers requests of other programs over JSON-RPC 2.0 (docs/session.md).

The main thread reads one message per line and answers the short requests. Long ones (``perft``, ``solve``) wait in a
queue for threads that run them in the order of arrival, so that ``cancel`` is read while they run.
"""

from __future__ import annotations

import re
import select
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import click

from ringfen.cli.exit_status import OK
from ringfen.cli.quantities import share
from ringfen.cli.shared_options import board_option, jobs_option
from ringfen.control import Limits, Progress, stop_when
from ringfen.errors import LimitReached, PlySyntaxError, PositionSyntaxError, RingfenError
from ringfen.text import from_json, printable, to_json

if TYPE_CHECKING:
    from ringfen.cli.solution_tree import TreeOptions
    from ringfen.position import Position
    from ringfen.tables.files import Board
    from ringfen.tables.tablebase import Tables

_PROTOCOL: Final = 1
#: The maximum number of bytes of a message.
_MAX_MESSAGE: Final = 16 << 20
#: The minimum number of seconds between two notifications of one request.
_BETWEEN_NOTIFICATIONS: Final = 0.1

# Error codes of JSON-RPC, and that of a Ringfen error.
_PARSE_ERROR: Final = -32700
_INVALID_REQUEST: Final = -32600
_METHOD_NOT_FOUND: Final = -32601
_INVALID_PARAMS: Final = -32602
_INTERNAL_ERROR: Final = -32603
_RINGFEN_ERROR: Final = 1

_LONG_METHODS: Final = ("perft", "solve")
_NO_ID: Final = object()


@click.command()
@board_option
@jobs_option("Run J long requests (perft, solve) at a time.")
def serve(board_path: Sequence[Path], jobs: int) -> int:
    """Answer requests of other programs (JSON-RPC 2.0).

    Reads standard input and writes standard output, one message per line. The end of standard input ends the session.

    \b
    Example:
      ringfen serve < requests.jsonl
    """
    from ringfen.memory import return_freed_memory

    return_freed_memory()
    _import_solver()
    Session(sys.stdin.buffer, sys.stdout.buffer, board_path, jobs).run()
    return OK


def _import_solver() -> None:
    """Import what solves and counts, so that a cancel does not wait for an import: small solves import all of it."""
    from ringfen.position import Position
    from ringfen.rules import game_ids

    for game_id in game_ids():
        position = Position(game_id)
        position.perft(1)
        position.solve(nodes=1, hash_mb=1)


class RequestError(Exception):
    """A request that gets an error as its answer."""

    def __init__(self, code: int, message: str, data: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class Params:
    """The params of a request. Each is taken once; :meth:`end` rejects the others."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)

    def take(self, name: str, type_: type, default: Any = None) -> Any:
        """Return a param, or its default if it is missing or null.

        :param type_: Its type; float stands for any number.
        :raises RequestError: It has another type.
        """
        value = self._values.pop(name, None)
        if value is None:
            return default
        allowed = (int, float) if type_ is float else (type_,)
        if not isinstance(value, allowed) or (isinstance(value, bool) and type_ is not bool):
            raise RequestError(_INVALID_PARAMS, f"{name} is {_TYPE_WORDS[type_]}")
        return value

    def require(self, name: str, type_: type) -> Any:
        """Return a required param.

        :raises RequestError: It is missing or has another type.
        """
        value = self.take(name, type_)
        if value is None:
            raise RequestError(_INVALID_PARAMS, f"the param {name} is missing")
        return value

    def take_any(self, name: str) -> Any:
        """Return a param of any type, or None if it is missing."""
        return self._values.pop(name, None)

    def end(self) -> None:
        """Reject params that no one took."""
        for name in self._values:
            raise RequestError(_INVALID_PARAMS, f"there is no param {name[:40]!r} here")


_TYPE_WORDS: Final[Mapping[type, str]] = {
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    list: "an array of strings",
}


class Job:
    """A long request."""

    def __init__(self, id_: Any, method: str, params: Params, is_answered: bool) -> None:
        self.id = id_
        self.method = method
        self.params = params
        #: Whether the request has an id and gets an answer.
        self.is_answered = is_answered
        self.is_cancelled = False
        #: Whether a thread has taken it.
        self.is_started = False


class Session:
    """A session with one program."""

    def __init__(self, source: BinaryIO, out: BinaryIO, board_path: Sequence[Path] = (), jobs: int = 1) -> None:
        self._source = source
        self._out = out
        self._board_path = board_path
        self._max_threads = jobs
        self._threads: list[Thread] = []
        self._waiting: SimpleQueue[Job | None] = SimpleQueue()
        #: The long requests that wait or run.
        self._jobs: list[Job] = []
        self._lock = Lock()
        self._is_over = False
        #: The id of the request ``shutdown``, which is answered last.
        self._shutdown_id: Any = _NO_ID
        self._output_closed = Event()
        self._tables: dict[Board, Tables] = {}
        self._methods: Mapping[str, Callable[[Params], Any]] = {
            "version": self._version,
            "moves": self._moves,
            "play": self._play,
            "describe": self._describe,
            "validate": self._validate,
            "probe": self._probe,
            "cancel": self._cancel,
        }

    # ---- messages ----

    def run(self) -> None:
        """Answer requests until ``shutdown`` or the end of the input."""
        try:
            for line in self._lines():
                self._read(line)
                if self._is_over or self._output_closed.is_set():
                    break
        except BaseException:
            self._cancel_all()
            raise
        finally:
            if self._is_over or self._output_closed.is_set():
                self._cancel_all()
            for _ in self._threads:
                self._waiting.put(None)
            for thread in self._threads:
                thread.join()
        if self._shutdown_id is not _NO_ID:
            self._answer(self._shutdown_id, True)

    def _lines(self) -> Iterator[bytes]:
        """Yield the messages; answer those that are too long."""
        while line := self._source.readline(_MAX_MESSAGE + 1):
            if len(line) > _MAX_MESSAGE:
                while line and not line.endswith(b"\n"):
                    line = self._source.readline(_MAX_MESSAGE)
                self._fail(None, RequestError(_INVALID_REQUEST, f"a message has at most {_MAX_MESSAGE >> 20} MB"))
            elif line.strip():
                yield line

    def _read(self, line: bytes) -> None:
        """Answer a message, or let a thread answer it."""
        try:
            message = from_json(line, surrogates=True)
        except ValueError as error:
            self._fail(None, RequestError(_PARSE_ERROR, f"the message cannot be read: {error}"))
            return
        id_ = message.get("id", _NO_ID) if isinstance(message, dict) else _NO_ID
        if id_ is not _NO_ID and not _is_id(id_):
            self._fail(None, RequestError(_INVALID_REQUEST, "an id is a string, a number or null"))
            return
        try:
            self._call(id_, *_parsed_request(message))
        except RequestError as error:
            if id_ is not _NO_ID:
                self._fail(id_, error)
            elif error.code == _INVALID_REQUEST:
                self._fail(None, error)

    def _call(self, id_: Any, method: str, params: Params) -> None:
        """Run a request, or put a long one in the queue.

        :raises RequestError: The request gets an error.
        """
        if method == "shutdown":
            params.end()
            self._is_over, self._shutdown_id = True, id_
        elif method in _LONG_METHODS:
            self._start(Job(id_, method, params, id_ is not _NO_ID))
        elif method in self._methods:
            with _errors_as_answers():
                result = self._methods[method](params)
            if id_ is not _NO_ID:
                self._answer(id_, result)
        else:
            raise RequestError(_METHOD_NOT_FOUND, f"there is no method {method[:40]!r}")

    def _answer(self, id_: Any, result: Any) -> None:
        self._write({"jsonrpc": "2.0", "id": id_, "result": result})

    def _fail(self, id_: Any, error: RequestError) -> None:
        fields: dict[str, Any] = {"code": error.code, "message": error.message}
        if error.data is not None:
            fields["data"] = error.data
        self._write({"jsonrpc": "2.0", "id": id_, "error": fields})

    def _write(self, message: dict[str, Any]) -> None:
        line = f"{to_json(message)}\n".encode()
        with self._lock:
            if self._output_closed.is_set():
                return
            try:
                self._out.write(line)
                self._out.flush()
            except OSError:
                # The client does not read any more: the session ends with the next message.
                self._output_closed.set()
                for job in self._jobs:
                    job.is_cancelled = True

    def _is_client_gone(self) -> bool:
        """Return whether no process reads the answers any more; always False if the system cannot show it."""
        if not hasattr(select, "poll"):
            return False
        try:
            output = select.poll()
            output.register(self._out, 0)
            return bool(output.poll(0))
        except (OSError, ValueError):
            # An output that is no file descriptor, or is closed.
            return False

    # ---- short requests ----

    def _position(self, params: Params) -> Position:
        from ringfen.position import Position

        return Position(params.require("position", str), board_path=self._board_path)

    def _version(self, params: Params) -> Any:
        from ringfen.rules import game_ids
        from ringfen.version import __version__

        params.end()
        return {"ringfen": __version__, "protocol": _PROTOCOL, "games": list(game_ids())}

    def _moves(self, params: Params) -> Any:
        position = self._position(params)
        params.end()
        plies: list[dict[str, Any]] = [{"ply": ply, "fen": after.fen} for ply, after in position.successors()]
        weights = position.weights()
        for entry in plies if weights else ():
            entry["weight"] = weights[entry["ply"]]
        return {"fen": position.fen, "plies": plies, "outcome": position.outcome}

    def _play(self, params: Params) -> Any:
        position = self._position(params)
        plies = params.require("plies", list)
        params.end()
        if not all(isinstance(ply, str) for ply in plies):
            raise RequestError(_INVALID_PARAMS, "plies is an array of strings")
        before = [position]
        for ply in plies:
            try:
                before.append(before[-1].apply(ply))
            except RingfenError as error:
                from ringfen.notation.ply_errors import diagnose_played

                error.message = diagnose_played(error, before, plies).words
                raise _ringfen_error(error, line=len(before), fen=before[-1].fen) from None
        position = before[-1]
        return {"fen": position.fen, "outcome": position.outcome}

    def _describe(self, params: Params) -> Any:
        from ringfen.drawing.description import Description

        position = self._position(params)
        params.end()
        return {"fen": position.fen, **Description(position).to_json()}

    def _validate(self, params: Params) -> Any:
        from ringfen.cli.validate import report_fields
        from ringfen.notation import check_records

        text = params.require("text", str)
        params.end()
        reports = check_records(text=text, board_path=self._board_path)
        return [report_fields(report, report.valid) for report in reports]

    def _probe(self, params: Params) -> Any:
        from ringfen.cli.table_problems import TableProblems
        from ringfen.cli.tablebase.probe import answer, probed

        position = self._position(params)
        params.end()
        value, plies = probed(position, None, self._tables, TableProblems())
        return answer(position, value, plies)

    def _cancel(self, params: Params) -> Any:
        id_ = params.take_any("id")
        params.end()
        if id_ is None or not _is_id(id_):
            raise RequestError(_INVALID_PARAMS, "id is a string or a number")
        with self._lock:
            found = [job for job in self._jobs if job.is_answered and type(job.id) is type(id_) and job.id == id_]
            waiting = [job for job in found if not job.is_started]
            for job in found:
                job.is_cancelled = job.is_started = True
        for job in waiting:
            # The threads may be busy for hours: answer here.
            self._run(job)
        return bool(found)

    def _cancel_all(self) -> None:
        with self._lock:
            for job in self._jobs:
                job.is_cancelled = True

    # ---- long requests ----

    def _start(self, job: Job) -> None:
        with self._lock:
            self._jobs.append(job)
            busy = len(self._jobs)
        if len(self._threads) < min(self._max_threads, busy):
            thread = Thread(target=self._work)
            try:
                thread.start()
            except RuntimeError:
                if not self._threads:
                    self._end(job)
                    raise RequestError(_INTERNAL_ERROR, "the system cannot start a thread") from None
            else:
                self._threads.append(thread)
        self._waiting.put(job)

    def _work(self) -> None:
        """Run long requests in one thread until the session ends."""
        while (job := self._waiting.get()) is not None:
            with self._lock:
                is_taken, job.is_started = job.is_started, True
            if not is_taken:
                self._run(job)

    def _run(self, job: Job) -> None:
        """Run a long request and answer it."""
        try:
            with _errors_as_answers(), stop_when(lambda: job.is_cancelled or self._is_client_gone()):
                result = self._perft(job) if job.method == "perft" else self._solve(job)
        except RequestError as error:
            self._end(job)
            if job.is_answered:
                self._fail(job.id, error)
        else:
            self._end(job)
            if job.is_answered:
                self._answer(job.id, result)

    def _end(self, job: Job) -> None:
        with self._lock:
            self._jobs.remove(job)

    def _perft(self, job: Job) -> Any:
        from ringfen.counting import divide, perft

        params = job.params
        position = self._position(params)
        depth, divided = params.require("depth", int), params.take("divide", bool, False)
        threads, hash_mb = params.take("threads", int, 1), params.take("hash", int, 0)
        progress = self._progress_of(job)
        params.end()
        started = monotonic()
        more: dict[str, Any] = {}
        if divided:
            parts = divide(position, depth, threads=threads, hash_mb=hash_mb, progress=progress)
            nodes, more["divide"] = sum(count for _, count in parts), dict(parts)
        else:
            nodes = perft(position, depth, threads=threads, hash_mb=hash_mb, progress=progress)
        seconds = round(monotonic() - started, 6)
        return {
            "fen": position.fen,
            "depth": depth,
            "nodes": nodes,
            "seconds": seconds,
            "threads": threads,
            **more,
        }

    def _solve(self, job: Job) -> Any:
        from ringfen.options import SolveOptions

        params = job.params
        position = self._position(params)
        until = params.take_any("until")
        if until is not None:
            try:
                until = share(str(until))
            except ValueError:
                raise RequestError(_INVALID_PARAMS, "until is a probability such as 0.01 or 1/100") from None
        model, player = params.take("model", str, "maxn"), params.take("player", int)
        for name, value in (("player", player), ("until", until)):
            if value is not None and model != "paranoid":
                raise RequestError(_INVALID_PARAMS, f"{name} requires the model paranoid")
        nodes = params.take("nodes", int)
        options = SolveOptions(
            Limits(1 if job.is_cancelled else nodes, params.take("seconds", float)),
            threads=params.take("threads", int, 1),
            hash_mb=params.take("hash", int, 256),
            depth=params.take("depth", int),
            model=model,
            player=player,
            until=until,
            wdl=params.take("wdl", bool, False),
            each=params.take("each", bool, False),
        )
        tree = self._tree_options(params)
        progress = self._progress_of(job)
        params.end()
        if tree is None:
            return _for_clients(position.solve(options, progress=progress).to_json())
        from ringfen.cli.solution_tree import answer_with_tree

        if options.wdl or options.each:
            raise RequestError(_INVALID_PARAMS, f"tree and {'wdl' if options.wdl else 'each'} cannot be combined")
        return _for_clients(answer_with_tree(position, position.solve(options, progress=progress), options, tree))

    def _tree_options(self, params: Params) -> TreeOptions | None:
        """Return the options of a tree; None if the request has none."""
        tree, full = params.take("tree", bool), params.take("tree-full", bool, False)
        tries, depth = params.take("tries", bool, False), params.take("tree-depth", int)
        if tree is False or not (tree or full or tries or depth is not None):
            return None
        from ringfen.cli.solution_tree import TreeOptions
        from ringfen.control import MAX_PLIES, checked_int

        if depth is not None:
            checked_int("tree-depth", depth, 1, MAX_PLIES)
        return TreeOptions(full=full, tries=tries, depth=depth, rgn=False, as_json=True)

    def _progress_of(self, job: Job) -> Callable[[Progress], None] | None:
        """Return the callback that sends notifications; None if the request wants none."""
        if not job.params.take("progress", bool, False) or not job.is_answered:
            return None
        started = last = monotonic()

        def notify(progress: Progress) -> None:
            nonlocal last
            now = monotonic()
            if now - last < _BETWEEN_NOTIFICATIONS:
                return
            last = now
            params = {"id": job.id, "nodes": progress.nodes, "depth": progress.depth}
            for name in ("lower", "upper"):
                if getattr(progress, name) is not None:
                    params[name] = getattr(progress, name)
            params["seconds"] = round(now - started, 6)
            self._write({"jsonrpc": "2.0", "method": "progress", "params": params})

        return notify


def _for_clients(answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer whose note names the param of a session."""
    if answer["note"]:
        answer["note"] = answer["note"].replace("hash_mb=", "hash ").replace("hash_mb", "hash")
    return answer


def _is_id(id_: Any) -> bool:
    """Return whether a value can be the id of a request."""
    if isinstance(id_, float):
        return isfinite(id_)
    return id_ is None or (isinstance(id_, str | int) and not isinstance(id_, bool))


def _parsed_request(message: Any) -> tuple[str, Params]:
    """Return the method and the params of a request.

    :raises RequestError: It is not a request.
    """
    if isinstance(message, list):
        raise RequestError(_INVALID_REQUEST, "batches are not supported: send one request per line")
    if not isinstance(message, dict):
        raise RequestError(_INVALID_REQUEST, "a request is a JSON object")
    if message.get("jsonrpc") != "2.0":
        raise RequestError(_INVALID_REQUEST, 'a request has "jsonrpc": "2.0"')
    method, params = message.get("method"), message.get("params", {})
    if not isinstance(method, str):
        raise RequestError(_INVALID_REQUEST, "a request has a method, which is a string")
    if not isinstance(params, dict):
        raise RequestError(_INVALID_PARAMS, "params is a JSON object; positional params are not supported")
    return method, Params(params)


@contextmanager
def _errors_as_answers() -> Iterator[None]:
    """Turn the errors of a request into :class:`RequestError`."""
    try:
        yield
    except RequestError:
        raise
    except RingfenError as error:
        raise _ringfen_error(error) from None
    except LimitReached as error:
        raise RequestError(_RINGFEN_ERROR, error.message, _data("limit-reached", error.message)) from None
    except MemoryError:
        raise RequestError(_RINGFEN_ERROR, "out of memory", _data("out-of-memory", "out of memory")) from None
    except OverflowError as error:
        raise RequestError(_RINGFEN_ERROR, str(error), _data("overflow", str(error))) from None
    except (TypeError, ValueError) as error:
        # The Python interface names the table's size hash_mb, the param is hash.
        raise RequestError(_INVALID_PARAMS, re.sub(r"\Ahash_mb\b", "hash", str(error))) from None
    except Exception as error:
        raise RequestError(_INTERNAL_ERROR, f"{type(error).__name__}: {error}") from None


def _ringfen_error(error: RingfenError, line: int = 1, fen: str | None = None) -> RequestError:
    """Return the answer for an error of Ringfen; line and column are those of the text that was read, or None.

    :param line: The number of the ply in ``plies``.
    :param fen: The position before the ply.
    """
    message = printable(error.message)
    # An empty text is a syntax error at its beginning.
    has_place = bool(error.text) or isinstance(error, PositionSyntaxError | PlySyntaxError)
    data = _data(
        error.reason,
        message,
        getattr(error, "line", 0) or (line if has_place else None),
        error.at + 1 if has_place else None,
        fen,
    )
    return RequestError(_RINGFEN_ERROR, message, data)


def _data(
    code: str, message: str, line: int | None = None, column: int | None = None, fen: str | None = None
) -> dict[str, Any]:
    return {"code": code, "message": message, "line": line, "column": column, "fen": fen}
