import { ArgumentError, RedisError } from "../errors.js";
import type { HttpRequest } from "../protocol/http.js";
import { MalformedReply } from "../protocol/malformed.js";
import { ErrorReply, type RawReply } from "../protocol/reply.js";
import { type BatchPath, type EncodedRequest, Resp2Refused } from "../protocol/rest-protocol.js";
import type { ConfiguredClient } from "./client-context.js";
import { type Command, readsBytes } from "./command.js";
import { afterUnknown, decodeReply, toProtocolError } from "./decode-reply.js";
import { guardReads } from "./exactly-once/guard.js";
import type { SharedRequest } from "./pending-command.js";
import { PendingRequest, type RequestLimits } from "./pending-request.js";

/** Result of one command of a batch. A value that a schema checks may be a promise. */
export type Result = { readonly result: unknown } | { readonly error: unknown };

/** Names of a whole batch in error messages. */
const LABELS: Record<BatchPath, string> = { pipeline: "PIPELINE", "multi-exec": "MULTI" };

/** The request of several commands. */
class BatchRequest extends PendingRequest<Result[]> {
  readonly write: boolean;
  readonly repeatable: boolean;
  protected encoded: EncodedRequest;
  #commands: readonly Command[] = [];

  readonly #path: BatchPath;
  readonly #wanted: () => readonly Command[];
  readonly #shared: boolean;
  readonly #onError: (reason: unknown) => void;

  constructor(
    client: ConfiguredClient,
    path: BatchPath,
    wanted: () => readonly Command[],
    shared: boolean,
    limits: RequestLimits,
    readonly resolve: (results: Result[]) => void,
    onError: (reason: unknown) => void,
  ) {
    super(client, LABELS[path], limits);
    this.#path = path;
    this.#wanted = wanted;
    this.#shared = shared;
    this.#onError = onError;
    this.encoded = this.#encode(wanted());
    this.write = this.#commands.some(({ write }) => write);
    this.repeatable = this.#commands.every(({ repeatable }) => repeatable);
  }

  /** Holds only those commands of a shared request that are still wanted. */
  override get request(): HttpRequest {
    if (this.#shared) {
      const batch = this.#wanted();
      if (batch.length < this.#commands.length) this.encoded = this.#encode(batch);
    }
    return this.encoded.request;
  }

  #encode(batch: readonly Command[]): EncodedRequest {
    this.#commands = guardReads(this.client, batch, this.#path);
    const commands = this.#commands;
    return this.client.context.protocol.batch(
      commands.map(({ argv }) => argv),
      this.#path,
      commands.some(readsBytes),
      commands.some(({ bytes }) => bytes),
    );
  }

  decode(reply: RawReply, possiblyApplied: boolean): Result[] {
    const { label } = this;
    const commands = this.#commands;
    if (reply instanceof ErrorReply) {
      // Our gateway says which command a transaction was discarded for.
      const refused = /^EXECABORT .* command (\d+) of /.exec(reply.message);
      const index = refused ? Number(refused[1]) - 1 : undefined;
      const error = new RedisError(reply.message, { command: commands[index!]?.spec.name ?? label, index });
      throw possiblyApplied ? afterUnknown(error, this.write) : error;
    }
    if (!Array.isArray(reply) || reply.length !== commands.length) {
      throw new MalformedReply(`not an array of ${commands.length} replies`);
    }
    return reply.map((item, place) => {
      const command = commands[place]!;
      try {
        return { result: decodeReply(command, item, possiblyApplied, place) };
      } catch (error) {
        return { error: toProtocolError(error, command.spec.name, place) };
      }
    });
  }

  reject(reason: unknown): void {
    this.#onError(
      reason instanceof Resp2Refused
        ? new ArgumentError(
            `${this.label}: this endpoint accepts bytes only in single commands, not in batches`,
          )
        : reason,
    );
  }
}

/**
 * Sends commands as one request.
 * @param wanted returns the commands. If the request is shared, it is called again before the write and may return fewer.
 * @returns a result for each that was sent. Rejects when the request as a whole failed.
 */
export function sendBatch(
  client: ConfiguredClient,
  path: BatchPath,
  wanted: () => readonly Command[],
  limits: RequestLimits,
  shared?: SharedRequest,
): Promise<Result[]> {
  return new Promise((resolve, reject) => {
    const request = new BatchRequest(client, path, wanted, shared !== undefined, limits, resolve, reject);
    const call = request.send();
    if (shared) shared.call = call;
  });
}
