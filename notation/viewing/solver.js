/** Solves positions in workers, which run the same core as the page. `core.js` comes before this file. */

import { Core, RingfenError } from "./core.js";

/** Answers the one message that a worker gets. */
export const serve = () => {
  globalThis.onmessage = async ({ data: { module, data, text, options, hasBounds } }) => {
    try {
      const core = await Core.load(module, data);
      const solution = core.solve(text, options, (progress) => globalThis.postMessage({ progress }), hasBounds);
      globalThis.postMessage({ solution });
    } catch (error) {
      const { message, reason = "", at = 0, length = 0 } = error;
      globalThis.postMessage({ error: { message, reason, at, length } });
    }
  };
};

/** Solves in the background. Each position has its own worker, whose memory is free when it ends. */
export class Solver {
  #code;
  #module;
  #data;
  #workers = new Set();

  /** @param {string} code core.js and this file @param {ArrayBuffer} module @param {import("./core.js").CoreData} data */
  constructor(code, module, data) {
    this.#code = code;
    this.#module = module;
    this.#data = data;
  }

  /**
   * The object that `solve --json` prints; rejects with a RingfenError.
   *
   * @param {string} text
   * @param {import("./core.js").SolveOptions} options
   * @param {{progress?: (progress: import("./core.js").Progress) => void, signal?: AbortSignal, hasBounds?: boolean}} more
   *   `signal` stops the search: the promise rejects with its reason; `hasBounds` as in core.js
   */
  async solve(text, options = {}, { progress = () => {}, signal, hasBounds = false } = {}) {
    signal?.throwIfAborted();
    const address = URL.createObjectURL(new Blob([this.#code, "\nserve();\n"], { type: "text/javascript" }));
    const worker = new Worker(address);
    const stop = new AbortController();
    try {
      return await new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) => {
          if (data.progress) return progress(data.progress);
          const { message, reason, at, length } = data.error ?? {};
          if (data.error) reject(new RingfenError(message, reason, at, length));
          else resolve(data.solution);
        };
        worker.onerror = (event) => reject(new Error(event.message || "the worker does not start"));
        signal?.addEventListener("abort", () => reject(signal.reason), { signal: stop.signal });
        worker.postMessage({ module: this.#module, data: this.#data, text, options, hasBounds });
      });
    } finally {
      stop.abort();
      worker.terminate();
      URL.revokeObjectURL(address);
    }
  }
}
