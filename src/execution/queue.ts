import type { CommandArg } from "../protocol/args.js";
import type { Route } from "../protocol/rest-protocol.js";
import type { Crowd } from "../transport/transport.js";
import { elapsed, type Moment, moment } from "../util/clock.js";
import type { ConfiguredClient } from "./client-context.js";
import type { Pending } from "./command.js";
import type { Delivery } from "./delivery.js";
import { guardReads } from "./exactly-once/guard.js";
import { timeLeft } from "./limits.js";
import { sendCommands } from "./request.js";

/** The most commands, and the most bytes of arguments, that travel in one request. */
const MAX_COMMANDS = 1_000;
const MAX_BYTES = 512 * 1024;

/** A command with more bytes of arguments does not travel with those that have waited, which it would hold up. */
const LARGE = 32 * 1024;

/** Settled already: what its `then` is given runs in the next microtask. */
const microtask = Promise.resolve();

/**
 * Collects the commands issued before the next microtask and sends them as one request, in the order issued. Commands
 * beyond a limit travel in further requests, each after the one before. While so many requests are under way that more of
 * them would not pay, the commands of later turns join those that wait. Over `fetch` and undici none waits: where several
 * requests are served in one process, the commands of one never travel with those of another.
 */
export class AutoPipeline {
  /** The commands of each request, in the order issued. The last list has room for more. */
  #lists: Pending[][] = [];
  /** About how many bytes the last list has. */
  #bytes = 0;
  /** Since when the commands wait for requests that are under way, if they do. */
  #waitsSince: Moment | undefined;

  constructor(private readonly client: ConfiguredClient) {}

  add(pending: Pending): void {
    const lists = this.#lists;
    const bytes = sizeOf(pending.command.argv);
    let list = lists.at(-1);
    if (!list) this.#begin();
    const waitsSince = this.#waitsSince;
    const isHeld = waitsSince && lists.length === 1 && bytes > LARGE;
    if (isHeld) microtask.then(() => this.#sendAll());
    if (!list || isHeld || list.length === MAX_COMMANDS || this.#bytes + bytes > MAX_BYTES) {
      list = [];
      lists.push(list);
      this.#bytes = 0;
    }
    this.#bytes += bytes;
    list.push(pending);
    if (waitsSince) pending.watchLimits(Infinity);
  }

  /** Sends what is collected at the next microtask or at its turn, in the asynchronous context of the first command. */
  #begin(): void {
    const turn = this.#crowd?.turn();
    if (turn) this.#waitsSince = moment();
    (turn ?? microtask).then(() => this.#sendAll());
  }

  #sendAll(): void {
    const lists = this.#lists;
    const since = this.#waitsSince;
    const leave = this.#crowd?.enter();
    this.#lists = [];
    this.#waitsSince = undefined;
    if (lists.length === 1) sendList(this.client, lists[0]!, since, leave);
    // Not the time of one round trip.
    else this.#sendInOrder(lists, since).then(() => leave?.(true));
  }

  get #crowd(): Crowd | undefined {
    return this.client.context.transport.crowd;
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
 * Sends commands of one tick as one request, in which each has an outcome and limits of its own.
 * @param since when the first of them began to wait for other requests, if they did.
 * @param onEnd called when all of them are settled. Its argument is set unless a response has settled them.
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

/** Makes the reads of a list safe to send again with the writes after them, if writes are to be exactly-once. */
function guardList(client: ConfiguredClient, list: readonly Pending[]): void {
  if (client.settings.writes !== "exactly-once" || list.length === 1) return;
  const commands = list.map(({ command }) => command);
  guardReads(client, commands, "pipeline").forEach((command, at) => {
    list[at]!.command = command;
  });
}

const isOpen = ({ settled }: Pending) => !settled;

/** Returns about how many bytes the arguments take; exact for ASCII. */
function sizeOf(argv: readonly CommandArg[]): number {
  let size = 0;
  for (const arg of argv) size += arg.length + 3;
  return size;
}
