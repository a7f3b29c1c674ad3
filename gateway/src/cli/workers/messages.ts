import type { StreamChange, StreamReply } from "../../api/stream-change.js";
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
  /** Send your numbers. */
  | { readonly kind: "count"; readonly id: number }
  /** The requested text, of all workers together. */
  | { readonly kind: "metrics"; readonly id: number; readonly text: string }
  /** Change an event stream of yours. */
  | { readonly kind: "change"; readonly id: number; readonly change: StreamChange }
  /** The result of a change of another worker's stream, or null if there is no such worker. */
  | { readonly kind: "changed"; readonly id: number; readonly reply: StreamReply | null };

export type FromWorker =
  /** It listens to messages; what is sent before is lost. */
  | { readonly kind: "listening" }
  | { readonly kind: "ready"; readonly gateway: Omit<Gateway, "close"> }
  /** A connection has been taken. */
  | { readonly kind: "taken" }
  | { readonly kind: "command"; readonly command: TracedCommand }
  | { readonly kind: "failed"; readonly message: string; readonly code: string | undefined }
  | { readonly kind: "counted"; readonly id: number; readonly numbers: object[] }
  | { readonly kind: "metrics"; readonly id: number }
  /** Have the worker `to` change an event stream. */
  | { readonly kind: "change"; readonly id: number; readonly to: number; readonly change: StreamChange }
  | { readonly kind: "changed"; readonly id: number; readonly reply: StreamReply };
