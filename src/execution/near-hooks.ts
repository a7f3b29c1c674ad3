import type { Endpoint } from "../options/endpoint.js";
import type { NearCache } from "../options/options.js";
import type { NearObserver } from "../protocol/near-requests.js";
import type { RawReply } from "../protocol/reply.js";
import type { ConfiguredClient } from "./client-context.js";
import type { Command, Result } from "./command.js";
import type { Limits } from "./limits.js";
import type { Settings } from "./settings.js";

/** Returns the near cache of a client, if it has one. */
export const getNear = ({ context }: ConfiguredClient): NearHooks | undefined =>
  context.near as NearHooks | undefined;

/** The parts of an executor that a near cache uses. */
export interface NearClient extends ConfiguredClient {
  /**
   * Sends a command. Returns its value.
   * @param limits the limits of the call. Default: limits from now on.
   */
  send(command: Command, limits?: Limits): Promise<unknown>;
  /** Returns the value of a command from a reply that was received earlier. */
  decode(command: Command, reply: RawReply): unknown;
  withSettings(settings: Partial<Settings>): NearClient;
}

/** Sends commands as one batch. Returns a result for each. */
export type SendBatch = (commands: readonly Command[]) => Promise<Result[]>;

/** The near cache of a client, as the executor uses it. `warmline/near` implements it. */
export interface NearHooks extends NearCache, NearObserver {
  /**
   * Attaches the cache to an endpoint. `prefix` precedes every key of the client.
   * @param sharesPromises whether code that serves one request may await a promise of code that serves another.
   * @throws ConfigError if the cache is attached to another endpoint, token or prefix.
   */
  attach(endpoint: Endpoint, sharesPromises: boolean, prefix?: string): void;
  /** Runs a command, from memory if possible. */
  run(client: NearClient, command: Command): Promise<unknown>;
  /** Runs a batch. In a pipeline, reads are served from memory if possible. */
  runBatch(
    client: NearClient,
    commands: readonly Command[],
    isTransaction: boolean,
    send: SendBatch,
  ): Promise<Result[]>;
}
