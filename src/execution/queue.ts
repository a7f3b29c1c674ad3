import type { CommandArg } from "../protocol/args.js";
import { elapsed, moment } from "../util/clock.js";
import type { ConfiguredClient } from "./client-context.js";
import type { PendingCommand } from "./command.js";
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
  /** The commands of each request that is sent in the next microtask, in the order issued; the last list has room for more. */
  #lists: PendingCommand[][] = [];
  /** About how many bytes the last list has. */
  #bytes = 0;
  readonly #client: ConfiguredClient;

  constructor(client: ConfiguredClient) {
    this.#client = client;
  }

  add(pending: PendingCommand): void {
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
    if (lists.length === 1) sendList(this.#client, lists[0]!);
    else this.#sendInOrder(lists);
  }

  /** Sends each list when all commands of the one before have settled. */
  async #sendInOrder(lists: PendingCommand[][]): Promise<void> {
    const began = moment();
    for (const pending of lists.flat()) pending.watchLimits(Infinity);
    for (const list of lists) {
      const open = list.filter(isOpen);
      if (open.length > 0)
        await new Promise<void>((done) => sendList(this.#client, open, elapsed(began), done));
    }
  }
}

/**
 * Sends commands of one tick as one request, in which each has an outcome of its own.
 * @param waited how long they have waited for other requests, in ms.
 * @param onEnd called when all of them are settled.
 */
export function sendList(
  client: ConfiguredClient,
  list: readonly PendingCommand[],
  waited = 0,
  onEnd?: () => void,
): void {
  const [first] = list as [PendingCommand];
  const { limits } = first;
  // A timer may fire early by less than 1 ms.
  const left = timeLeft(client.settings, limits, first.command.wait);
  const time = limits || waited === 0 ? left : Math.floor(left - waited);
  if (list.length === 1) {
    first.stopWatching();
    sendCommands(client, list, "", { time, signal: limits?.signal, onEnd });
    return;
  }
  guardList(client, list);
  if (limits) sendLimited(client, list, onEnd);
  else sendCommands(client, list, "pipeline", { time, onEnd });
}

/** Sends commands that have limits of their own. Their request continues until each of them is settled. */
function sendLimited(client: ConfiguredClient, list: readonly PendingCommand[], onEnd?: () => void): void {
  const time = Math.max(...list.map(({ limits }) => limits!.left()));
  const controller = new AbortController();
  let delivery: Delivery<PendingCommand> | undefined;
  const onLeave = () => {
    if (!list.some(isOpen)) controller.abort();
  };
  for (const pending of list) pending.watchLimits(time, () => delivery?.written ?? false, onLeave);
  const commands = list.filter(isOpen);
  if (commands.length === 0) onEnd?.();
  else delivery = sendCommands(client, commands, "pipeline", { time, signal: controller.signal, onEnd });
}

/** Makes the reads of a list safe to send again with the writes after them, if writes are to be exactly-once. */
function guardList(client: ConfiguredClient, list: readonly PendingCommand[]): void {
  if (client.settings.writes !== "exactly-once") return;
  const commands = list.map(({ command }) => command);
  guardReads(client, commands, "pipeline").forEach((command, at) => {
    list[at]!.command = command;
  });
}

const isOpen = ({ settled }: PendingCommand) => !settled;

/** Returns about how many bytes the arguments take; exact for ASCII. */
function sizeOf(argv: readonly CommandArg[]): number {
  let size = 0;
  for (const arg of argv) size += arg.length + 3;
  return size;
}
