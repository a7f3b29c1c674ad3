// Issues random commands for a while, each with its own mark, and returns the outcome of every one. Errors that are visible
// at once are returned in `wrong`.
import { getEventListeners } from "node:events";
import { follow } from "warmline/streams";
import { mulberry32 } from "../../support/model/random.mjs";

const { ENTRY, CLIENT, STREAM_URL } = process.env;
const { Redis } = await import(ENTRY);
const options = JSON.parse(CLIENT);
const base = Redis.fromEnv({ codec: "text", ...options });
const alone = Redis.fromEnv({ codec: "text", ...options, enableAutoPipelining: false });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const wrong = [];
process.on("unhandledRejection", (error) => wrong.push(`unhandled rejection: ${error?.stack ?? error}`));
process.on("uncaughtException", (error) => wrong.push(`uncaught exception: ${error?.stack ?? error}`));
process.on("warning", ({ name, message }) => {
  if (name.startsWith("MaxListeners")) wrong.push(message);
});

/** Time in ms for which this process was not frozen. */
let awake = 0;
let last = performance.now();
function tick() {
  const now = performance.now();
  awake += Math.min(now - last, 100);
  last = now;
}

/** Returns the result of a call: its value, or the outcome and name of its error. */
async function settlementOf(call, signal, what) {
  try {
    return { value: await call };
  } catch (error) {
    if (signal?.aborted && error === signal.reason) return { outcome: "unknown", error: "aborted" };
    if (!["unsent", "unknown", "answered"].includes(error?.outcome)) {
      wrong.push(`${what} rejected with ${error?.stack ?? error}`);
      return { outcome: "unknown", error: "stranger" };
    }
    const { outcome, name, message, retryAt } = error;
    return { outcome, error: name, message, ...(retryAt && { retryAt }) };
  }
}

/** The kinds of calls. A repeated kind is more frequent. */
const KINDS = "incr incr rpush rpush rpush bytes hincrby zadd set get own echo".split(" ");

/** Issues calls one after another. */
class Lane {
  written = [];
  #register = 0;
  #least = 0;
  /** Values that may still be under way, and be written after later ones. */
  #late = new Set();
  #number = 0;

  constructor(name, seed) {
    this.name = name;
    this.random = mulberry32(seed);
  }

  id() {
    return `${this.name}.${++this.#number}`;
  }

  pick(...choices) {
    return choices[Math.floor(this.random() * choices.length)];
  }

  /** Returns a random command: its method and arguments, and a function that is called with its settlement. */
  command(list, group) {
    const { name } = this;
    const id = this.id();
    const write =
      (kind, key, mark, full = 1) =>
      (settlement, order) =>
        this.written.push({ kind, key, mark, full, settlement, group, order });
    const read = (fits) => (settlement) => {
      if (!settlement.outcome && !fits(settlement.value))
        wrong.push(`${id} read ${JSON.stringify(settlement.value)}`);
    };
    switch (this.pick(...KINDS)) {
      case "incr":
        return { call: ["incr", `count:${id}`], settle: write("count", `count:${id}`) };
      case "rpush":
        return { call: ["rpush", list, id], settle: write("token", list, id) };
      case "bytes":
        return { call: ["rpush", list, new TextEncoder().encode(id)], settle: write("token", list, id) };
      case "hincrby":
        return { call: ["hincrby", `hash:${name}`, id, 1], settle: write("field", `hash:${name}`, id) };
      case "zadd":
        return { call: ["zincrby", `zset:${name}`, 1, id], settle: write("score", `zset:${name}`, id) };
      case "set": {
        const value = ++this.#register;
        return {
          call: ["set", `register:${name}`, value],
          settle: (settlement) => {
            // Commands without a group may run in any order.
            if (!settlement.outcome && group) this.#least = value;
            else if (settlement.outcome !== "unsent") this.#late.add(value);
          },
        };
      }
      case "own": {
        const least = options.writes === "at-least-once" ? 0 : this.#least;
        return {
          call: ["get", `register:${name}`],
          settle: read((value) => {
            const number = Number(value ?? 0);
            return number <= this.#register && (number >= least || this.#late.has(number));
          }),
        };
      }
      case "get": {
        const key = `name:${Math.floor(this.random() * 50)}`;
        return { call: ["get", key], settle: read((value) => value === key) };
      }
      default:
        return { call: ["echo", id], settle: read((value) => value === id) };
    }
  }

  async step() {
    const { random } = this;
    const timeout = random() < 0.1 ? 30 + random() * 300 : options.timeout;
    const controller = random() < 0.1 ? new AbortController() : undefined;
    const signal = controller?.signal;
    if (controller) setTimeout(() => controller.abort(new Error("enough")), random() * 60);
    // A command that is not batched may overtake others.
    const batched = random() < 0.85;
    const client = (batched ? base : alone).with({ timeout, ...(signal && { signal }) });
    const group = batched ? this.id() : undefined;
    const as = random();
    let retryAt = 0;
    tick();
    const begun = awake;
    if (as < 0.03) await this.transaction(client, signal, 1_200);
    else if (as < 0.12) await this.transaction(client, signal, 2);
    else {
      const list = `list:${this.name}`;
      const size = random() < 0.4 ? 1 : 2 + Math.floor(random() * 6);
      const commands = Array.from({ length: size }, () => this.command(list, group));
      const settlements =
        as < 0.34
          ? await this.pipeline(client, signal, commands)
          : await this.together(client, signal, commands);
      for (const [at, { settle }] of commands.entries()) settle(settlements[at], at);
      retryAt = Math.max(0, ...settlements.map((settlement) => settlement.retryAt ?? 0));
    }
    tick();
    const ms = awake - begun;
    if (ms > timeout + 1_500)
      wrong.push(`a step of ${this.name} took ${Math.round(ms)} ms of ${Math.round(timeout)}`);
    if (signal && getEventListeners(signal, "abort").length > 0)
      wrong.push(`a step of ${this.name} left a listener`);
    // While the circuit is open, every call would fail at once.
    await pause(Math.max(0, Math.min(2_000, retryAt - Date.now())));
    if (random() < 0.3) await pause(random() * 40);
    if (random() < 0.01) await pause(1_100);
  }

  together(client, signal, commands) {
    return Promise.all(
      commands.map(({ call: [method, ...args] }) =>
        settlementOf(client[method](...args), signal, `${method} ${args[0]}`),
      ),
    );
  }

  async pipeline(client, signal, commands) {
    const pipeline = client.pipeline();
    for (const { call } of commands) pipeline[call[0]](...call.slice(1));
    const settlement = await settlementOf(pipeline.exec({ keepErrors: true }), signal, "pipeline");
    if (settlement.outcome) return commands.map(() => settlement);
    return Promise.all(
      settlement.value.map(({ result, error }) =>
        error ? settlementOf(Promise.reject(error), signal, "in a pipeline") : { value: result },
      ),
    );
  }

  /** Increments one key `size` times in a transaction. */
  async transaction(client, signal, size) {
    const id = this.id();
    const multi = client.multi();
    for (let i = 0; i < size; i++) multi.incr(`count:${id}`);
    const settlement = await settlementOf(multi.exec(), signal, "transaction");
    if (
      !settlement.outcome &&
      settlement.value.join() !== Array.from({ length: size }, (_, i) => i + 1).join()
    ) {
      // A transaction that was applied twice returns the second response.
      if (options.writes !== "at-least-once")
        wrong.push(`transaction ${id} of ${size} gave ${settlement.value.slice(0, 5)}`);
    }
    this.written.push({
      kind: "count",
      key: `count:${id}`,
      full: size,
      settlement: { ...settlement, value: undefined },
    });
  }
}

/** Subscribes and follows a stream. Reports messages that were repeated, or missed without a gap. */
function listen() {
  let heard = 0;
  let messages = 0;
  let gap = true;
  const redis = new Redis({
    url: STREAM_URL,
    token: process.env.WARMLINE_TOKEN,
    codec: "text",
    // If the gateway is killed before the stream first opens, it may take a while to restart.
    timeout: 600_000,
    retry: { retries: 6_000, backoff: () => 100 },
  });
  const subscriber = redis.subscribe("news");
  subscriber.on("message", ({ message }) => {
    const [number, before] = message.split(" ").map(Number);
    if (number <= heard) wrong.push(`message ${number} came after ${heard}`);
    if (before > heard && !gap)
      wrong.push(`message ${before} was missed without a gap: ${heard}, then ${message}`);
    heard = number;
    gap = false;
    messages++;
  });
  subscriber.on("gap", () => {
    gap = true;
  });
  subscriber.on("error", (error) => wrong.push(`the subscriber gave up: ${error.message}`));
  const controller = new AbortController();
  const ids = [];
  const following = (async () => {
    for await (const { id } of follow(redis, "news", { signal: controller.signal })) ids.push(id);
  })().catch((error) => {
    if (error !== controller.signal.reason) wrong.push(`the follower gave up: ${error.message}`);
  });
  return async () => {
    await subscriber.unsubscribe();
    controller.abort(new Error("over"));
    await following;
    return { messages, ids };
  };
}

const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

export async function handler({ seed, seconds, lanes, name }) {
  const before = timers();
  const ticking = setInterval(tick, 20);
  tick();
  const stopListening = listen();
  const all = Array.from({ length: lanes }, (_, at) => new Lane(`${name}${at}`, seed + at));
  // After the first response the client knows that it talks to a gateway, and batches bytes with other commands.
  while (!(await base.ping().catch(() => false)));
  const end = awake + seconds * 1_000;
  await Promise.all(
    all.map(async (lane) => {
      while (awake < end) await lane.step();
    }),
  );
  const { messages, ids } = await stopListening();
  base.close();
  clearInterval(ticking);
  // Timers of aborts may still be pending for a while.
  for (let i = 0; i < 50 && timers() > before; i++) await pause(100);
  if (timers() > before) wrong.push(`${timers() - before} timers were left`);
  return { written: all.flatMap(({ written }) => written), wrong, messages, ids, stats: base.stats() };
}
