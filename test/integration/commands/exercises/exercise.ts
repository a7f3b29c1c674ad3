import type { Redis } from "../../../../src/index.js";

/** The embedded engine and real servers. The tests load the JSON module of Redis Stack into Redis 8.2. */
export type Engine = "embedded" | "redis-7.0" | "redis-8.2" | "valkey-9.1";

/** A check that a command works through the client. */
export interface Exercise {
  /** Calls the command on an empty database and asserts the whole reply. */
  readonly run: (redis: Redis) => Promise<void>;
  /** Engines without the command, or without an option that the exercise uses. The tests assert this too. */
  readonly lackedBy: readonly Engine[];
}

/** An exercise for every method of a group. */
export type Exercises<Group> = { readonly [Method in keyof Group]: Exercise };

/** Creates an exercise. */
export const on = (run: Exercise["run"], ...lackedBy: Engine[]): Exercise => ({ run, lackedBy });

/** No engine has this command: its arguments and the decoding of its reply are tested with its samples alone. */
export const nowhere: Exercise = {
  run: () => Promise.reject(new Error("no engine has this command")),
  lackedBy: ["embedded", "redis-7.0", "redis-8.2", "valkey-9.1"],
};
