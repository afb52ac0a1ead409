"""``serve``: clients written from docs/session.md only, hostile input, cancel, shutdown and many requests."""

from __future__ import annotations

import json
import random
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from cli_runner import ringfen

from ringfen import Position, game_ids

COMMAND = [sys.executable, "-m", "ringfen", "serve"]
GYGES = "gyges 321123/....../....../....../....../321123 s - 1+1"
LONG = {"position": "rings", "depth": 30}
NODE = shutil.which("node")


class Client:
    """Sends requests and reads answers; it collects notifications in a list."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._next_id = 0
        self.notifications: list[dict[str, Any]] = []
        self._answers: dict[Any, dict[str, Any]] = {}

    @property
    def process_id(self) -> int:
        return self._process.pid

    def send(self, method: str, **params: Any) -> int:
        self._next_id += 1
        self.write(json.dumps({"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params}))
        return self._next_id

    def write(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        message: dict[str, Any] = json.loads(self._process.stdout.readline())
        assert message["jsonrpc"] == "2.0"
        return message

    def answer(self, id_: Any) -> dict[str, Any]:
        while id_ not in self._answers:
            message = self.read()
            if "method" in message:
                self.notifications.append(message)
            else:
                self._answers[message["id"]] = message
        return self._answers.pop(id_)

    def call(self, method: str, **params: Any) -> Any:
        return self.answer(self.send(method, **params))["result"]

    def error(self, method: str, **params: Any) -> dict[str, Any]:
        error: dict[str, Any] = self.answer(self.send(method, **params))["error"]
        return error


@contextmanager
def session(*options: str) -> Iterator[Client]:
    with subprocess.Popen([*COMMAND, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Client(process)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(60) == 0


def run(text: bytes) -> list[dict[str, Any]]:
    """The answers to an input that ends."""
    result = subprocess.run(COMMAND, input=text, capture_output=True, timeout=300, check=True)
    assert result.stderr == b""
    return [json.loads(line) for line in result.stdout.decode().splitlines()]


@pytest.mark.parametrize("game_id", game_ids())
def test_a_client_plays_a_game(game_id: str) -> None:
    rnd = random.Random(game_id)
    with session() as client:
        position, fen = Position(game_id), client.call("moves", position=game_id)["fen"]
        for _ in range(20):
            found = client.call("moves", position=fen)
            assert found["fen"] == position.fen
            assert [(entry["ply"], entry["fen"]) for entry in found["plies"]] == [
                (ply, after.fen) for ply, after in position.successors()
            ]
            assert {
                entry["ply"]: entry["weight"] for entry in found["plies"] if "weight" in entry
            } == position.weights()
            if position.is_over:
                break
            entry = rnd.choice(found["plies"])
            position = position.apply(entry["ply"])
            assert client.call("play", position=fen, plies=[entry["ply"]]) == {
                "fen": position.fen,
                "outcome": position.outcome,
            }
            fen = entry["fen"]
            assert client.call("describe", position=fen)["fen"] == fen


def test_every_method_answers() -> None:
    with session() as client:
        version = client.call("version")
        assert (version["protocol"], version["games"]) == (1, list(game_ids()))
        perft = client.call("perft", position="rings", depth=3, divide=True, threads=2, hash=1)
        assert (perft["nodes"], sum(perft["divide"].values()), perft["threads"]) == (21_756, 21_756, 2)
        solution = client.call("solve", position="gyges ....../....../..3.../....../.2..../1..... s - 1+1", each=True)
        assert (solution["value"], solution["distance"]) == ("loss", 6)
        assert [row["ply"] for row in solution["plies"]] == Position(solution["fen"]).plies()
        first, second = client.call("validate", text='[Game "rings"]\n\n1. a1-a2 *\n\n[Game "rings"]\n\n1. a1-a5 *\n')
        assert (first["valid"], second["valid"]) == (True, False)
        assert "illegal-ply" in [diagnostic["code"] for diagnostic in second["diagnostics"]]
        assert client.call("probe", position="siaius")["status"] == "unknown"
        described = client.call("describe", position="siaius 4/4/S3/3c n - d1 0")
        assert described["pieces"][0] == {
            "kind": "champion",
            "owner": 2,
            "value": 0,
            "place": "square",
            "square": "d1",
            "of": None,
            "marks": ["bonus"],
        }
        gran = client.call("describe", position="gran")
        assert {point["square"] for point in gran["points"]} == set(gran["squares"])


def test_errors() -> None:
    with session() as client:
        error = client.error("play", position="gyges", plies=["321123", "a1-a2"])
        assert (error["code"], error["data"]["code"], error["data"]["line"]) == (1, "set-up-first", 2)
        assert error["data"]["fen"] == "gyges ....../....../....../....../....../321123 n - 1+1"
        error = client.error("moves", position="rings x")
        assert (error["code"], error["data"]["line"], error["data"]["column"]) == (1, 1, 7)
        data = client.error("moves", position="")["data"]
        assert (data["line"], data["column"]) == (1, 1)
        data = client.error("play", position="gyges", plies=["321123", ""])["data"]
        assert (data["code"], data["line"], data["column"]) == ("bad-ply", 2, 1)
        assert client.error("fly")["code"] == -32601
        wrong: list[dict[str, Any]] = [{}, {"position": 1}, {"position": "rings", "more": 1}]
        for params in wrong:
            assert client.error("moves", **params)["code"] == -32602
        wrong = [{"depth": -1}, {"depth": 1.5}, {"depth": True}, {"depth": 1, "threads": 0}]
        for params in wrong:
            assert client.error("perft", position="rings", **params)["code"] == -32602
        wrong = [{"nodes": 0}, {"model": "x"}, {"until": "1/0"}, {"seconds": 1e10}, {"wdl": 1}]
        for params in wrong:
            assert client.error("solve", position="gran", **params)["code"] == -32602
        assert client.call("version")["protocol"] == 1


def test_lines_that_are_no_requests() -> None:
    text = b"\n".join(
        [
            b"{",
            b"\xff",
            b"[" * 100_000,
            b'{"jsonrpc": "2.0", "id": NaN, "method": "version"}',
            b'[{"jsonrpc": "2.0", "id": 1, "method": "version"}]',
            b"1",
            b'{"id": 1, "method": "version"}',
            b'{"jsonrpc": "2.0", "id": 1}',
            b'{"jsonrpc": "2.0", "id": [1], "method": "version"}',
            b'{"jsonrpc": "2.0", "id": 1e999, "method": "version"}',
            b'{"jsonrpc": "2.0", "id": 1, "method": "version", "params": []}',
            b'{"jsonrpc": "2.0", "method": "version"}',
            b'{"jsonrpc": "2.0", "method": "fly"}',
            b"",
            b'{"jsonrpc": "2.0", "id": null, "method": "version"}',
            b'{"jsonrpc": "2.0", "id": "' + b"x" * (16 << 20) + b'", "method": "version"}',
            b'{"jsonrpc": "2.0", "id": "\\ud800\\u0000", "method": "version"}',
        ]
    )
    answers = run(text)
    codes = [answer["error"]["code"] if "error" in answer else "ok" for answer in answers]
    assert codes == [*[-32700] * 4, *[-32600] * 6, -32602, "ok", -32600, "ok"]
    assert [answer["id"] for answer in answers][-3:] == [None, None, "\ud800\0"]


def test_hostile_messages_never_end_the_session() -> None:
    rnd = random.Random(42)
    good = [
        '{"jsonrpc": "2.0", "id": 7, "method": "moves", "params": {"position": "rings"}}',
        '{"jsonrpc": "2.0", "id": 7, "method": "play", "params": {"position": "gyges", "plies": ["321123"]}}',
        '{"jsonrpc": "2.0", "id": 7, "method": "perft", "params": {"position": "gran", "depth": 1, "divide": true}}',
        '{"jsonrpc": "2.0", "id": 7, "method": "solve", "params": {"position": "siaius", "nodes": 9, "hash": 1}}',
        '{"jsonrpc": "2.0", "id": 7, "method": "validate", "params": {"text": "[Game \\"rings\\"]\\n\\n1. a1-a2 *"}}',
        '{"jsonrpc": "2.0", "id": 7, "method": "cancel", "params": {"id": 7}}',
    ]
    lines = []
    for _ in range(1500):
        line = bytearray(rnd.choice(good).encode())
        for _ in range(rnd.randint(1, 4)):
            at = rnd.randrange(len(line))
            line[at : at + rnd.randint(0, 3)] = rnd.choice([b"", b"9", b'"', b"{", b"null", b"\xc3", b"\\u0000", b"-"])
        if b"shutdown" not in line and b"\n" not in line:
            lines.append(bytes(line))
    answers = run(b"\n".join([*lines, b'{"jsonrpc": "2.0", "id": "end", "method": "version"}']))
    assert {"id": "end", "jsonrpc": "2.0"}.items() <= answers[-1].items() or any(a["id"] == "end" for a in answers)
    assert all(answer.get("error", {}).get("code") != -32603 for answer in answers)


def test_cancel_answers_with_the_proven_bounds() -> None:
    with session() as client:
        solving = client.send("solve", position="rings", progress=True)
        waiting = client.send("perft", **LONG)
        while not client.notifications:
            message = client.read()
            assert message["method"] == "progress"
            client.notifications.append(message)
        assert client.notifications[0]["params"]["id"] == solving
        assert client.call("cancel", id=waiting) is True
        assert client.call("cancel", id="another") is False
        assert client.call("cancel", id=solving) is True
        assert client.answer(solving)["result"]["status"] == "bound"
        assert client.answer(waiting)["error"]["data"]["code"] == "limit-reached"
        assert client.call("cancel", id=solving) is False


def test_cancel_stops_the_values_after_every_ply() -> None:
    with session() as client:
        solving = client.send("solve", position="siaius", each=True, progress=True)
        while not client.notifications:
            client.notifications.append(client.read())
        assert client.call("cancel", id=solving) is True
        started = time.monotonic()
        found = client.answer(solving)["result"]
        assert time.monotonic() - started < 1
    assert [row["ply"] for row in found["plies"]] == Position("siaius").plies()
    assert {row["status"] for row in found["plies"]} == {"unknown"}


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not report memory in this way")
@pytest.mark.unsanitized
def test_memory_of_searches_is_returned() -> None:
    def memory(client: Client) -> int:
        """KiB of the session that are in memory."""
        status = Path(f"/proc/{client.process_id}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0])

    positions = [GYGES, "siaius", "rings", "gyges ....../....../..1.../...2../....../..3... s - 1+1"]
    with session() as client:
        for position in positions:
            client.call("solve", position=position, nodes=100, hash=1)
        before = memory(client)
        for nodes in (30_000, 10_000):
            for position in positions:
                client.call("solve", position=position, nodes=nodes, hash=64)
        assert memory(client) - before < 6 << 10


@pytest.mark.parametrize("until", ["1e99999999", "1e-99999999", "2", "1/0", [1], True])
def test_until_is_a_probability(until: object) -> None:
    with session() as client:
        error = client.error("solve", position="gran", model="paranoid", until=until, nodes=10)
        assert (error["code"], error["message"]) == (-32602, "until is a probability such as 0.01 or 1/100")
        for wanted in (0.01, "0.01", "1/100"):
            found = client.call("solve", position="gran", model="paranoid", until=wanted, nodes=10)
            assert found["until"] == "1/100"


def test_shutdown_cancels_and_answers_last() -> None:
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "perft", "params": LONG},
        {"jsonrpc": "2.0", "id": 2, "method": "shutdown"},
        {"jsonrpc": "2.0", "id": 3, "method": "version"},
    ]
    answers = run("\n".join(map(json.dumps, messages)).encode())
    assert [answer["id"] for answer in answers] == [1, 2]
    assert answers[1]["result"] is True


def test_the_end_of_the_input_lets_requests_finish() -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "perft", "params": {"position": "rings", "depth": 6, "hash": 8}}
    (answer,) = run(json.dumps(message).encode())
    assert answer["result"]["nodes"] == Position("rings").perft(6)


def test_long_requests_run_next_to_short_ones() -> None:
    with session("--jobs", "2") as client:
        first, second = client.send("perft", **LONG), client.send("perft", **LONG)
        assert client.call("version")["protocol"] == 1
        assert client.call("cancel", id=first) is True
        assert "error" in client.answer(first)
        assert client.call("cancel", id=second) is True
        assert "error" in client.answer(second)


def test_the_reader_of_answers_closes_the_pipe() -> None:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.close()
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "perft", "params": LONG}).encode() + b"\n"
        process.stdin.write(line)
        process.stdin.write(line.replace(b"perft", b"moves"))
        process.stdin.flush()
        process.stdin.close()
        assert process.wait(60) == 0


@pytest.mark.skipif(not hasattr(select, "poll"), reason="the system cannot show whether a pipe has a reader")
@pytest.mark.parametrize("method", ["solve", "perft"])
def test_a_search_ends_with_its_client(method: str) -> None:
    params = {"position": GYGES} if method == "solve" else LONG
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(
            json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n"
        )
        process.stdin.close()
        process.stdout.close()
        try:
            assert process.wait(60) == 0
        finally:
            process.kill()


def test_a_request_imports_nothing_that_cancel_would_wait_for() -> None:
    solves = [{"position": position, "nodes": 1000} for position in (GYGES, "rings", "siaius", "gran")]
    requests = [
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        for method, params in [*(("solve", one) for one in solves), ("perft", {"position": "rings", "depth": 1})]
    ]
    program = """
import sys
from click.testing import CliRunner
from ringfen.cli import serve
seen = set()
def run(session):
    seen.update(sys.modules)
    answer(session)
answer, serve.Session.run = serve.Session.run, run
print(CliRunner().invoke(serve.serve, input=sys.argv[1]).output.count("result"))
print(*sorted(name for name in set(sys.modules) - seen if name.startswith("ringfen.")))
"""
    command = [sys.executable, "-c", program, "\n".join(requests)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    answered, imported = result.stdout.split("\n")[:2]
    assert int(answered) >= len(requests)
    assert imported == ""


def test_a_waiting_request_is_cancelled_at_once() -> None:
    with session() as client:
        running = client.send("perft", **LONG)
        waiting = [client.send("solve", position=GYGES), client.send("perft", **LONG)]
        for id_ in waiting:
            assert client.call("cancel", id=id_) is True
        try:
            is_waiting = [client.call("cancel", id=id_) for id_ in waiting]
        finally:
            assert client.call("cancel", id=running) is True
        assert is_waiting == [False, False]
        assert client.answer(waiting[0])["result"]["status"] == "unknown"
        assert client.answer(waiting[1])["error"]["data"]["code"] == "limit-reached"
        assert client.answer(running)["error"]["data"]["code"] == "limit-reached"


def test_options_of_another_model_are_rejected() -> None:
    with session() as client:
        for params in ({"until": "1/2"}, {"player": 1}):
            for position in (GYGES, "gran"):
                error = client.error("solve", position=position, nodes=10, **params)
                assert (error["code"], error["message"]) == (
                    -32602,
                    f"{next(iter(params))} requires the model paranoid",
                )


def test_the_client_of_the_page() -> None:
    page = (Path(__file__).parents[2] / "docs" / "session.md").read_text(encoding="utf-8")
    code = page.partition("```python\n")[2].partition("```")[0].replace('["ringfen", "serve"]', repr(COMMAND))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    plies = Position("rings").apply("a1-a2").plies()
    assert done.stdout == f"{plies}\nbound\n"


@pytest.mark.parametrize("ply", ["", "a1", "a1-b9", "A1-A4", "\u00e9", "N", "a1-b1", "--"])
def test_play_says_of_a_ply_what_the_command_says(ply: str) -> None:
    plies = ["321123", "321123", ply]
    with session() as client:
        data = client.error("play", position="gyges", plies=plies)["data"]
    first = ringfen("play", "gyges", "--", *plies).stderr.splitlines()[0]
    assert first == f"ply:3:{data['column']}: {data['code']}: {data['message']}"


@pytest.mark.skipif(NODE is None, reason="Node is not installed")
def test_a_client_in_javascript() -> None:
    client = Path(__file__).with_name("serve_client.mjs")
    result = subprocess.run([str(NODE), str(client), *COMMAND], capture_output=True, text=True, timeout=120, check=True)
    assert json.loads(result.stdout) == {
        "games": list(game_ids()),
        "plies": Position("rings").plies(),
        "nodes": Position("siaius").perft(3),
        "error": "bad-ply",
        "value": "loss",
    }


def test_solve_with_a_tree() -> None:
    win = "siaius t1s1/4/M3/4 n - - 0"
    with session() as client:
        answer = client.call("solve", position=win, **{"tree-full": True}, tries=True)
        assert (answer["tree"][0]["ply"], len(answer["tree"][0]["children"])) == ("a4-b3", 5)
        assert (answer["tries"][0]["ply"], answer["tree_complete"]) == ("a4-a3", True)
        assert [len(key["children"]) for key in client.call("solve", position=win, **{"tree-depth": 1})["tree"]] == [0]
        assert "tree" not in client.call("solve", position=win, tree=False, tries=True)
        assert client.call("solve", position="gyges", nodes=10, tree=True)["tree"] is None
        assert client.error("solve", position=win, tree=True, wdl=True)["code"] == -32602
        assert client.error("solve", position=win, **{"tree-depth": 0})["code"] == -32602


def test_advice_is_for_clients() -> None:
    unknown = "gran -:3:-/-:3:-/-:3:- c7 - 2.0.4.6.6.4.2 1 move board=none"
    with session() as client:
        message = client.error("moves", position=unknown)["message"]
        assert message == "no board none.board found; searched: nothing, because no board path is given"
        texts = [f'[FEN "{unknown}"]\n\n*', "\0[\0G\0a\0m\0e\0", "[Event \udcff]\n\n*"]
        found = [one for text in texts for one in client.call("validate", text=text)[0]["diagnostics"]]
        advice = [one["message"] for one in found if one["code"] in ("unknown-board", "bad-utf8")]
        assert advice[0].endswith("searched: nothing, because no board path is given")
        assert advice[1].endswith("seems to be UTF-16: read it in the encoding utf-16-be, or save it as UTF-8")
        assert advice[2].endswith("U+DCFF is half of a surrogate pair, which is not a character; remove it")
        message = client.error("solve", position="siaius", model="hash_mb is 1")["message"]
        assert message == "the model is maxn or paranoid, not 'hash_mb is 1'"
        assert client.error("solve", position="siaius", hash=-1)["message"].startswith("hash is 1 to ")
        note = client.call("solve", position="siaius c7/8/8/8/8/8/8/7C s - - 0", hash=1)["note"]
        assert note == "8 MB of memory (hash 8) would be enough for an exact answer"
