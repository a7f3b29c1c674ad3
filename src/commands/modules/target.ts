import type { ReplyMode } from "../reply-mode.js";
import type { CommandSpec } from "../spec.js";

/** Key of the method by which a client, pipeline or transaction sends a command that it has no method for. */
export const SEND: unique symbol = Symbol.for("warmline.send") as never;

declare const KIND: unique symbol;

/** An object that takes commands by their specs, in the reply mode `K`. */
export interface Target<K extends ReplyMode> {
  /** @internal */
  [SEND](spec: CommandSpec, args: unknown[]): unknown;
  /** Only for the compiler: it is never set. */
  readonly [KIND]?: K;
}
