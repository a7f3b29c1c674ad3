import type { ReplyMode } from "../reply-mode.js";
import type { CommandSpec } from "../spec.js";

/** Under this a client, a pipeline and a transaction take a command that they have no method for. */
export const SEND: unique symbol = Symbol.for("warmline.send") as never;

declare const KIND: unique symbol;

/** An object that takes commands by their specs, under the reply mode `K`. */
export interface Target<K extends ReplyMode> {
  /** @internal */
  [SEND](spec: CommandSpec, args: unknown[]): unknown;
  /** Only for the compiler: nothing is there. */
  readonly [KIND]?: K;
}
