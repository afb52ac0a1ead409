// A client of `ringfen serve`, written from docs/session.md only. Its arguments are the command.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [command, ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const waiting = new Map();
let nextId = 0;

createInterface({ input: server.stdout }).on("line", (line) => {
  const message = JSON.parse(line);
  const { resolve, reject } = waiting.get(message.id) ?? {};
  waiting.delete(message.id);
  if (message.error) reject?.(message.error);
  else resolve?.(message.result);
});

function call(method, params = {}) {
  const id = `request ${nextId++}`;
  server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

const [version, moves, perft, error, solution] = await Promise.all([
  call("version"),
  call("moves", { position: "rings" }),
  call("perft", { position: "siaius", depth: 3 }),
  call("play", { position: "rings", plies: ["?"] }).catch((found) => found.data.code),
  call("solve", { position: "gyges ....../....../..3.../....../.2..../1..... s - 1+1" }),
]);
await call("shutdown");
console.log(
  JSON.stringify({
    games: version.games,
    plies: moves.plies.map((entry) => entry.ply),
    nodes: perft.nodes,
    error,
    value: solution.value,
  }),
);
