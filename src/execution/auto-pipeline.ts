import type { CommandArg } from "../protocol/args.js";
import { elapsed, moment } from "../util/clock.js";
import type { ConfiguredClient } from "./client-context.js";
import { sendCommand } from "./command-request.js";
import { type PendingCommand, SharedRequest } from "./pending-command.js";
import { sendPipeline } from "./pipeline-sender.js";

/** The most commands, and the most bytes of arguments, that travel in one request. */
const MAX_COMMANDS = 1_000;
const MAX_BYTES = 512 * 1024;

/** Settled already: what its `then` is given runs in the next microtask. */
const microtask = Promise.resolve();

/**
 * Collects the commands issued before the next microtask and sends them as one request, in the order issued. Commands
 * beyond a limit travel in further requests, each after the one before. Each command has an outcome of its own. Where several
 * requests are served in one process, those of one never travel with those of another.
 */
export class AutoPipeline {
  /** Requests of the commands issued before the next microtask, in the order issued; the last has room for more. */
  #requests: PendingCommand[][] = [];
  /** About how many bytes that one has. */
  #bytes = 0;
  readonly #client: ConfiguredClient;

  constructor(client: ConfiguredClient) {
    this.#client = client;
  }

  add(pending: PendingCommand): void {
    const requests = this.#requests;
    const bytes = sizeOf(pending.command.argv);
    let request = requests.at(-1);
    if (!request) microtask.then(() => this.#sendAll());
    if (!request || request.length === MAX_COMMANDS || this.#bytes + bytes > MAX_BYTES) {
      request = [];
      requests.push(request);
      this.#bytes = 0;
    }
    this.#bytes += bytes;
    request.push(pending);
  }

  #sendAll(): void {
    const requests = this.#requests;
    this.#requests = [];
    if (requests.length === 1) this.#send(requests[0]!);
    else this.#sendInOrder(requests);
  }

  /** Sends each when all commands of the one before have settled. */
  async #sendInOrder(requests: PendingCommand[][]): Promise<void> {
    const began = moment();
    for (const pending of requests.flat()) pending.arm();
    for (const request of requests) {
      const batch = request.filter(isOpen);
      let open = batch.length;
      if (open === 0) continue;
      await new Promise<void>((done) => {
        for (const pending of batch) {
          pending.onSettled = () => {
            if (--open === 0) done();
          };
        }
        this.#send(batch, elapsed(began));
      });
    }
  }

  /** @param spent how long it has waited for other requests, in ms. */
  #send(batch: PendingCommand[], spent?: number): void {
    const client = this.#client;
    const [first] = batch;
    if (batch.length === 1 && spent === undefined) sendCommand(client, first!);
    else if (first!.limits) {
      const shared = new SharedRequest(batch);
      if (batch.some(isOpen)) sendPipeline(client, batch, shared, { shared });
    } else {
      // A timer may fire early by less than 1 ms.
      sendPipeline(client, batch, { time: Math.floor(client.settings.timeout - (spent ?? 0)) });
    }
  }
}

const isOpen = ({ settled }: PendingCommand) => !settled;

/** About as many bytes as the arguments take; exact for ASCII. */
function sizeOf(argv: readonly CommandArg[]): number {
  let size = 0;
  for (const arg of argv) size += arg.length + 3;
  return size;
}
