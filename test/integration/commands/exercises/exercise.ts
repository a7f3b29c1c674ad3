import type { Redis } from "../../../../src/index.js";

/** The engine that the gateway carries, and real servers. Redis 8.2 has the JSON module of Redis Stack here. */
export type Engine = "embedded" | "redis-7.0" | "redis-8.2" | "valkey-9.1";

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

/** No engine here has it: only its samples check its arguments and the decoding of its reply. */
export const nowhere: Exercise = {
  run: () => Promise.reject(new Error("no engine has this command")),
  lackedBy: ["embedded", "redis-7.0", "redis-8.2", "valkey-9.1"],
};
