import cluster, { type Worker } from "node:cluster";
import { setTimeout as sleep } from "node:timers/promises";
import { AggregatorRegistry } from "prom-client";
import { randomToken } from "../../access/token.js";
import type { StreamReply } from "../../api/stream-change.js";
import type { Gateway } from "../../create.js";
import { type GatewayOptions, hasToken, resolveSettings } from "../../settings/options.js";
import { MIN_BUFFERED_BYTES } from "../../settings/table.js";
import { type FromWorker, Requests, type SharedEngine, type ToWorker } from "./messages.js";
import { SharedPort } from "./shared-port.js";

const INITIAL_BACKOFF = 100;
const MAX_BACKOFF = 10_000;
/** A worker that ran this long, in ms, is replaced without waiting longer than the first time. */
const STEADY = 30_000;
/** Timeout in ms for a worker's metrics. After it the last ones received are used. */
const COUNT_WITHIN = 1_000;
/** Types of metrics that only grow. The last values of a worker that has ended still count. */
const CUMULATIVE: readonly string[] = ["counter", "histogram", "summary"];
/** Time in ms after the shutdown timeout after which a worker is ended by force. */
const FORCE_AFTER = 2_000;

export interface WorkersOptions {
  readonly options: GatewayOptions;
  readonly count: number;
  /** The Redis to share; null where the options name one. */
  readonly engine: SharedEngine | null;
  /** Called with a one-line message when a worker exited. */
  readonly onNotice: (message: string) => void;
}

type Ready = Omit<Gateway, "close">;

/**
 * Starts several processes that are one gateway: one port, one token, limits and metrics of all together. The parent accepts
 * the connections. A port that workers share by `cluster` loses a connection that is handed over while the last of them stops to
 * listen: it stays open without a response until the parent exits.
 */
export async function startWorkers(options: WorkersOptions): Promise<Gateway> {
  const workers = new Workers(options);
  try {
    return { ...(await workers.start()), close: () => workers.close() };
  } catch (error) {
    await workers.close(0);
    throw error;
  }
}

class Workers {
  readonly #options: WorkersOptions;
  readonly #shared: GatewayOptions;
  /** The workers, and the requests that each has not answered. */
  readonly #all = new Map<Worker, Requests>();
  /** The numbers that each worker sent last. */
  readonly #last = new Map<Worker, object[]>();
  /** The counts of workers that have ended, as last reported. */
  #ended: object[] = [];
  readonly #port: SharedPort;
  readonly #drainDelay: number;
  readonly #shutdownTimeout: number;
  #backoff = INITIAL_BACKOFF;
  #closing: Promise<void> | undefined;

  constructor(given: WorkersOptions) {
    const { options, count } = given;
    const { token, softMaxConnections, maxConnections } = options;
    const settings = resolveSettings(options);
    const { maxBlockingConnections, maxTransactionConnections, maxStreams, maxBufferedBytes } = settings;
    const share = (limit: number) => Math.ceil(limit / count);
    this.#options = given;
    this.#port = new SharedPort(settings.host, settings.port);
    this.#drainDelay = settings.drainDelay;
    this.#shutdownTimeout = settings.shutdownTimeout;
    this.#shared = {
      ...options,
      // Not again in each worker: the parent waits before it closes the port.
      drainDelay: 0,
      token: hasToken(options) ? token : randomToken(),
      onCommand: undefined,
      // Without a limit, each process has its own one from the limit of open files.
      softMaxConnections: softMaxConnections && share(softMaxConnections),
      maxConnections: maxConnections && share(maxConnections),
      maxBlockingConnections: share(maxBlockingConnections),
      maxTransactionConnections: share(maxTransactionConnections),
      maxStreams: share(maxStreams),
      maxBufferedBytes: Math.max(MIN_BUFFERED_BYTES, share(maxBufferedBytes)),
    };
  }

  async start(): Promise<Ready> {
    // The first worker starts alone, so that an error in the settings or the port is reported once.
    const ready = await this.#add();
    await Promise.all(Array.from({ length: this.#options.count - 1 }, () => this.#add()));
    return { ...ready, url: ready.url.replace(/\d+$/, String(this.#port.port)) };
  }

  /** @param drainDelay time in ms during which `/ready` reports that the gateway is closing, and the port stays open */
  close(drainDelay = this.#drainDelay): Promise<void> {
    this.#closing ??= this.#end(drainDelay);
    return this.#closing;
  }

  async #end(drainDelay: number): Promise<void> {
    const workers = [...this.#all.keys()];
    const ended = workers.map((worker) => new Promise((resolve) => worker.once("exit", resolve)));
    for (const worker of workers) tell(worker, { kind: "drain" });
    if (drainDelay > 0) await sleep(drainDelay);
    this.#port.close();
    for (const worker of workers) tell(worker, { kind: "close" });
    const force = setTimeout(() => {
      for (const worker of this.#all.keys()) worker.process.kill("SIGKILL");
    }, this.#shutdownTimeout + FORCE_AFTER);
    await Promise.all(ended);
    clearTimeout(force);
  }

  /** Starts one and waits until it listens. */
  #add(): Promise<Ready> {
    const worker = cluster.fork();
    const requests = new Requests();
    this.#all.set(worker, requests);
    const begun = performance.now();
    return new Promise((resolve, reject) => {
      let isReady = false;
      const fail = (error: Error) => {
        reject(error);
        worker.process.kill("SIGKILL");
      };
      const succeed = (gateway: Ready) => {
        isReady = true;
        resolve(gateway);
      };
      worker.on("message", (message: FromWorker) => {
        // Messages sent before it listened are lost.
        if (message.kind === "listening")
          tell(worker, this.#closing ? { kind: "close" } : this.#startMessage());
        else if (message.kind === "ready")
          void this.#port.add(worker).then(() => succeed(message.gateway), fail);
        else if (message.kind === "taken") this.#port.taken(worker);
        else if (message.kind === "failed")
          fail(Object.assign(new Error(message.message), { code: message.code }));
        else if (message.kind === "command") this.#options.options.onCommand?.(message.command);
        else if (message.kind === "answer") requests.answer(message);
        else {
          const reply = message.kind === "change" ? this.#change(message) : this.#metrics();
          void reply.then((each) => tell(worker, { kind: "answer", id: message.id, reply: each }));
        }
      });
      worker.once("exit", (code, signal) => {
        this.#all.delete(worker);
        this.#port.remove(worker);
        this.#keepCounts(worker);
        requests.end();
        reject(new Error(`a worker exited before it was ready (${signal ?? `status ${code}`})`));
        if (isReady) this.#replace(code, signal, performance.now() - begun);
      });
    });
  }

  /** Passes a change of an event stream on to the worker that has it. Resolves with null if there is no such worker. */
  async #change({ to, change }: Extract<FromWorker, { kind: "change" }>): Promise<StreamReply | null> {
    const [worker, requests] = [...this.#all].find(([{ id }]) => id === to) ?? [];
    if (!worker?.isConnected()) return null;
    return requests!.ask((id) => tell(worker, { kind: "change", id, change }));
  }

  #startMessage(): ToWorker {
    const { engine, options, count } = this.#options;
    return {
      kind: "start",
      options: this.#shared,
      engine,
      workers: count,
      trace: options.onCommand !== undefined,
    };
  }

  /** A worker exited: another one takes its place, the later the sooner it ended. */
  async #replace(code: number, signal: string, lived: number): Promise<void> {
    if (this.#closing) return;
    if (lived >= STEADY) this.#backoff = INITIAL_BACKOFF;
    const wait = this.#backoff;
    this.#backoff = Math.min(MAX_BACKOFF, 2 * wait);
    this.#options.onNotice(`a worker exited (${signal ?? `status ${code}`}); a new one starts in ${wait} ms`);
    await sleep(wait);
    if (this.#closing) return;
    await this.#add().catch((error: Error) => {
      if (this.#closing) return;
      this.#options.onNotice(error.message);
      void this.#replace(1, "", 0);
    });
  }

  /** The numbers of all workers together, as Prometheus reads them. */
  async #metrics(): Promise<string> {
    await Promise.all([...this.#all].map(([worker, requests]) => this.#count(worker, requests)));
    return AggregatorRegistry.aggregate([...this.#last.values(), this.#ended]).metrics();
  }

  /** Requests a worker's metrics, and resolves when they arrive or the timeout is over. */
  async #count(worker: Worker, requests: Requests): Promise<void> {
    const reply = requests.ask<object[] | null>((id) => tell(worker, { kind: "count", id }));
    const numbers = await Promise.race([reply, sleep(COUNT_WITHIN, null, { ref: false })]);
    if (numbers && this.#all.has(worker)) this.#last.set(worker, numbers);
  }

  /** Adds what a worker that has ended had counted to that of others, so that no counter goes backwards. */
  #keepCounts(worker: Worker): void {
    const last = this.#last.get(worker) as { type: string }[] | undefined;
    if (!last) return;
    this.#last.delete(worker);
    const counted = last.filter(({ type }) => CUMULATIVE.includes(type));
    this.#ended = AggregatorRegistry.aggregate([counted, this.#ended]).getMetricsAsArray();
  }
}

function tell(worker: Worker, message: ToWorker): void {
  // One that has just ended needs none.
  if (worker.isConnected()) worker.send(message, () => {});
}
