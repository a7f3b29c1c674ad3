import type { StreamChange } from "../../api/stream-change.js";
import type { Gateway } from "../../create.js";
import type { GatewayOptions } from "../../settings/options.js";
import type { TracedCommand } from "../../trace/traced-command.js";

/** A Redis that several processes reach by its UNIX socket. */
export interface SharedEngine {
  readonly description: string;
  readonly socket: string;
}

export type ToWorker =
  | {
      readonly kind: "start";
      readonly options: GatewayOptions;
      readonly engine: SharedEngine | null;
      readonly workers: number;
      /** Tell of every command. */
      readonly trace: boolean;
    }
  /** A connection to serve; it comes with the message. */
  | { readonly kind: "connection" }
  /** Report that the gateway is closing. */
  | { readonly kind: "drain" }
  /** Close: no connection follows. */
  | { readonly kind: "close" }
  /** Reply with your numbers. */
  | { readonly kind: "count"; readonly id: number }
  /** Change an event stream of yours, and reply with the result. */
  | { readonly kind: "change"; readonly id: number; readonly change: StreamChange }
  | Answer;

export type FromWorker =
  /** It listens to messages; what is sent before is lost. */
  | { readonly kind: "listening" }
  | { readonly kind: "ready"; readonly gateway: Omit<Gateway, "close"> }
  /** A connection has been taken. */
  | { readonly kind: "taken" }
  | { readonly kind: "command"; readonly command: TracedCommand }
  | { readonly kind: "failed"; readonly message: string; readonly code: string | undefined }
  /** Reply with the metrics of all workers together, as text. */
  | { readonly kind: "metrics"; readonly id: number }
  /** Have the worker `to` change an event stream. Reply with the result, or null if there is no such worker. */
  | { readonly kind: "change"; readonly id: number; readonly to: number; readonly change: StreamChange }
  | Answer;

/** The reply to the request with this id. */
interface Answer {
  readonly kind: "answer";
  readonly id: number;
  readonly reply: unknown;
}

/** The requests to one process that it has not answered yet. */
export class Requests {
  readonly #waiting = new Map<number, (reply: never) => void>();
  #count = 0;

  /**
   * Resolves with the reply; with null if there is none, since the process has ended.
   * @param send sends the request with this id
   */
  ask<T>(send: (id: number) => void): Promise<T> {
    const id = ++this.#count;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      send(id);
    });
  }

  answer({ id, reply }: Answer): void {
    this.#waiting.get(id)?.(reply as never);
    this.#waiting.delete(id);
  }

  /** The process has ended. */
  end(): void {
    for (const id of this.#waiting.keys()) this.answer({ kind: "answer", id, reply: null });
  }
}
