import type { RawReply } from "../protocol/reply.js";
import { type EncodedRequest, Resp2Refused } from "../protocol/rest-protocol.js";
import type { ConfiguredClient } from "./client-context.js";
import { readsBytes } from "./command.js";
import { decodeReply } from "./decode-reply.js";
import { timeLeft } from "./limits.js";
import type { PendingCommand } from "./pending-command.js";
import { PendingRequest } from "./pending-request.js";

/** The request of one command by itself. */
class CommandRequest extends PendingRequest<unknown> {
  readonly encoded: EncodedRequest;
  readonly write: boolean;
  readonly repeatable: boolean;

  readonly #pending: PendingCommand;

  /** @param inPath sends the command in the path: how bytes reach an endpoint that takes no RESP2. */
  constructor(client: ConfiguredClient, pending: PendingCommand, time: number, inPath: boolean) {
    const { command, limits } = pending;
    super(client, command.spec.name, { time, signal: limits?.signal });
    this.#pending = pending;
    this.write = command.write;
    this.repeatable = command.repeatable;
    const { argv, bytes } = command;
    this.encoded = client.context.protocol.command(argv, readsBytes(command), bytes, inPath);
  }

  decode(reply: RawReply, possiblyApplied: boolean): unknown {
    return decodeReply(this.#pending.command, reply, possiblyApplied);
  }

  resolve(value: unknown): void {
    this.#pending.resolve(value);
  }

  reject(reason: unknown): void {
    const { client, budget } = this;
    const pending = this.#pending;
    // The endpoint takes bytes in the path alone.
    if (reason instanceof Resp2Refused) new CommandRequest(client, pending, budget.timeLeft, true).send();
    else pending.reject(reason);
  }
}

/** Sends one command by itself. */
export function sendCommand(client: ConfiguredClient, pending: PendingCommand): void {
  const { command, limits } = pending;
  new CommandRequest(client, pending, timeLeft(client.settings, limits, command.wait), false).send();
}
