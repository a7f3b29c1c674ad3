import type { CommandArg } from "../protocol/args.js";
import type { Route } from "../protocol/rest-protocol.js";
import { elapsed, moment } from "../util/clock.js";
import type { ConfiguredClient } from "./client-context.js";
import type { Pending } from "./command.js";
import type { Delivery } from "./delivery.js";
import { guardReads } from "./exactly-once/guard.js";
import { timeLeft } from "./limits.js";
import { sendCommands } from "./request.js";

/** The most commands, and the most bytes of arguments, that travel in one request. */
const MAX_COMMANDS = 1_000;
const MAX_BYTES = 512 * 1024;

/** Settled already: what its `then` is given runs in the next microtask. */
const microtask = Promise.resolve();

/**
 * Collects the commands issued before the next microtask and sends them as one request, in the order issued. Commands
 * beyond a limit travel in further requests, each after the one before. Where several requests are served in one process,
 * those of one never travel with those of another.
 */
export class AutoPipeline {
  /** The commands of each request, in the order issued. The last list has room for more. */
  #lists: Pending[][] = [];
  /** About how many bytes the last list has. */
  #bytes = 0;

  constructor(private readonly client: ConfiguredClient) {}

  add(pending: Pending): void {
    const lists = this.#lists;
    const bytes = sizeOf(pending.command.argv);
    let list = lists.at(-1);
    if (!list) microtask.then(() => this.#sendAll());
    if (!list || list.length === MAX_COMMANDS || this.#bytes + bytes > MAX_BYTES) {
      list = [];
      lists.push(list);
      this.#bytes = 0;
    }
    this.#bytes += bytes;
    list.push(pending);
  }

  #sendAll(): void {
    const lists = this.#lists;
    this.#lists = [];
    if (lists.length === 1) sendList(this.client, lists[0]!);
    else this.#sendInOrder(lists);
  }

  /** Sends each list when all commands of the one before have settled. */
  async #sendInOrder(lists: Pending[][]): Promise<void> {
    const began = moment();
    for (const pending of lists.flat()) pending.watchLimits(Infinity);
    for (const list of lists) {
      await new Promise<void>((onEnd) => sendList(this.client, list, elapsed(began), onEnd));
    }
  }
}

/**
 * Sends commands of one tick as one request, in which each has an outcome and limits of its own.
 * @param waited how long they have waited for other requests, in ms.
 * @param onEnd called when all of them are settled.
 */
export function sendList(
  client: ConfiguredClient,
  list: readonly Pending[],
  waited = 0,
  onEnd?: () => void,
): void {
  const [{ command, limits }] = list as [Pending];
  const route = list.length === 1 ? "" : "pipeline";
  if (limits && (route || onEnd)) {
    sendLimited(client, list, route, onEnd);
    return;
  }
  const left = timeLeft(client.settings, limits, command.wait);
  // A timer may fire early by less than 1 ms.
  const time = waited > 0 ? Math.floor(left - waited) : left;
  guardList(client, list);
  sendCommands(client, list, route, { time, signal: limits?.signal, onEnd });
}

/** Sends commands that have limits of their own. Their request continues until each of them is settled. */
function sendLimited(
  client: ConfiguredClient,
  list: readonly Pending[],
  route: Route,
  onEnd: (() => void) | undefined,
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
  else onEnd?.();
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
