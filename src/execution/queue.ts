import type { CommandArg } from "../protocol/args.js";
import type { Route } from "../protocol/rest-protocol.js";
import type { BatchLimiter } from "../transport/transport.js";
import { elapsed, type Moment, moment } from "../util/clock.js";
import type { ConfiguredClient } from "./client-context.js";
import type { Pending } from "./command.js";
import type { Delivery } from "./delivery.js";
import { guardReads } from "./exactly-once/guard.js";
import { timeLeft } from "./limits.js";
import { sendCommands } from "./request.js";

/** Maximum number of commands, and of bytes of arguments, in one request. */
const MAX_COMMANDS = 1_000;
const MAX_BYTES = 512 * 1024;

/** Bytes of arguments above which a command does not join commands that have waited, because it would delay them. */
const LARGE = 32 * 1024;

/** A settled promise: its `then` runs a function in the next microtask. */
const microtask = Promise.resolve();

/**
 * Collects the commands issued before the next microtask and sends them as one request, in the order issued. Commands
 * beyond a limit are sent in further requests, each after the end of the one before. While many requests are under way,
 * commands of several ticks wait and share one. Over `fetch` and undici no command waits, so that code that serves one request
 * never shares a request with code that serves another.
 */
export class AutoPipeline {
  /** The commands of each request, in the order issued. The last list has room for more. */
  #lists: Pending[][] = [];
  /** Approximate number of bytes of the last list. */
  #bytes = 0;
  /** Since when the commands wait for other requests to end, if they do. */
  #waitsSince: Moment | undefined;

  constructor(private readonly client: ConfiguredClient) {}

  add(pending: Pending): void {
    const lists = this.#lists;
    const bytes = sizeOf(pending.command.argv);
    let list = lists.at(-1);
    if (!list) this.#begin();
    const waitsSince = this.#waitsSince;
    const endsWait = waitsSince && lists.length === 1 && bytes > LARGE;
    if (endsWait) microtask.then(() => this.#sendAll());
    if (!list || endsWait || list.length === MAX_COMMANDS || this.#bytes + bytes > MAX_BYTES) {
      list = [];
      lists.push(list);
      this.#bytes = 0;
    }
    this.#bytes += bytes;
    list.push(pending);
    if (waitsSince) pending.watchLimits(Infinity);
  }

  /** Sends the commands in the next microtask or at their turn, in the asynchronous context of the first command. */
  #begin(): void {
    const turn = this.#batchLimiter?.turn();
    if (turn) this.#waitsSince = moment();
    (turn ?? microtask).then(() => this.#sendAll());
  }

  #sendAll(): void {
    const lists = this.#lists;
    const since = this.#waitsSince;
    // There may be no list: a large command has ended the wait. Then `enter` only uses up the turn.
    const leave = this.#batchLimiter?.enter();
    this.#lists = [];
    this.#waitsSince = undefined;
    if (lists.length === 1) sendList(this.client, lists[0]!, since, leave);
    // True: this took more than one round trip, so the limiter must not time it.
    else this.#sendInOrder(lists, since).then(() => leave?.(true));
  }

  get #batchLimiter(): BatchLimiter | undefined {
    return this.client.context.transport.batchLimiter;
  }

  /** Sends each list when all commands of the one before have settled. */
  async #sendInOrder(lists: Pending[][], since = moment()): Promise<void> {
    for (const pending of lists.flat()) pending.watchLimits(Infinity);
    for (const list of lists) {
      await new Promise<void>((onEnd) => sendList(this.client, list, since, () => onEnd()));
    }
  }
}

/**
 * Sends commands as one request. Each has its own outcome and its own limits. `since` is when the first command began to wait for
 * other requests, if it did. `onEnd` is called when all commands are settled: without an argument if a response has settled them.
 */
export function sendList(
  client: ConfiguredClient,
  list: readonly Pending[],
  since?: Moment,
  onEnd?: (failed?: unknown) => void,
): void {
  const [{ command, limits }] = list as [Pending];
  const route = list.length === 1 ? "" : "pipeline";
  if (limits && (route || since)) {
    sendLimited(client, list, route, onEnd);
    return;
  }
  const left = timeLeft(client.settings, limits, command.wait);
  // A timer may fire early by less than 1 ms.
  const time = since ? Math.floor(left - elapsed(since)) : left;
  guardList(client, list);
  sendCommands(client, list, route, { time, signal: limits?.signal, onEnd });
}

/** Sends commands that have limits of their own. Their request continues until each of them is settled. */
function sendLimited(
  client: ConfiguredClient,
  list: readonly Pending[],
  route: Route,
  onEnd: ((failed?: unknown) => void) | undefined,
): void {
  const time = Math.max(...list.map(({ limits }) => limits!.left()));
  const controller = new AbortController();
  let delivery: Delivery | undefined;
  const onLeave = (error: unknown) => {
    if (!list.some(isOpen)) controller.abort(error);
  };
  for (const pending of list) pending.watchLimits(time, () => delivery?.written ?? false, onLeave);
  const open = list.filter(isOpen);
  guardList(client, open);
  if (open.length > 0)
    delivery = sendCommands(client, open, route, { time, signal: controller.signal, onEnd });
  else onEnd?.(true);
}

/** If writes are to be exactly-once, guards the reads of a list, so that a repeat returns their first results. */
function guardList(client: ConfiguredClient, list: readonly Pending[]): void {
  if (client.settings.writes !== "exactly-once" || list.length === 1) return;
  const commands = list.map(({ command }) => command);
  guardReads(client, commands, "pipeline").forEach((command, at) => {
    list[at]!.command = command;
  });
}

const isOpen = ({ settled }: Pending) => !settled;

/** Returns the approximate bytes of the arguments in a JSON body: three more per argument for quotes and comma. */
function sizeOf(argv: readonly CommandArg[]): number {
  let size = 0;
  for (const arg of argv) size += arg.length + 3;
  return size;
}
