import type { Redis } from "../../../../src/index.js";

/** The engine that the gateway carries, and Redis 7.0. */
export type Engine = "embedded" | "redis";

/** A check that a command works through the client. */
export interface Exercise {
  /** Calls the command on an empty database and asserts the whole reply. */
  readonly run: (redis: Redis) => Promise<void>;
  /** Engines that don't have the command, or not all of what is called here. That is asserted too. */
  readonly lackedBy: readonly Engine[];
}

/** An exercise for every method of a group. */
export type Exercises<Group> = { readonly [Method in keyof Group]: Exercise };

export const on = (run: Exercise["run"], ...lackedBy: Engine[]): Exercise => ({ run, lackedBy });

/** Neither engine has it: only its samples check its arguments and the decoding of its reply. */
export const nowhere: Exercise = {
  run: () => Promise.reject(new Error("no engine has this command")),
  lackedBy: ["embedded", "redis"],
};
