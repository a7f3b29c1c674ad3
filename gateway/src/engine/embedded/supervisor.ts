import { on, once } from "node:events";
import type { Duplex } from "node:stream";
import { MessageChannel, Worker } from "node:worker_threads";
import { builtFile } from "../../util/built-file.js";
import type { Engine } from "../engine.js";
import { defaultLimits, type EmbeddedLimits } from "./limits.js";
import { type EngineMessage, type SavingMessage, SNAPSHOT_EVERY, type WorkerInput } from "./messages.js";
import { PortDuplex } from "./port-duplex.js";
import { HEARTBEAT_MS, Pulse } from "./pulse.js";

export interface EmbeddedOptions {
  /** Limits other than the default ones. */
  readonly limits?: Partial<EmbeddedLimits>;
  /** Time in ms without a sign of life after which the engine's thread is replaced. Default: 30,000. */
  readonly stallTimeoutMs?: number;
  /** A file to keep the data in; default: it is kept in memory alone. */
  readonly snapshot?: string | undefined;
  /** Whether open connections keep the process alive, as sockets would. Default: true. */
  readonly keepsProcessAlive?: boolean | undefined;
  /** Called with a one-line message when the engine was restarted, or its data could not be read or written. */
  readonly onNotice?: ((message: string) => void) | undefined;
}

const DESCRIPTION = "embedded (js-redis-server, in memory; for development and tests)";
/** Timeout in ms for writing the data at the end. */
const SAVE_TIMEOUT = 60_000;
/** Longer than any one command takes on as much data as fits into memory, even on a busy machine. */
const DEFAULT_STALL_TIMEOUT = 30_000;
const HOW_OFTEN = `written every ${SNAPSHOT_EVERY / 1_000} s while it changes, and at the end`;
/** A thread that ends within this time counts as a failed start. */
const SHORT_LIFE_MS = 2000;
/** After this many failed starts in a row, no other thread is started. */
const MAX_SHORT_LIVES = 3;

/** Starts the embedded engine: a Redis in a worker thread, reachable only from this process. */
export async function startEmbeddedEngine(options: EmbeddedOptions = {}): Promise<Engine> {
  const engine = new EmbeddedEngine(options);
  try {
    await engine.ready();
  } catch (error) {
    await engine.close();
    throw error;
  }
  return engine;
}

class EmbeddedEngine implements Engine {
  readonly description = DESCRIPTION;
  readonly data: string | undefined;
  readonly #snapshot: string | null;
  readonly #connections = new Set<Duplex>();
  #worker: Worker;
  #count = 0;
  #shortLives = 0;
  #closed: Promise<void> | undefined;
  #isLoaded = false;
  /** Why the last snapshot could not be written. Null if it was. */
  problem: string | null = null;

  constructor(private readonly options: EmbeddedOptions) {
    this.#snapshot = options.snapshot ?? null;
    this.data = options.snapshot && `${options.snapshot} (${HOW_OFTEN})`;
    this.#worker = this.#start();
  }

  /** Resolves once the thread runs, and has the data that was kept. @throws {Error} when that can't be read */
  async ready(): Promise<void> {
    const worker = this.#worker;
    worker.ref();
    if (this.#snapshot === null) await once(worker, "online");
    else {
      const [message] = (await once(worker, "message")) as [SavingMessage];
      if (message.kind === "unreadable") throw new Error(message.message);
    }
    this.#isLoaded = true;
    worker.unref();
  }

  connect(): Duplex {
    const { port1, port2 } = new MessageChannel();
    const id = ++this.#count;
    const worker = this.#worker;
    const connection = new PortDuplex(port1, () =>
      worker.postMessage({ connection: id, port: null } satisfies EngineMessage),
    );
    if (this.#closed !== undefined || this.#shortLives >= MAX_SHORT_LIVES) {
      port2.close();
      connection.destroy(new Error("the embedded engine is not running"));
      return connection;
    }
    if (this.options.keepsProcessAlive === false) port1.unref();
    worker.postMessage({ connection: id, port: port2 } satisfies EngineMessage, [port2]);
    this.#connections.add(connection);
    connection.once("close", () => this.#connections.delete(connection));
    return connection;
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    for (const connection of this.#connections) connection.destroy();
    if (this.#snapshot !== null && this.#isLoaded) await this.#save();
    await this.#worker.terminate();
  }

  async #save(): Promise<void> {
    const worker = this.#worker;
    // The thread has ended, and no other thread has replaced it.
    if (worker.threadId < 0) return;
    worker.ref();
    const timeout = AbortSignal.timeout(SAVE_TIMEOUT);
    const messages = on(worker, "message", { signal: timeout, close: ["exit"] });
    worker.postMessage("save" satisfies EngineMessage);
    try {
      for await (const [message] of messages) if ((message as SavingMessage).kind === "saved") return;
    } catch {
      if (timeout.aborted) this.#unsaved("ETIMEDOUT");
    }
  }

  #unsaved(code: string): void {
    this.problem = `the embedded engine's data could not be written to ${this.#snapshot} (${code})`;
    this.options.onNotice?.(this.problem);
  }

  #start(): Worker {
    const { stallTimeoutMs = DEFAULT_STALL_TIMEOUT } = this.options;
    const limits = { ...defaultLimits, ...this.options.limits };
    const pulse = new Pulse();
    const input = { limits, pulse: pulse.memory, snapshot: this.#snapshot };
    const worker = new Worker(builtFile("embedded-worker.js", "the embedded engine's worker"), {
      workerData: input satisfies WorkerInput,
      name: "warmline-embedded-engine",
      // Node's own flags of this process do not apply to the engine. The output of its Lua when it runs
      // out of memory is discarded, since errors come by the events below.
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: Math.ceil((2 * limits.maxMemoryBytes) / 2 ** 20) },
    });
    // The connections keep the process alive while there are any, as sockets would.
    worker.unref();
    const startedAt = performance.now();
    let reason = "exited";
    let replaced = false;
    const replace = () => {
      if (replaced || this.#closed !== undefined) return;
      replaced = true;
      this.#replace(reason, performance.now() - startedAt);
    };
    let watchdog: NodeJS.Timeout | undefined;
    worker.once("online", () => {
      watchdog = watch(pulse, stallTimeoutMs, () => {
        const { command } = pulse;
        const during = command && ` while it ran ${command}`;
        reason = `did not respond for ${stallTimeoutMs / 1000} s${during}`;
        replace();
        void worker.terminate();
      });
    });
    worker.on("message", (message: SavingMessage) => {
      if (message.kind === "snapshot") {
        if (message.failure !== null) this.#unsaved(message.failure);
        else this.problem = null;
      } else if (message.kind === "unreadable" && this.#isLoaded) {
        // The engine must not continue empty: the next snapshot would replace the saved data.
        this.options.onNotice?.(message.message);
        this.#shortLives = MAX_SHORT_LIVES;
        void worker.terminate();
      }
    });
    worker.on("error", (error: NodeJS.ErrnoException) => {
      // Its message might quote a value.
      reason = error.code === "ERR_WORKER_OUT_OF_MEMORY" ? "ran out of memory" : `failed (${error.name})`;
    });
    worker.once("exit", () => {
      clearInterval(watchdog);
      replace();
    });
    return worker;
  }

  #replace(reason: string, livedMs: number): void {
    this.#shortLives = livedMs < SHORT_LIFE_MS ? this.#shortLives + 1 : 0;
    // Data that could not be written is lost now, so the problem is over.
    this.problem = null;
    const gaveUp = this.#shortLives >= MAX_SHORT_LIVES;
    const lost = this.#snapshot === null ? "its data is lost" : "changes since the last snapshot are lost";
    if (!gaveUp) this.#worker = this.#start();
    const next = gaveUp ? "it is not restarted" : "it was restarted";
    this.options.onNotice?.(`the embedded engine ${reason}; ${next}, and ${lost}`);
    for (const connection of this.#connections)
      connection.destroy(new Error(`the embedded engine ${reason}`));
  }
}

/**
 * Calls `stalled` once if there is no sign of life for `stallTimeoutMs`. That time is counted in turns of this thread's timer,
 * not by the clock, so that a process that was suspended as a whole does not blame its worker.
 */
function watch(pulse: Pulse, stallTimeoutMs: number, stalled: () => void): NodeJS.Timeout {
  const intervalMs = Math.max(HEARTBEAT_MS, Math.ceil(stallTimeoutMs / 10));
  const allowed = Math.ceil(stallTimeoutMs / intervalMs);
  // Before its first sign of life the thread loads its code.
  const allowedAtStart = Math.max(allowed, Math.ceil(DEFAULT_STALL_TIMEOUT / intervalMs));
  let last = -1;
  let still = 0;
  const timer = setInterval(() => {
    const now = pulse.beats;
    still = now === last ? still + 1 : 0;
    last = now;
    if (still < (now === 0 ? allowedAtStart : allowed)) return;
    clearInterval(timer);
    stalled();
  }, intervalMs);
  timer.unref();
  return timer;
}
